// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Roost

/// A store that records its calls. Failed calls are not recorded: they had no effect.
final class RecordingStore: ForwardingStore, @unchecked Sendable {
  // Sendable: the file writes one line at a time.

  private let file: RecordingFile

  init(_ base: any PersistentStore, file: RecordingFile) {
    self.file = file
    super.init(base)
  }

  override func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try super.prepare(schema, metadata: metadata)
    try file.begin(with: StoreContent(of: base, schema), schema, type: metadata.storeType)
  }

  override func fetch(
    _ request: ResolvedFetch, in context: FetchContext
  ) throws -> StoreFetchResult {
    let (result, time) = try timed { try base.fetch(request, in: context) }
    file.write(time, result.content.count, isWhole: result.remainder == nil) {
      .fetch(try RecordedFetch(request, in: self.identity))
    }
    return result
  }

  override func rows(forKeys keys: [Int64]) throws -> [Row] {
    let (rows, time) = try timed { try base.rows(forKeys: keys) }
    file.write(time, rows.count) { .rows(keys: keys) }
    return rows
  }

  override func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    let (result, time) = try timed {
      try base.destinations(of: relationship, forSources: sources)
    }
    file.write(time, result.keys.count) {
      .destinations(
        entity: relationship.entity?.name ?? "", relationship: relationship.name, sources: sources)
    }
    return result
  }

  override func reserveSequences(_ count: Int) throws -> ClosedRange<Int64> {
    let (range, time) = try timed { try base.reserveSequences(count) }
    file.write(time, 0) { .reserve(first: range.lowerBound, count: count) }
    return range
  }

  override func commit(_ changes: StoreChangeSet) throws -> CommitOutcome {
    let (outcome, time) = try timed { try base.commit(changes) }
    if case .committed = outcome {
      let count = changes.inserted.count + changes.updated.count + changes.deleted.count
      file.write(time, count) { .commit(try RecordedChanges(changes, in: self.identity)) }
    }
    return outcome
  }

  override func close() {
    super.close()
    file.close()
  }

  private func timed<Result>(_ body: () throws -> Result) rethrows -> (Result, Double) {
    let start = ContinuousClock.now
    let result = try body()
    let time = ContinuousClock.now - start
    let (seconds, attoseconds) = time.components
    return (result, Double(seconds) * 1e6 + Double(attoseconds) / 1e12)
  }
}

extension StoreFetchResult.Content {
  /// The number of rows, keys or tuples.
  var count: Int {
    switch self {
    case .rows(let rows): rows.count
    case .keys(let keys): keys.count
    case .count: 1
    case .tuples(let values, let columns): columns == 0 ? 0 : values.count / columns
    }
  }

  /// The approximate number of bytes in a network protocol.
  var byteCount: Int {
    switch self {
    case .rows(let rows): rows.reduce(0) { $0 + $1.byteCount }
    case .keys(let keys): keys.count * 8
    case .count: 8
    case .tuples(let values, _): values.count * 8
    }
  }
}

extension PersistentStoreDescription {
  /// Returns the same store with recording: its content when it is opened, then each fetch and save of the program's
  /// contexts with its duration. `roost-bench --replay` replays the file on any store.
  ///
  /// Recording costs time and space: use it for diagnosis, not in production. The file contains the program's data.
  ///
  /// ```swift
  /// let store = try PersistentStoreDescription.sqlite(at: "hr.sqlite").recorded(to: URL(filePath: "hr.roostrec"))
  /// ```
  ///
  /// - Parameter file: The file, which is replaced.
  /// - Throws: ``RecordingError`` when the file cannot be created. A later write error, such as a full disk, is
  ///   reported on the standard error when the store is closed; the recording ends there, and a replay says so.
  public func recorded(to file: URL) throws -> PersistentStoreDescription {
    recorded(in: try RecordingFile(file))
  }

  /// The same, with a file whose state the caller inspects afterwards.
  package func recorded(in file: RecordingFile) -> PersistentStoreDescription {
    forwarded { RecordingStore($0, file: file) }
  }
}
