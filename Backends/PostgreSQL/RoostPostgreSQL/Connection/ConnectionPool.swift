// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The connections of one open store: never more than a limit, each used by one caller at a time. Waiting callers are
/// served in order of arrival.
final class ConnectionPool: @unchecked Sendable {
  // Sendable: the mutable state is used under `lock`; a connection belongs to the one caller that took it.

  let settings: PostgreSQLSettings
  /// The time-out for a silent server, and for a caller that waits for a connection, in seconds.
  let timeout: Double
  let isReadOnly: Bool
  private let limit: Int
  private let process: Int
  private let lock = NSCondition()
  private var idle: [PostgreSQLConnection] = []
  /// The number of connections in use or being opened.
  private var busy = 0
  private var waiting: [Waiter] = []
  private var generation = 0
  private var isClosed = false
  /// Whether an undeclared pooler was found that did not share sessions; later connections skip the comparison.
  private var hasComparedSessions = false
  /// The statements that every new connection runs first.
  private var greeting: @Sendable (PostgreSQLConnection) -> [PostgreSQLCommand] = { _ in [] }

  /// A waiting caller. It is woken with a connection, or with permission to open one.
  private final class Waiter: @unchecked Sendable {
    // Sendable: the grant is written and read under the pool's lock.
    let isServed = DispatchSemaphore(value: 0)
    var grant: Grant?
  }

  private enum Grant {
    case connection(PostgreSQLConnection)
    case permission
    case closed
  }

  /// - Parameter process: The process that uses the pool; a forked child must not use it.
  init(
    _ settings: PostgreSQLSettings, timeout: Double, limit: Int, isReadOnly: Bool,
    process: Int = ProcessGeneration.current
  ) {
    self.process = process
    self.settings = settings
    self.timeout = timeout
    self.limit = max(limit, 1)
    self.isReadOnly = isReadOnly
  }

  deinit {
    close()
  }

  /// Sets the statements that connections opened from now on run first.
  func setGreeting(_ commands: @escaping @Sendable (PostgreSQLConnection) -> [PostgreSQLCommand]) {
    lock.withLock { greeting = commands }
  }

  private var currentGreeting: @Sendable (PostgreSQLConnection) -> [PostgreSQLCommand] {
    lock.lock()
    defer { lock.unlock() }
    return greeting
  }

  /// Closes all connections, after waiting for the callers that use them.
  func close() {
    lock.lock()
    isClosed = true
    for waiter in waiting { wake(waiter, with: .closed) }
    waiting = []
    while busy > 0 { lock.wait() }
    let connections = idle
    idle = []
    lock.unlock()
    _ = connections
  }

  /// Drops the idle connections, and those in use when they are given back: their server has gone.
  func invalidate() {
    lock.lock()
    generation += 1
    let old = idle
    idle = []
    lock.unlock()
    _ = old
  }

  /// The usage of the connections.
  var connections: StoreConnections {
    lock.withLock {
      StoreConnections(limit: limit, inUse: busy, idle: idle.count, waiting: waiting.count)
    }
  }
}

// MARK: - Taking and giving back

extension ConnectionPool {
  /// Runs `body` with a connection.
  ///
  /// - Parameters:
  ///   - cancellation: Ends the wait for a connection, and for the server.
  ///   - deadline: The deadline for getting a connection; by default the pool's time-out from now on.
  /// - Throws: `storeBusy` when all connections were in use until then, `storeRemoved`, `userCancelled`, or an error
  ///   of opening.
  func withConnection<Result>(
    _ cancellation: RequestCancellation? = nil, deadline: Deadline? = nil,
    _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    let connection = try take(deadline ?? Deadline(after: timeout), cancellation)
    defer { giveBack(connection) }
    guard let cancellation else { return try body(connection) }
    return try connection.asking(for: cancellation) { try body(connection) }
  }

  /// Runs a short query even when all connections are in use or callers wait for one: with an idle connection, or
  /// with an additional one that is closed afterwards.
  ///
  /// - Parameter seconds: The time-out for a silent server, and for connecting.
  /// - Throws: The errors of opening, and those of `body`.
  func withSpareConnection<Result>(
    within seconds: Double, _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    let deadline = Deadline(after: seconds)
    guard let connection = idleConnection() else {
      return try body(
        PostgreSQLConnection.open(settings, timeout: seconds, deadline: deadline, isReadOnly: true))
    }
    defer {
      connection.haste = nil
      giveBack(connection)
    }
    connection.haste = seconds
    return try body(connection)
  }

  /// Takes an idle connection if no caller waits for one; it counts as busy from then on. Nil if there is none.
  private func idleConnection() -> PostgreSQLConnection? {
    let found: PostgreSQLConnection? = lock.withLock {
      guard !isClosed, waiting.isEmpty, let connection = idle.popLast() else { return nil }
      busy += 1
      return connection
    }
    guard let found, !found.isAlive else { return found }
    release(nil)
    return nil
  }

  /// Runs `body` with the first connection of the pool, and with the outcome of statements that were sent together
  /// with the settings of its session.
  ///
  /// - Throws: The errors of opening, and those of `body`.
  func withFirstConnection<Result>(
    running commands: (PostgreSQLConnection) -> [PostgreSQLCommand],
    _ body: (PostgreSQLConnection, PipelineOutcome) throws -> Result
  ) throws -> Result {
    guard case .permission = try grant(Deadline(after: timeout), nil) else {
      preconditionFailure("A pool is not used before its first connection.")
    }
    let (connection, outcome) = try make(Deadline(after: timeout), running: commands)
    defer { giveBack(connection) }
    return try body(connection, outcome)
  }

  private func take(
    _ deadline: Deadline, _ cancellation: RequestCancellation?
  ) throws -> PostgreSQLConnection {
    guard ProcessGeneration.current == process else {
      throw PersistenceError(
        .persistentStoreOperation, "A store that was opened before a fork cannot be used after it.")
    }
    switch try grant(deadline, cancellation) {
    case .connection(let connection) where connection.isAlive: return connection
    case .connection:
      // The server was restarted, or has ended the session; the other idle connections are checked when they are
      // taken.
      return try make(deadline, cancellation)
    case .permission: return try make(deadline, cancellation)
    case .closed: throw Self.closed
    }
  }

  /// Waits for a connection, or for permission to open one; either counts as busy from then on.
  private func grant(
    _ deadline: Deadline, _ cancellation: RequestCancellation?
  ) throws -> Grant {
    lock.lock()
    if isClosed {
      lock.unlock()
      return .closed
    }
    if waiting.isEmpty {
      if let connection = idle.popLast() {
        busy += 1
        lock.unlock()
        return .connection(connection)
      }
      if busy < limit {
        busy += 1
        lock.unlock()
        return .permission
      }
    }
    let waiter = Waiter()
    waiting.append(waiter)
    lock.unlock()
    let isServed = waiter.isServed
    _ = try? cancellation.interrupting({ isServed.signal() }) {
      isServed.wait(timeout: .now() + deadline.remaining)
    }
    lock.lock()
    defer { lock.unlock() }
    if let grant = waiter.grant { return grant }
    waiting.removeAll { $0 === waiter }
    try cancellation.check()
    throw PersistenceError(.storeBusy, "All connections were busy until the time was over.")
  }

  private func make(
    _ deadline: Deadline, _ cancellation: RequestCancellation?
  ) throws -> PostgreSQLConnection {
    let (connection, outcome) = try make(deadline, cancellation, running: currentGreeting)
    if let failure = outcome.failure {
      release(nil)
      throw failure.error
    }
    return connection
  }

  private func make(
    _ deadline: Deadline, _ cancellation: RequestCancellation? = nil,
    running commands: (PostgreSQLConnection) -> [PostgreSQLCommand]
  ) throws -> (PostgreSQLConnection, PipelineOutcome) {
    do {
      let generation = lock.withLock { self.generation }
      let (connection, outcome) = try PostgreSQLConnection.open(
        settings, timeout: timeout, deadline: deadline, cancellation, isReadOnly: isReadOnly,
        comparesSessions: lock.withLock { !hasComparedSessions }, running: commands)
      if connection.sessionCheck != nil { lock.withLock { hasComparedSessions = true } }
      connection.generation = generation
      return (connection, outcome)
    } catch {
      release(nil)
      throw error
    }
  }

  private func giveBack(_ connection: PostgreSQLConnection) {
    if !connection.isBroken, connection.isInTransaction { try? connection.rollBack() }
    release(connection.isBroken || connection.isInTransaction ? nil : connection)
  }

  /// Passes a connection, or permission to open another one, to the caller that has waited longest.
  private func release(_ connection: PostgreSQLConnection?) {
    lock.lock()
    defer { lock.unlock() }
    var connection = connection
    if isClosed || connection?.generation != generation { connection = nil }
    if waiting.isEmpty || isClosed {
      busy -= 1
      if let connection { idle.append(connection) }
      lock.broadcast()
    } else {
      wake(waiting.removeFirst(), with: connection.map(Grant.connection) ?? .permission)
    }
  }

  private func wake(_ waiter: Waiter, with grant: Grant) {
    waiter.grant = grant
    waiter.isServed.signal()
  }

  private static let closed = PersistenceError(
    .storeRemoved, "The store was closed or removed from its coordinator.")
}
