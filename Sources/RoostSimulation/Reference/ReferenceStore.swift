// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
public import RoostModel
public import RoostQuery
public import RoostStore

/// The smallest conforming store: it scans, commits, and leaves everything else to the shared evaluator.
///
/// It shows what a store must implement, and is the reference for comparing another store. Its data are in this
/// process, at a place that is identified by the URL of the description.
///
/// ```swift
/// let description = PersistentStoreDescription.reference(named: "draft")
/// try coordinator.addPersistentStore(with: description)
/// ```
public final class ReferenceStore: PersistentStore {
  public let identity: StoreIdentity
  public let description: PersistentStoreDescription
  public var isReadOnly: Bool { description.isReadOnly }
  /// None: reads always return the newest state.
  public var snapshots: (any StoreSnapshots)? { nil }
  /// The number of commits.
  public var changeMarks: (any StoreChangeMarks)? { self }
  let place: ReferencePlace
  private let session = ReferenceSession()
  /// The metadata when the store was opened.
  private let opened: StoreMetadata

  init(place: ReferencePlace, description: PersistentStoreDescription) {
    self.place = place
    self.description = description
    opened = place.content.metadata
    identity = StoreIdentity(
      identifier: place.content.metadata.identifier, type: description.type.rawValue)
  }

  public var metadata: StoreMetadata { place.content.metadata }

  public func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try place.change { content in
      try ReferenceCommit(changes: StoreChangeSet(), schema: schema).checkUniqueness(of: content)
      // Another handle may have written metadata since this one was opened.
      if !isReadOnly {
        content.metadata = metadata.preparing(over: content.metadata, since: opened)
      }
    }
    session.begin(schema)
    place.use(session)
  }

  public func fetch(
    _ request: ResolvedFetch, in context: FetchContext
  ) throws -> StoreFetchResult {
    let schema = try session.schema()
    description.log?.statement("scan")
    let wanted = Set(request.entities.compactMap(schema.code(of:)))
    let content = place.content
    var rows: [Row] = []
    for (key, record) in content.records where wanted.contains(RecordKey.entityCode(of: key)) {
      if let row = try record.row(key: key, in: schema) { rows.append(row) }
    }
    return StoreFetchResult(
      content: .rows(rows),
      remainder: FetchRemainder(predicate: request.predicate, sort: true, window: true),
      plan: try plan(for: request))
  }

  public func plan(for request: ResolvedFetch) throws -> QueryPlan {
    QueryPlan(
      steps: ["scan of \(request.entities.compactMap(\.name).joined(separator: ", "))"],
      inMemory: ["condition, order, window"])
  }

  public func rows(forKeys keys: [Int64]) throws -> [Row] {
    let schema = try session.schema()
    description.log?.statement("rows")
    return try ReferenceRecords(content: place.content, schema: schema).rows(forKeys: keys)
  }

  public func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    let schema = try session.schema()
    description.log?.statement("destinations")
    return try ReferenceRecords(content: place.content, schema: schema)
      .destinations(of: relationship, forSources: sources)
  }

  public func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    _ = try session.schema()
    return place.change { content in
      let first = content.nextSequence
      content.nextSequence += Int64(count)
      return first...(content.nextSequence - 1)
    }
  }

  /// Returns the last number that the store has given to a record.
  public func lastSequence() throws -> Int64 {
    _ = try session.schema()
    return place.content.nextSequence - 1
  }

  public func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    let schema = try session.schema()
    guard !isReadOnly else {
      throw PersistenceError(
        .readOnlyStore, "The store is read-only.", store: identity.identifier)
    }
    description.log?.statement("commit")
    return try place.change { content in
      guard content.lists(changes.foreignNumbers) else {
        throw ForeignNumber.removed(store: identity.identifier)
      }
      var next = content
      let derived = try changes.deriving(
        schema.derivations(), from: ReferenceRecords(content: content, schema: schema))
      let commit = ReferenceCommit(changes: derived.changes, schema: schema)
      let conflicts = try commit.apply(to: &next)
      guard conflicts.isEmpty else { return .conflicted(conflicts) }
      content = next
      content.commitCount += 1
      return .committed(CommitReceipt(recomputed: derived.recomputed))
    }
  }

  public func close() {
    session.end()
  }
}

extension ReferenceStore: StoreChangeMarks {
  /// The number of commits so far, by any coordinator.
  public func changeMark() throws -> String {
    _ = try session.schema()
    return String(place.content.commitCount)
  }
}

/// The stored records, for reads and for the computation of derived attributes.
private struct ReferenceRecords: DerivationSource {
  let content: ReferencePlace.Content
  let schema: StoreSchema

  func rows(forKeys keys: [Int64]) throws -> [Row] {
    try keys.compactMap { key in try content.records[key]?.row(key: key, in: schema) }
  }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    ReferenceLinks(content: content, schema: schema).destinations(of: relationship, for: sources)
  }
}
