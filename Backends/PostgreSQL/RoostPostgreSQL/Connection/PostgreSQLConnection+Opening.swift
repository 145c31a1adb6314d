// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel
import RoostStore

extension PostgreSQLConnection {
  /// The oldest supported server version.
  private static let oldestServer: Int32 = 130_000
  /// The default time-out of one attempt to connect, in seconds.
  private static let attemptLimit = 10.0

  /// Connects, and makes the session independent of the configuration of the server, the database and the user.
  ///
  /// - Parameters:
  ///   - settings: The server.
  ///   - timeout: How long the server may be silent afterwards, in seconds.
  ///   - deadline: When the connection has to be open, however long the server takes to start. A single attempt takes
  ///     no longer than the settings say.
  ///   - isReadOnly: Whether the session may write.
  /// - Throws: `persistentStoreOpen`, `persistentStoreTimeout`; the message is libpq's, without the password.
  static func open(
    _ settings: PostgreSQLSettings, timeout: Double, deadline: Deadline, isReadOnly: Bool
  ) throws -> PostgreSQLConnection {
    try open(
      settings, timeout: timeout, deadline: deadline, isReadOnly: isReadOnly, running: { _ in [] }
    ).0
  }

  /// Connects like ``open(_:timeout:deadline:isReadOnly:)``, and runs statements in the session, all in one round trip
  /// after the authentication.
  static func open(
    _ settings: PostgreSQLSettings, timeout: Double, deadline: Deadline,
    _ cancellation: RequestCancellation? = nil, isReadOnly: Bool, comparesSessions: Bool = true,
    running commands: (PostgreSQLConnection) -> [PostgreSQLCommand]
  ) throws -> (PostgreSQLConnection, PipelineOutcome) {
    let settings = settings.completed(by: .current)
    try settings.check()
    let connection = try StartingServer.waiting(until: deadline, cancellation) {
      try connect(
        settings, timeout: timeout,
        deadline: deadline.limited(toSeconds: settings.connectTimeout ?? attemptLimit), cancellation
      )
    }
    let outcome = try connection.configure(
      settings, isReadOnly: isReadOnly, comparing: comparesSessions ? deadline : nil,
      then: commands)
    connection.isConfigured = true
    return (connection, outcome)
  }

  /// Connects without configuring the session.
  private static func connect(
    _ settings: PostgreSQLSettings, timeout: Double, deadline: Deadline,
    _ cancellation: RequestCancellation? = nil
  ) throws -> PostgreSQLConnection {
    try connect(
      settings, addresses: try addresses(of: settings, deadline), timeout: timeout,
      deadline: deadline, cancellation)
  }

  /// Returns the addresses of a host name; none when there is no name to look up.
  private static func addresses(
    of settings: PostgreSQLSettings, _ deadline: Deadline
  ) throws -> [String] {
    guard !settings.isSocket, settings.hostAddress.isEmpty,
      !PostgreSQLSettings.isAddress(settings.host)
    else { return [] }
    guard let found = HostLookup.addresses(of: settings.host, deadline: deadline) else {
      throw timeoutError("looking up the host took too long")
    }
    guard !found.isEmpty else {
      var error = PersistenceError(.persistentStoreOpen, "The server's host is not known.")
      error.isUnreachable = true
      throw error
    }
    return found
  }

  /// Connects to the first address that answers. Each address has its share of the time, so that one that does not
  /// answer does not use up the time of the others.
  static func connect(
    _ settings: PostgreSQLSettings, addresses: [String], timeout: Double, deadline: Deadline,
    _ cancellation: RequestCancellation? = nil
  ) throws -> PostgreSQLConnection {
    var rest = addresses[...]
    while true {
      let share = deadline.limited(toSeconds: deadline.remaining / Double(max(rest.count, 1)))
      let keywords = settings.keywords(address: rest.popFirst(), silence: timeout)
      guard let handle = start(keywords) else {
        throw PersistenceError(.persistentStoreOpen, "libpq ran out of memory.")
      }
      let connection = PostgreSQLConnection(
        handle: handle, timeout: timeout, settings: settings)
      connection.receiveNotices()
      // With the SQLSTATE, which identifies a refusal in whatever language the server's messages are.
      PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
      var isReached = false
      do {
        try connection.finishConnecting(settings, share, cancellation, isReached: &isReached)
        return connection
      } catch let error as PersistenceError
        where !rest.isEmpty && error.code != .userCancelled
        && (!isReached || error.code == .persistentStoreTimeout)
      {
        // No server was reached, or it was silent. After a refusal, as of the password, no other address is tried.
        continue
      }
    }
  }

  private static func start(_ keywords: [(keyword: String, value: String)]) -> OpaquePointer? {
    let names = keywords.map { strdup($0.keyword) }
    let values = keywords.map { strdup($0.value) }
    defer { for text in names + values { free(text) } }
    // A shorter list would connect to another place.
    guard !(names + values).contains(nil) else { return nil }
    let namePointers = names.map { UnsafePointer($0) } + [nil]
    let valuePointers = values.map { UnsafePointer($0) } + [nil]
    return PQconnectStartParams(namePointers, valuePointers, 0)
  }

  /// - Parameter isReached: Becomes true when a server has accepted the connection.
  private func finishConnecting(
    _ settings: PostgreSQLSettings, _ deadline: Deadline, _ cancellation: RequestCancellation?,
    isReached: inout Bool
  ) throws {
    var next = PGRES_POLLING_WRITING
    while true {
      let status = PQstatus(handle)
      guard status != CONNECTION_BAD else { throw refusal(settings) }
      if status != CONNECTION_STARTED { isReached = true }
      switch next {
      case PGRES_POLLING_OK:
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
          throw refusal(settings)
        }
        PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        backend = PQbackendPID(handle)
        return
      case PGRES_POLLING_READING, PGRES_POLLING_WRITING:
        let isWriting = next == PGRES_POLLING_WRITING
        guard
          try SocketWait.wait(
            PQsocket(handle), forWriting: isWriting, alsoReading: !isWriting,
            seconds: deadline.remaining, cancellation)
        else { throw Self.timeoutError("the server did not answer while connecting") }
        next = PQconnectPoll(handle)
      default: throw refusal(settings)
      }
    }
  }

  private static func timeoutError(_ reason: String) -> PersistenceError {
    PersistenceError(.persistentStoreTimeout, "No connection to the server: \(reason).")
  }

  private func refusal(_ settings: PostgreSQLSettings) -> any Error {
    let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    let refusal = ConnectionRefusal(text)
    let shown = settings.password?.redacting(refusal.message) ?? refusal.message
    var error = PersistenceError(.persistentStoreOpen, "No connection to the server: \(shown)")
    error.isUnreachable = refusal.mayPass
    return refusal.isStarting ? StartingServer(refusal: error) : error
  }
}

// MARK: - The session

extension PostgreSQLConnection {
  /// Makes the session independent of the server's configuration, and runs the first statements.
  ///
  /// Behind an undeclared pooler, this checks whether the pooler shares sessions. In a shared session nothing is set,
  /// because the next client would inherit it.
  private func configure(
    _ settings: PostgreSQLSettings, isReadOnly: Bool, comparing deadline: Deadline?,
    then commands: (PostgreSQLConnection) -> [PostgreSQLCommand]
  ) throws -> PipelineOutcome {
    guard PQserverVersion(handle) >= Self.oldestServer else {
      throw PersistenceError(.persistentStoreOpen, "Roost needs PostgreSQL 13 or newer.")
    }
    // The server has reported it during the login.
    guard PQparameterStatus(handle, "server_encoding").map({ String(cString: $0) }) == "UTF8" else {
      throw PersistenceError(.persistentStoreOpen, "The database's encoding must be UTF8.")
    }
    guard pooler == .none else {
      let first = commands(self)
      return first.isEmpty ? PipelineOutcome(results: []) : try run(first)
    }
    let (isOwn, outcome) = try configureSession(isReadOnly: isReadOnly, then: commands)
    if isOwn { return outcome }
    let isShared = try sharesSessions {
      // Another connection of the same pool has done the comparison already.
      guard let soon = deadline?.limited(toSeconds: 1) else { return nil }
      return try Self.connect(settings, timeout: soon.remaining, deadline: soon)
    }
    guard !isShared else { throw PostgreSQLPooler.undeclared }
    let token = UUID().uuidString
    let (isStill, second) = try configureSession(
      isReadOnly: isReadOnly, token: token, then: commands)
    guard isStill else { throw PostgreSQLPooler.undeclared }
    sessionCheck = SessionCheck(backend: backend, token: token)
    return second
  }

  /// - Returns: Whether the session is the one that the connection knows, and so was configured; and the outcome of
  ///   the statements.
  private func configureSession(
    isReadOnly: Bool, token: String? = nil,
    then commands: (PostgreSQLConnection) -> [PostgreSQLCommand]
  ) throws -> (Bool, PipelineOutcome) {
    let session = SessionSettings.forSession(of: self, isReadOnly: isReadOnly, token: token)
    // In a transaction of its own: an error in the other statements must not undo the settings.
    let (settled, outcome) = try run([session], then: commands(self))
    return (try settled.get()[0].count == 1, outcome)
  }
}
