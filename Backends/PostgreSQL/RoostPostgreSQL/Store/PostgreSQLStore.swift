// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import RoostSQL
package import RoostStore

/// A store in a schema of a PostgreSQL database.
///
/// Made by `PersistentStoreType.postgresql`. A commit is acknowledged after the server's log is on the disk, so an
/// acknowledged save survives the loss of power.
package final class PostgreSQLStore: PersistentStore {
  package let identity: StoreIdentity
  package let description: PersistentStoreDescription
  let pool: ConnectionPool
  /// Who can cancel its requests; nil when nobody can.
  let cancellation: RequestCancellation?
  /// What says that the store is used; nil where its sessions do.
  let lease: StoreLease?
  /// How programs that have the store open tell each other of their saves; nil where sessions are shared.
  let hints: HintLine?
  /// What it remembers of saves over several stores.
  let preparing: PreparedSaves
  private let state: CommonState<State>

  private struct State {
    var metadata: StoreMetadata
    /// What was read when the store was opened.
    var opened: OpenedState
    var prepared: PreparedSchema?
    var sequences = SequenceBlocks()
    /// What was read when the store was opened, until it is prepared.
    var reading: StoreReading?
    /// The texts of the requests without parameters that found many records the last time.
    var findMany: Set<String> = []
    /// The marks of saves of which nobody knows how they ended.
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

  /// What stands for a store in requests that can be cancelled.
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

  /// A snapshot would hold a connection and its transaction for as long as it is read.
  package var snapshots: (any StoreSnapshots)? { nil }

  package func close() {
    hints?.close()
    lease?.end()
    pool.close()
  }

  /// What the store knows of its model.
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

  func setMetadata(_ metadata: StoreMetadata) {
    state.withLock { $0.metadata = metadata }
  }

  func setPrepared(_ prepared: PreparedSchema, metadata: StoreMetadata) {
    state.withLock { state in
      state.prepared = prepared
      state.metadata = metadata
    }
  }

  /// What the store was when it was opened, or when it was brought to another version since.
  var opened: OpenedState { state.withLock { $0.opened } }

  /// Takes note of the version to which the store was brought.
  func setEvolved(_ opened: OpenedState, metadata: StoreMetadata) {
    state.withLock { state in
      state.prepared = nil
      state.reading = nil
      state.metadata = metadata
      state.opened = opened
    }
  }

  /// What was read of the store: when it was opened, which was just now when it is asked for first; anew later.
  func takeReading() throws -> StoreReading {
    let opened = state.withLock { state in
      defer { state.reading = nil }
      return state.reading
    }
    if let opened { return opened }
    return try withConnection { connection in
      var reading = try StoreReading(connection.run(StoreReading.commands(connection)))
      // As long as the store serves both versions, its names are those of the other one.
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

  /// The metadata of the other version, where the second one is used; nil where the store is used as one version.
  var oldVersion: StoreMetadata? { state.withLock { $0.oldVersion } }

  /// Uses the second version from now on.
  ///
  /// - Parameter number: The one by which the store knows the version.
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

  /// Whether a request without parameters has found many records the last time.
  func findsMany(_ text: String) -> Bool { state.withLock { $0.findMany.contains(text) } }

  func setFindsMany(_ text: String, _ isMany: Bool) {
    state.withLock { state in
      guard isMany else {
        state.findMany.remove(text)
        return
      }
      // Such requests are few as a rule; those of a program that makes ever new ones must not pile up.
      if state.findMany.count >= 256 { state.findMany.removeAll() }
      state.findMany.insert(text)
    }
  }

  /// The marks of saves whose end is not known.
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

  /// Counts a statement and shows it to the log's listener.
  func log(_ text: @autoclosure () -> String) {
    description.log?.statement(text())
  }
}

// MARK: - Connections

extension PostgreSQLStore {
  /// Runs `body`, which writes nothing or what may be written twice, with a connection. It runs once more when the
  /// connection turns out to be dead, or when what the connection has prepared no longer fits the tables.
  func withConnection<Result>(_ body: (PostgreSQLConnection) throws -> Result) throws -> Result {
    do {
      return try attempt(body)
    } catch let error as PostgreSQLError where error.kind == .lost {
      // The server has gone, and with it the other connections.
      pool.invalidate()
      return try attempt(body)
    } catch let error as PostgreSQLError where error.isOutdatedStatement {
      return try attempt(body)
    }
  }

  /// Runs `body`, which only reads, with a connection. In a session that is shared it takes the session as it is, and
  /// runs once more with settings of its own when a limit of time that another client has left there ended it.
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

  /// Each save writes the number of its transaction, so what the numbers are is another thing after every save.
  package func changeMark() throws -> String {
    try translating {
      try withReading { connection in
        try connection.run(connection.namespace.readingChangeMark).text() ?? ""
      }
    }
  }
}
