// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import RoostSQL
package import RoostStore

/// A store in a SQLite file.
///
/// Created by `PersistentStoreType.sqlite`. The write-ahead log is synchronised at every commit, so an acknowledged
/// save survives a power failure.
package final class SQLiteStore: PersistentStore {
  package let identity: StoreIdentity
  package let description: PersistentStoreDescription
  let pool: ConnectionPool
  /// The cancellation of its requests; nil if they cannot be cancelled.
  let cancellation: RequestCancellation?
  /// The queue of saves for group commit.
  let saves: WriteQueue<QueuedSave>
  private let state: CommonState<State>

  private struct State {
    var metadata: StoreMetadata
    /// The state of the file when the store was opened.
    var opened: OpenedState
    var prepared: PreparedSchema?
    var sequences = SequenceBlocks()

    /// A copy for a snapshot of the store, which reserves no sequence numbers.
    var withoutSequences: State {
      State(metadata: metadata, opened: opened, prepared: prepared)
    }
  }

  init(
    _ description: PersistentStoreDescription, pool: ConnectionPool, metadata: StoreMetadata,
    opened: OpenedState
  ) {
    self.description = description
    self.pool = pool
    identity = StoreIdentity(identifier: metadata.identifier, type: metadata.storeType)
    cancellation = nil
    saves = WriteQueue()
    state = CommonState(State(metadata: metadata, opened: opened))
    pool.expect(opened.format)
  }

  /// Creates a snapshot of a store.
  private init(_ original: SQLiteStore, frozen pool: ConnectionPool) {
    description = original.description
    self.pool = pool
    identity = original.identity
    cancellation = nil
    saves = WriteQueue()
    state = CommonState(original.state.withLock { $0.withoutSequences })
  }

  /// Creates a handle of the same store for cancellable requests.
  private init(_ store: SQLiteStore, _ cancellation: RequestCancellation) {
    description = store.description
    pool = store.pool
    identity = store.identity
    saves = store.saves
    state = store.state
    self.cancellation = cancellation
  }

  package func cancellable(by cancellation: RequestCancellation) -> any PersistentStore {
    SQLiteStore(self, cancellation)
  }

  package var metadata: StoreMetadata { state.withLock { $0.metadata } }

  package var isReadOnly: Bool { description.isReadOnly }

  package var connections: StoreConnections? { pool.location == .memory ? nil : pool.connections }

  package func close() {
    pool.close()
  }

  /// Returns the schema of the prepared store.
  ///
  /// - Throws: `persistentStoreOperation` before the store was prepared.
  func prepared() throws -> PreparedSchema {
    guard let prepared = state.withLock({ $0.prepared }) else {
      throw PersistenceError(
        .persistentStoreOperation, "A store must be prepared for a model before it is used.",
        store: identity.identifier)
    }
    return prepared
  }

  /// Remembers the stored metadata.
  ///
  /// - Parameter change: Returns them from the ones known so far; nil if these stay.
  func setMetadata(_ change: (StoreMetadata) -> StoreMetadata?) {
    state.withLock { $0.metadata = change($0.metadata) ?? $0.metadata }
  }

  /// The state of the file when the store was opened, or when it was last migrated.
  var opened: OpenedState { state.withLock { $0.opened } }

  /// Sets the state after a migration; the store has to be prepared again.
  func setEvolved(_ opened: OpenedState, metadata: StoreMetadata) {
    state.withLock { state in
      state.prepared = nil
      state.metadata = metadata
      state.opened = opened
    }
    pool.expect(opened.format)
  }

  /// Sets the schema, and the metadata unless they stay.
  func setPrepared(_ prepared: PreparedSchema, metadata: StoreMetadata?) {
    state.withLock { state in
      state.prepared = prepared
      state.metadata = metadata ?? state.metadata
    }
  }

  func withSequences<Result>(_ body: (inout SequenceBlocks) throws -> Result) rethrows -> Result {
    try state.withLock { try body(&$0.sequences) }
  }

  /// Runs `body` and maps the engine's errors to `PersistenceError`.
  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    try translatingErrors(store: identity.identifier) {
      do {
        return try body()
      } catch let error as SQLiteError
        where error.canMeanCancellation && cancellation?.isCancelled == true
      {
        throw RequestCancellation.error
      }
    }
  }

  /// Counts a statement and passes it to the log's listener.
  func log(_ text: @autoclosure () -> String) {
    description.log?.statement(text())
  }
}

extension SQLiteStore: StoreSnapshots {
  package var snapshots: (any StoreSnapshots)? { pool.location == .memory ? nil : self }

  package func takeSnapshot() throws -> any PersistentStore {
    try translating {
      guard let frozen = try pool.frozen() else {
        throw PersistenceError(
          .persistentStoreOperation, "A database in memory cannot show a snapshot.")
      }
      return SQLiteStore(self, frozen: frozen)
    }
  }
}

extension SQLiteStore: StoreChangeMarks {
  /// Nil for an in-memory database, which no other connection can write.
  package var changeMarks: (any StoreChangeMarks)? { pool.location == .memory ? nil : self }

  /// SQLite writes frames to the WAL before the WAL index shows them. Only the WAL may be opened for watching:
  /// closing a descriptor of the database file would drop SQLite's POSIX locks.
  package var changeHints: (any StoreChangeHints)? {
    pool.location.path.map { path in
      FileHints(
        of: path, suffixes: ["", "-wal", "-journal"], openable: ["-wal"], hint: .beingWritten)
    }
  }

  package func changeMark() throws -> String {
    try translating { try pool.changeMark() }
  }
}
