// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Splits one save into a change set for each store (B234).
struct ChangeSetSplit {
  /// The part of one store. It is a class, since it is large and passed around often.
  final class Part {
    let store: AttachedStore
    @exclusivity(unchecked) var changes: StoreChangeSet
    /// Whether the change set has metadata, without copying it.
    var hasMetadata: Bool { changes.hasMetadata }
    /// Metadata values that belong to this save only.
    @exclusivity(unchecked) fileprivate(set) var userValues: UserValueChanges = [:]
    /// The UUIDs of the stores to whose records the part refers.
    @exclusivity(unchecked) fileprivate(set) var storesReferred: Set<String> = []

    init(store: AttachedStore, changes: StoreChangeSet) {
      self.store = store
      self.changes = changes
    }

    /// Computes the metadata from the store's current ones, the pending ones, and those of this save.
    func takeMetadata() {
      guard store.hasPendingMetadata || !userValues.isEmpty else {
        if hasMetadata { changes.metadata = nil }
        return
      }
      // The store's metadata may change before they are written: a part that another process has left may be finished.
      let known = store.store.metadata
      var metadata = store.pendingMetadata(over: known)
      if !userValues.isEmpty {
        var changed = metadata ?? known
        for (name, value) in userValues { changed.userValues[name] = value }
        metadata = changed
      }
      changes.metadata = metadata
      changes.earlierMetadata = known
    }
  }

  private let list: StoreList
  private(set) var parts: [Part] = []
  /// The part of the previous record: consecutive records usually go to the same store.
  private var lastIdentity: StoreIdentity?
  private var lastPart: Part?
  private let origin: StoreChangeSet.Origin

  /// Splits a request.
  ///
  /// - Throws: `externalRelationship` with every relationship that illegally crosses stores (B73), `storeRemoved` for
  ///   a record of a store that is not attached, `readOnlyStore` when a part goes to a read-only store (B236),
  ///   `invalidRequest` for a record without a permanent ID.
  init(_ request: CommitRequest, stores list: StoreList) throws {
    self.list = list
    origin = request.origin
    var violations = request.violations
    try add(request.inserted)
    try add(request.updated)
    for record in request.deleted {
      let version = RowVersion(key: record.id.key, version: record.version)
      try part(for: record.id).changes.deleted.append(version)
    }
    for record in request.locked {
      let version = RowVersion(key: record.id.key, version: record.version)
      try part(for: record.id).changes.locked.append(version)
    }
    try unlink(request.deleted)
    note(request.foreignNumbers, request.storesReferred)
    if !request.links.isEmpty {
      let foreign = try foreignKeys(of: request.links)
      for link in request.links { try add(link, foreign, violations: &violations) }
      note(foreign.numbers, foreign.storesReferred)
      try unlinkOtherSides(of: request.links)
    }
    for change in request.relationships { add(change) }
    for (store, numbers) in request.reverted { add(numbers, ofStore: store) }
    if let group = request.undoGroup { add(group) }
    for (store, values) in request.userValues { try add(values, ofStore: store) }
    try Self.refuse(violations)
    for part in parts where part.store.isReadOnly {
      throw PersistenceError(
        .readOnlyStore, "The save concerns a read-only store.", store: part.store.displayName)
    }
    sortParts()
  }

  private mutating func add(_ records: InsertedRecords) throws {
    guard let first = records.ids.first else { return }
    if records.areOfOneStore {
      try part(for: first).changes.inserted = records.rows
      return
    }
    for (id, row) in zip(records.ids, records.rows) {
      try part(for: id).changes.inserted.append(row)
    }
  }

  private mutating func add(_ records: UpdatedRecords) throws {
    guard let first = records.firstID else { return }
    if records.areOfOneStore {
      try part(for: first).changes.updated = records.updates
      return
    }
    for (id, update) in zip(records.ids, records.updates) {
      try part(for: id).changes.updated.append(update)
    }
  }

  /// Removes links in other stores that refer to deleted records.
  private mutating func unlink(_ deleted: [RecordVersion]) throws {
    guard !deleted.isEmpty else { return }
    var found: [(store: AttachedStore, links: [LinkChange])] = []
    try LinksOfDeleted(list: list).forEach(of: deleted.map(\.id.current)) { found.append(($0, $1)) }
    for (store, links) in found where !store.isReadOnly { part(of: store).changes.links += links }
  }

  /// Notes the numbers of records of other stores to which the parts refer, and these stores.
  private func note(_ numbers: [String: Set<Int64>], _ stores: (String) -> Set<String>) {
    for part in parts {
      let identifier = part.store.identity.identifier
      guard let new = numbers[identifier] else { continue }
      part.changes.foreignNumbers = new.union(part.changes.foreignNumbers).sorted()
      part.storesReferred.formUnion(stores(identifier))
    }
  }

  /// Returns the foreign keys for the destinations of links that lead into other stores.
  private func foreignKeys(of links: [LinkRecord]) throws -> ForeignKeys {
    var keys = ForeignKeys()
    for link in links where link.table.relationship.leadsAcrossStores {
      let link = link.normalized
      keys.announce(link.destination, to: link.source)
    }
    try keys.settle(in: list)
    return keys
  }

  private mutating func add(
    _ link: LinkRecord, _ foreign: ForeignKeys, violations: inout [PersistenceError]
  ) throws {
    let link = link.normalized
    let (source, destination) = (link.source, link.destination)
    guard source.isInSameStore(as: destination) else {
      if link.table.relationship.leadsAcrossStores,
        let key = foreign.key(of: destination, from: source)
      {
        let change = LinkChange(
          table: link.table, source: source.key, destination: key, kind: link.kind)
        return try part(for: source).changes.links.append(change)
      }
      // A link that cannot exist need not be removed.
      if case .unlink = link.kind { return }
      violations.append(
        CommitRequest.violation(
          source: source, destination: destination, relationship: link.table.relationship))
      return
    }
    let change = LinkChange(
      table: link.table, source: source.key, destination: destination.key, kind: link.kind)
    try part(for: source).changes.links.append(change)
  }

  /// Also removes links of symmetric relationships from the stores of their other ends: they were written there if
  /// the order of the stores' UUIDs was different before one of them was moved.
  private mutating func unlinkOtherSides(of links: [LinkRecord]) throws {
    var sides: [String: (store: AttachedStore, links: [LinkRecord])] = [:]
    for link in links where link.table.isSymmetric && link.table.relationship.leadsAcrossStores {
      guard case .unlink = link.kind else { continue }
      let link = link.normalized
      guard !link.source.isInSameStore(as: link.destination),
        let store = link.destination.storeIdentity.flatMap(list.store), !store.isReadOnly
      else { continue }
      sides[store.identity.identifier, default: (store, [])].links.append(link)
    }
    for (store, links) in sides.values {
      let keys = try store.knownKeys(ofDestinations: links.map(\.source))
      for case let (link, key?) in zip(links, keys) {
        part(of: store).changes.links.append(
          LinkChange(
            table: link.table, source: link.destination.key, destination: key, kind: .unlink))
      }
    }
  }

  /// Notes changed relationships without a row change for the history, but only in stores that the save writes
  /// anyway.
  private func add(_ change: RelationshipChange) {
    guard let identity = change.id.storeIdentity, let store = list.store(identity),
      store.keepsHistory, let part = parts.first(where: { $0.store === store })
    else { return }
    var notes = part.changes.notes ?? HistoryNotes(time: 0)
    notes.relationships[change.id.key] = change.names
    part.changes.notes = notes
  }

  private func add(_ reverted: [Int64], ofStore identifier: String) {
    let part = parts.first {
      $0.store.identity.identifier == identifier && $0.store.store.metadata.keepsPreviousValues
    }
    guard let part else { return }
    var notes = part.changes.notes ?? HistoryNotes(time: 0)
    notes.reverted = reverted
    part.changes.notes = notes
  }

  private func add(_ undoGroup: UUID) {
    for part in parts where part.store.store.metadata.keepsPreviousValues {
      var notes = part.changes.notes ?? HistoryNotes(time: 0)
      notes.undoGroup = undoGroup
      part.changes.notes = notes
    }
  }

  private mutating func part(for id: ObjectID) throws -> Part {
    guard let identity = id.storeIdentity else {
      throw PersistenceError(
        .invalidRequest, "An object without a permanent ID cannot be written.",
        entityName: id.entity.name, objectIDs: [id])
    }
    if let lastPart, identity === lastIdentity { return lastPart }
    guard let store = list.store(identity) else {
      throw PersistenceError(
        .storeRemoved, "The object's store is not attached to the coordinator.",
        entityName: id.entity.name, objectIDs: [id], store: identity.identifier)
    }
    let part = part(of: store)
    (lastIdentity, lastPart) = (identity, part)
    return part
  }

  private mutating func part(of store: AttachedStore) -> Part {
    if let known = parts.first(where: { $0.store === store }) { return known }
    let part = Part(store: store, changes: StoreChangeSet(origin: origin))
    parts.append(part)
    return part
  }

  /// Adds pending metadata: those of the written stores, or of all stores when nothing else is written (B244, B323).
  mutating func addPendingMetadata() {
    if parts.isEmpty {
      for store in list.stores where store.hasPendingMetadata { _ = part(of: store) }
    }
    for part in parts { part.takeMetadata() }
  }

  /// Adds the metadata values that belong to this save to the part of a store.
  private mutating func add(_ values: UserValueChanges, ofStore identifier: String) throws {
    guard let store = list.stores.first(where: { $0.identity.identifier == identifier }) else {
      throw PersistenceError(
        .storeRemoved, "The store whose metadata are saved is not attached to the coordinator.",
        store: identifier)
    }
    part(of: store).userValues = values
  }

  /// Sorts the parts: durable stores before in-memory stores, because commits that can fail for reasons outside of
  /// the process should come first. Stores that only receive metadata values come last, since the values describe
  /// what the others have written.
  private mutating func sortParts() {
    guard parts.count > 1 else { return }
    let onlyTold = Set(
      parts.filter { !$0.userValues.isEmpty && $0.changes.isEmpty }.map { ObjectIdentifier($0) })
    parts.sort { left, right in
      let isLeftTold = onlyTold.contains(ObjectIdentifier(left))
      if isLeftTold != onlyTold.contains(ObjectIdentifier(right)) { return !isLeftTold }
      let (isLeftDurable, isRightDurable) = (left.store.isDurable, right.store.isDurable)
      if isLeftDurable != isRightDurable { return isLeftDurable }
      return left.store.order < right.store.order
    }
  }

  private static func refuse(_ violations: [PersistenceError]) throws {
    guard let first = violations.first else { return }
    guard violations.count > 1 else { throw first }
    throw PersistenceError(
      .externalRelationship, "\(violations.count) relationships lead to other stores.",
      entityName: first.entityName, key: first.key, objectIDs: violations.flatMap(\.objectIDs),
      underlyingErrors: violations)
  }
}
