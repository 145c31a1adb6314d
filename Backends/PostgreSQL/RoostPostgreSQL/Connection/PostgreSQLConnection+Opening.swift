// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel
import RoostStore

extension PostgreSQLConnection {
  /// The oldest server whose SQL this backend speaks.
  private static let oldestServer: Int32 = 130_000

  /// Connects, and makes the session independent of how the server, the database and the user are configured.
  ///
  /// - Parameters:
  ///   - settings: The server.
  ///   - timeout: How long the server may be silent afterwards, in seconds.
  ///   - deadline: When the connection has to be there.
  ///   - isReadOnly: Whether the session may write.
  /// - Throws: `persistentStoreOpen`, `persistentStoreTimeout`; the message is libpq's, without the password.
  static func open(
    _ settings: PostgreSQLSettings, timeout: Double, deadline: Deadline, isReadOnly: Bool
  ) throws -> PostgreSQLConnection {
    try open(
      settings, timeout: timeout, deadline: deadline, isReadOnly: isReadOnly, running: []
    ).0
  }

  /// Connects like ``open(_:timeout:deadline:isReadOnly:)``, and runs statements in the session, all in one round trip
  /// after the server has let the user in.
  static func open(
    _ settings: PostgreSQLSettings, timeout: Double, deadline: Deadline, isReadOnly: Bool,
    running commands: [PostgreSQLCommand]
  ) throws -> (PostgreSQLConnection, PipelineOutcome) {
    let settings = settings.completed(by: .current)
    try settings.check()
    let connection = try connect(
      settings, addresses: try addresses(of: settings, deadline), timeout: timeout,
      deadline: deadline)
    let outcome = try connection.configure(settings, isReadOnly: isReadOnly, then: commands)
    return (connection, outcome)
  }

  /// What a host's name means; nothing where there is no name to be looked up.
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
      throw PersistenceError(.persistentStoreOpen, "The server's host is not known.")
    }
    return found
  }

  /// Connects to the first address that answers. Each has its share of the time, so that one from which nothing comes
  /// back does not use up that of the others.
  static func connect(
    _ settings: PostgreSQLSettings, addresses: [String], timeout: Double, deadline: Deadline
  ) throws -> PostgreSQLConnection {
    var rest = addresses[...]
    while true {
      let share = deadline.limited(toSeconds: deadline.remaining / Double(max(rest.count, 1)))
      let keywords = settings.keywords(address: rest.popFirst(), silence: timeout)
      guard let handle = start(keywords) else {
        throw PersistenceError(.persistentStoreOpen, "libpq ran out of memory.")
      }
      let connection = PostgreSQLConnection(handle: handle, timeout: timeout)
      // Whatever the server remarks is of no interest, and not for the program's output.
      PQsetNoticeReceiver(handle, { _, _ in }, nil)
      var isReached = false
      do {
        try connection.finishConnecting(settings, share, isReached: &isReached)
        return connection
      } catch let error as PersistenceError
        where !rest.isEmpty && (!isReached || error.code == .persistentStoreTimeout)
      {
        // What a server has refused, as a password, the next one is not asked.
        continue
      }
    }
  }

  private static func start(_ keywords: [(keyword: String, value: String)]) -> OpaquePointer? {
    let names = keywords.map { strdup($0.keyword) }
    let values = keywords.map { strdup($0.value) }
    defer { for text in names + values { free(text) } }
    let namePointers = names.map { UnsafePointer($0) } + [nil]
    let valuePointers = values.map { UnsafePointer($0) } + [nil]
    return PQconnectStartParams(namePointers, valuePointers, 0)
  }

  /// - Parameter isReached: Becomes true when somebody has accepted the connection.
  private func finishConnecting(
    _ settings: PostgreSQLSettings, _ deadline: Deadline, isReached: inout Bool
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
        return
      case PGRES_POLLING_READING, PGRES_POLLING_WRITING:
        let isWriting = next == PGRES_POLLING_WRITING
        guard
          SocketWait.wait(
            PQsocket(handle), forWriting: isWriting, alsoReading: !isWriting,
            seconds: deadline.remaining)
        else { throw Self.timeoutError("the server did not answer while connecting") }
        next = PQconnectPoll(handle)
      default: throw refusal(settings)
      }
    }
  }

  private static func timeoutError(_ reason: String) -> PersistenceError {
    PersistenceError(.persistentStoreTimeout, "No connection to the server: \(reason).")
  }

  private func refusal(_ settings: PostgreSQLSettings) -> PersistenceError {
    let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    let message = text.split(separator: "\n").joined(separator: " ")
    let shown = settings.password?.redacting(message) ?? message
    return PersistenceError(
      .persistentStoreOpen, "No connection to the server: \(shown)")
  }
}

// MARK: - The session

extension PostgreSQLConnection {
  /// How long the server may wait for a lock, in milliseconds: its refusal has to arrive before it counts as silent.
  static func lockTimeout(within seconds: Double) -> Int {
    max(1, Int(min(seconds * 800, 2_000_000_000)))
  }

  /// Sets what statements and results depend on, and what durability and deadlines rest on.
  private func configure(
    _ settings: PostgreSQLSettings, isReadOnly: Bool, then commands: [PostgreSQLCommand]
  ) throws -> PipelineOutcome {
    guard PQserverVersion(handle) >= Self.oldestServer else {
      throw PersistenceError(.persistentStoreOpen, "Roost needs PostgreSQL 13 or newer.")
    }
    // The server has said it while it let the user in.
    guard PQparameterStatus(handle, "server_encoding").map({ String(cString: $0) }) == "UTF8" else {
      throw PersistenceError(.persistentStoreOpen, "The database's encoding must be UTF8.")
    }
    let name = settings.schema.replacing("\"", with: "\"\"")
    // The system's own schema comes first by itself, so that nobody can put functions of their own before it; that
    // of temporary objects comes last.
    var values = [
      ("search_path", "\"\(name)\", pg_temp"),
      ("default_transaction_isolation", "read committed"),
      ("default_transaction_read_only", isReadOnly ? "on" : "off"),
      ("standard_conforming_strings", "on"),
      ("client_min_messages", "error"),
      ("statement_timeout", "0"),
      ("lock_timeout", String(Self.lockTimeout(within: timeout))),
      ("idle_in_transaction_session_timeout", "0"),
      // Compiling a statement to machine code pays off for minutes, not for milliseconds.
      ("jit", "off"),
    ]
    if PQserverVersion(handle) >= 140_000 {
      values.append(("idle_session_timeout", "0"))
      #if os(Linux)
      // A server that works for a client that has gone stops.
      values.append(("client_connection_check_interval", "10000"))
      #endif
    }
    var parameters = Parameters()
    var calls: [String] = []
    for (name, value) in values {
      parameters.append(value)
      calls.append("set_config('\(name)', $\(parameters.count), false)")
    }
    // A commit that is acknowledged before it is on the disk is none.
    calls.append(
      """
      CASE current_setting('synchronous_commit') WHEN 'off' \
      THEN set_config('synchronous_commit', 'on', false) END
      """)
    let session = PostgreSQLCommand(
      "SELECT " + calls.joined(separator: ", "), parameters, isKept: false)
    // What fails of the rest must not take the settings with it.
    let (settled, outcome) = try run([session], then: commands)
    _ = try settled.get()
    return outcome
  }
}
