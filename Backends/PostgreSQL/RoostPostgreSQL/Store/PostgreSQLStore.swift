// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import RoostSQL
package import RoostStore

/// A store in a schema of a PostgreSQL database.
///
/// Created by `PersistentStoreType.postgresql`. A commit is acknowledged after the server has flushed its WAL, so an
/// acknowledged save survives a power failure.
package final class PostgreSQLStore: PersistentStore {
  package let identity: StoreIdentity
  package let description: PersistentStoreDescription
  let pool: ConnectionPool
  /// The cancellation of its requests; nil if they cannot be cancelled.
  let cancellation: RequestCancellation?
  /// The lease that shows that the store is open; nil where locks of its sessions do.
  let lease: StoreLease?
  /// Notifications of saves between programs that have the store open (LISTEN and NOTIFY); nil where sessions are
  /// shared.
  let hints: HintLine?
  /// The state of saves over several stores.
  let preparing: PreparedSaves
  private let state: CommonState<State>

  private struct State {
    var metadata: StoreMetadata
    /// The state of the store when it was opened.
    var opened: OpenedState
    var prepared: PreparedSchema?
    var sequences = SequenceBlocks()
    /// The information read when the store was opened; nil once it was used.
    var reading: StoreReading?
    /// The texts of the requests without parameters that returned many records the last time.
    var findMany: Set<String> = []
    /// The tokens of saves with an unknown commit outcome.
    var unresolved: [CommitToken] = []
    /// The second version of the store, as it was when the store was opened; nil for none.
    var second: SecondVersionRecord?
    /// The metadata of the other version, once the second one is used.
    var oldVersion: StoreMetadata?
  }

  init(
    _ description: PersistentStoreDescription, pool: ConnectionPool, lease: StoreLease?,
    metadata: StoreMetadata, reading: StoreReading, second: SecondVersionRecord? = nil
  ) {
    self.lease = lease
    self.description = description
    self.pool = pool
    hints = pool.settings.pooler == .none ? HintLine(pool, description) : nil
    identity = StoreIdentity(identifier: metadata.identifier, type: metadata.storeType)
    preparing = PreparedSaves()
    cancellation = nil
    state = CommonState(
      State(
        metadata: metadata, opened: reading.opened, reading: reading, second: second))
  }

  /// Creates a handle of the same store for cancellable requests.
  private init(_ store: PostgreSQLStore, _ cancellation: RequestCancellation) {
    lease = store.lease
    description = store.description
    pool = store.pool
    hints = store.hints
    preparing = store.preparing
    identity = store.identity
    state = store.state
    self.cancellation = cancellation
  }

  package func cancellable(by cancellation: RequestCancellation) -> any PersistentStore {
    PostgreSQLStore(self, cancellation)
  }

  package var metadata: StoreMetadata { state.withLock { $0.metadata } }

  package var isReadOnly: Bool { description.isReadOnly }

  package var connections: StoreConnections? { pool.connections }

  /// Nil: a snapshot would occupy a connection with an open transaction for as long as it is read.
  package var snapshots: (any StoreSnapshots)? { nil }

  package func close() {
    hints?.close()
    lease?.end()
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

  /// Sets the schema, and the metadata unless they stay.
  func setPrepared(_ prepared: PreparedSchema, metadata: StoreMetadata?) {
    state.withLock { state in
      state.prepared = prepared
      state.metadata = metadata ?? state.metadata
    }
  }

  /// The state of the store when it was opened, or when it was last migrated.
  var opened: OpenedState { state.withLock { $0.opened } }

  /// Sets the state after a migration; the store has to be prepared again.
  func setEvolved(_ opened: OpenedState, metadata: StoreMetadata) {
    state.withLock { state in
      state.prepared = nil
      state.reading = nil
      state.metadata = metadata
      state.opened = opened
    }
  }

  /// Returns the information read when the store was opened, for the first call after opening; reads it again for
  /// later calls.
  func takeReading() throws -> StoreReading {
    let opened = state.withLock { state in
      defer { state.reading = nil }
      return state.reading
    }
    if let opened { return opened }
    return try withConnection { connection in
      var reading = try StoreReading(connection.run(StoreReading.commands(connection)))
      // While the store serves two versions, its own names are those of the other version.
      if oldVersion != nil, reading.opened.format == self.opened.format,
        let second = try connection.namespace.secondVersion(connection, reading)
      {
        reading.names = second.names
      }
      return reading
    }
  }

  /// The second version of the store, as it was when the store was opened.
  var second: SecondVersionRecord? { state.withLock { $0.second } }

  /// The metadata of the other version when the second one is used; nil otherwise.
  var oldVersion: StoreMetadata? { state.withLock { $0.oldVersion } }

  /// Switches to the second version.
  ///
  /// - Parameter number: The number of the version in the store.
  func setAdopted(_ second: SecondVersionRecord, number: Int64) {
    state.withLock { state in
      guard state.oldVersion == nil else { return }
      var metadata = second.metadata
      metadata.userValues = state.metadata.userValues
      state.oldVersion = state.metadata
      state.metadata = metadata
      state.prepared = nil
      state.reading?.names = second.names
      state.opened.later = state.opened.format.next
      state.opened.second = number
    }
  }

  func withSequences<Result>(_ body: (inout SequenceBlocks) throws -> Result) rethrows -> Result {
    try state.withLock { try body(&$0.sequences) }
  }

  /// Whether a request without parameters returned many records the last time.
  func findsMany(_ text: String) -> Bool { state.withLock { $0.findMany.contains(text) } }

  func setFindsMany(_ text: String, _ isMany: Bool) {
    state.withLock { state in
      guard isMany else {
        state.findMany.remove(text)
        return
      }
      // Usually there are few such requests; the bound limits the memory for a program that keeps generating new
      // ones.
      if state.findMany.count >= 256 { state.findMany.removeAll() }
      state.findMany.insert(text)
    }
  }

  /// The tokens of saves with an unknown commit outcome.
  var unresolved: [CommitToken] { state.withLock { $0.unresolved } }

  func addUnresolved(_ mark: CommitToken) {
    state.withLock { $0.unresolved.append(mark) }
  }

  func removeUnresolved(_ mark: CommitToken) {
    state.withLock { state in state.unresolved.removeAll { $0 == mark } }
  }

  /// Runs `body` and maps the engine's errors to `PersistenceError`.
  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    try translatingErrors(store: identity.identifier) { try noticingOtherVersions(body) }
  }

  /// Counts a statement and passes it to the log's listener.
  func log(_ text: @autoclosure () -> String) {
    description.log?.statement(text())
  }
}

// MARK: - Connections

extension PostgreSQLStore {
  /// Runs `body`, which must be read-only or idempotent, with a connection. It is retried once if the connection is
  /// lost, or if a prepared statement no longer fits the tables.
  func withConnection<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    do {
      return try attempt(body)
    } catch let error as PostgreSQLError where error.kind == .lost {
      // The server has gone, and the other connections with it.
      pool.invalidate()
      return try attempt(body)
    } catch let error as PostgreSQLError where error.isOutdatedStatement {
      return try attempt(body)
    }
  }

  /// Runs `body`, which must be read-only, with a connection. A shared session is used without setting it up first;
  /// if a time limit that another client has set there ends the request, it is retried with its own settings.
  func withReading<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    guard pool.settings.pooler != .none else { return try withConnection(body) }
    do {
      return try withConnection { connection in
        connection.isProtected = false
        defer { connection.isProtected = true }
        return try body(connection)
      }
    } catch let error as PostgreSQLError where error.isLimitOfTime {
      return try withConnection(body)
    }
  }

  private func attempt<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    try resolvePending()
    return try pool.withConnection(cancellation) { connection in
      do {
        return try body(connection)
      } catch let error as PostgreSQLError where error.isOutdatedStatement {
        try connection.renewStatements()
        throw error
      }
    }
  }
}

extension PostgreSQLStore: StoreChangeMarks {
  package var changeMarks: (any StoreChangeMarks)? { self }
  package var changeHints: (any StoreChangeHints)? { hints }

  /// Returns a mark that every save changes, because each one writes its transaction number.
  package func changeMark() throws -> String {
    try translating {
      try withReading { connection in
        try connection.run(connection.namespace.readingChangeMark).text() ?? ""
      }
    }
  }
}
