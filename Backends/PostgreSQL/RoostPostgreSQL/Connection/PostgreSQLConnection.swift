// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel

/// One connection to a server, without a lock of its own: its holder has exclusive use of it.
///
/// libpq never blocks: every call returns at once, and this type waits for the socket, no longer than the server may
/// be silent. Statements are sent together in pipeline mode, which is left only for COPY.
final class PostgreSQLConnection {
  let handle: OpaquePointer
  /// How long the server may be silent, in seconds.
  let timeout: Double
  /// The schema whose tables its statements use.
  let namespace: PostgreSQLNamespace
  /// The pooler in front of the server; `none` when the session is the connection's own.
  let pooler: PostgreSQLPooler
  /// The process ID of the server's backend, as far as it is known: behind a pooler it has to be queried.
  var backend: Int32
  /// The check at the start of every transaction, behind a pooler that was not declared.
  var sessionCheck: SessionCheck?
  /// Whether transactions in a shared session set the settings that they need. Readers do without until settings that
  /// another client has left make a request fail.
  var isProtected = true
  /// Whether the server may be silent, as while it builds an index; the system detects when it is gone.
  var isPatient = false
  /// Whether its session has the required settings.
  var isConfigured = false
  /// The domain of its transactions; nil until it was asked for, and where another server may answer the next time.
  var transactionDomain: String?
  /// The generation of the pool that it belongs to.
  var generation = 0
  /// The row that identifies its saves.
  var saveRow: SaveRow
  private(set) var isBroken = false
  /// How the current request is stopped when it is cancelled; nil when it cannot be cancelled.
  var stop: RequestStop?
  /// How long the server may be silent for a query that is made while another request waits; nil for any other.
  var haste: Double?
  /// The check whether the request waits for a lock in vain; nil where there is none.
  var lockWatch: LockWatch?
  /// The pipe that wakes the connection when a request is cancelled; nil until one can be.
  var wakePipe: WakePipe?
  /// Whether the server may have committed what was sent: then only its answer tells the outcome.
  var isCommitSent = false
  /// Whether the server sent a warning during the commit: see ``UnconfirmedCommit``.
  var hasWarned = false
  /// The number of round trips, without COPY.
  var roundTrips = 0
  var statements = PreparedStatements(capacity: 256)

  init(handle: OpaquePointer, timeout: Double, settings: PostgreSQLSettings) {
    self.handle = handle
    self.timeout = timeout
    namespace = settings.namespace
    pooler = settings.pooler
    backend = PQbackendPID(handle)
    saveRow = SaveRow(namespace)
  }

  deinit {
    PQfinish(handle)
  }

  /// Marks the connection as broken: the server and libpq no longer agree on what comes next.
  func abandon() {
    isBroken = true
  }

  /// Whether statements are prepared once for the connection: only in a session that is known to be its own; in a
  /// shared one, they would be another client's.
  var keepsStatements: Bool { pooler == .none && isConfigured }

  func lossError() -> PostgreSQLError {
    isBroken = true
    return PostgreSQLError(kind: .lost, message: "the connection to the server was lost")
  }
}

// MARK: - Statements

extension PostgreSQLConnection {
  /// Runs statements, in one round trip.
  ///
  /// - Throws: `PostgreSQLError` when the connection is lost or the server silent; errors that the server reports are
  ///   part of the outcome.
  func run(_ commands: [PostgreSQLCommand]) throws -> PipelineOutcome {
    let steps = try send(commands)
    return try collect(steps, count: commands.count, commands)
  }

  /// Runs statements, and others as a separate transaction, in one round trip.
  func run(
    _ commands: [PostgreSQLCommand], then others: [PostgreSQLCommand]
  ) throws -> (PipelineOutcome, PipelineOutcome) {
    guard !others.isEmpty else { return (try run(commands), PipelineOutcome(results: [])) }
    let steps = try send(commands)
    let otherSteps = try send(others)
    roundTrips -= 1
    let outcome = try collect(steps, count: commands.count, commands)
    return (outcome, try collect(otherSteps, count: others.count, others))
  }

  /// Runs one statement.
  ///
  /// - Throws: `PostgreSQLError`.
  @discardableResult
  func run(_ command: PostgreSQLCommand) throws -> PostgreSQLResult {
    try run([command]).get()[0]
  }

  /// Runs a statement and passes on its rows as they arrive, so that there are never many in memory.
  ///
  /// - Parameter rowByRow: Whether rows arrive one by one; otherwise they arrive together.
  func stream(
    _ command: PostgreSQLCommand, types: [PostgreSQLType], rowByRow: Bool = true,
    into taker: inout some RecordTaker
  ) throws {
    let steps = try send([command])
    var isChecked = false
    var isWhole = false
    var failure: PostgreSQLError?
    for step in steps {
      if rowByRow, case .command = step { PQsetSingleRowMode(handle) }
      while let result = try nextResult() {
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_SINGLE_TUPLE, PGRES_TUPLES_OK:
          guard case .command = step else { continue }
          do {
            if !isChecked { try PostgreSQLResult.check(result, types) }
            isChecked = true
            if PQresultStatus(result) == PGRES_TUPLES_OK { isWhole = true }
            for row in 0..<PQntuples(result) {
              try taker.take(ResultFields(result: result, row: row))
            }
          } catch {
            // The rest of the rows is still unread.
            abandon()
            throw error
          }
        case PGRES_FATAL_ERROR:
          let error = PostgreSQLError(result, statement: command.text)
          if failure == nil { failure = step.failure(error) }
        default: try note(result, step)
        }
        if PQresultStatus(result) == PGRES_PIPELINE_SYNC { break }
      }
    }
    try finish(failure)
    // Without the final result, rows may be missing.
    guard isWhole else { throw lossError() }
  }
}

// MARK: - Sending

extension PostgreSQLConnection {
  /// A step of a pipeline; the server answers the steps in order.
  fileprivate enum Step {
    case preparation(Int, PreparedStatements.Key, name: String)
    case command(Int)
    case deallocation
    case sessionCheck
    case settings
    case sync
  }

  private func send(_ commands: [PostgreSQLCommand]) throws -> [Step] {
    guard !isBroken else { throw lossError() }
    var steps: [Step] = []
    steps.reserveCapacity(commands.count + 2)
    // Within one pipeline a statement is prepared once.
    var fresh: [PreparedStatements.Key: String] = [:]
    try sendDeallocations(&steps)
    // Nothing may precede the BEGIN of a transaction.
    let isBegun = commands.first?.beginsTransaction == true
    var opening = commands.first?.standsAlone == true ? nil : opening
    for (index, command) in commands.enumerated() {
      if index > 0 || !isBegun { try send(&opening, &steps) }
      guard command.isDescribed || (command.isKept && keepsStatements) else {
        try sendUnprepared(command)
        steps.append(.command(index))
        continue
      }
      let key = PreparedStatements.Key(text: command.text, types: command.parameters.types)
      let name: String
      if let known = statements.name(of: key) ?? fresh[key] {
        name = known
      } else {
        name = keepsStatements ? statements.makeName() : PreparedStatements.unnamed
        let code = key.types.withUnsafeBufferPointer {
          PQsendPrepare(handle, name, command.text, Int32($0.count), $0.baseAddress)
        }
        guard code == 1 else { throw lossError() }
        if keepsStatements { fresh[key] = name }
        steps.append(.preparation(index, key, name: name))
      }
      let code =
        command.isDescribed
        ? PQsendDescribePrepared(handle, name)
        : command.parameters.withPointers { values, lengths, formats in
          PQsendQueryPrepared(
            handle, name, Int32(command.parameters.count), values, lengths, formats, 1)
        }
      guard code == 1 else { throw lossError() }
      steps.append(.command(index))
    }
    try send(&opening, &steps)
    guard PQpipelineSync(handle) == 1 else { throw lossError() }
    steps.append(.sync)
    try flush()
    roundTrips += 1
    return steps
  }

  /// Deallocates prepared statements beyond the limit. A failed transaction would refuse that, and it must not become
  /// part of a transaction that follows: it waits until no transaction is open, and has a sync of its own.
  private func sendDeallocations(_ steps: inout [Step]) throws {
    guard PQtransactionStatus(handle) == PQTRANS_IDLE, let first = statements.popSurplus() else {
      return
    }
    var opening = opening
    try send(&opening, &steps)
    var next: String? = first
    while let surplus = next {
      next = statements.popSurplus()
      try sendUnprepared(.once("DEALLOCATE \(surplus)"))
      steps.append(.deallocation)
    }
    guard PQpipelineSync(handle) == 1 else { throw lossError() }
    steps.append(.sync)
  }

  /// The statement before a transaction's own ones: a session check or settings.
  private var opening: (command: PostgreSQLCommand, step: Step)? {
    guard PQtransactionStatus(handle) == PQTRANS_IDLE else { return nil }
    if let sessionCheck { return (sessionCheck.command, .sessionCheck) }
    guard pooler != .none, isProtected else { return nil }
    return (SessionSettings.forTransaction(of: self), .settings)
  }

  private func send(
    _ opening: inout (command: PostgreSQLCommand, step: Step)?, _ steps: inout [Step]
  ) throws {
    guard let (command, step) = opening else { return }
    opening = nil
    try sendUnprepared(command)
    steps.append(step)
  }

  private func sendUnprepared(_ command: PostgreSQLCommand) throws {
    let types = command.parameters.types
    let code = command.parameters.withPointers { values, lengths, formats in
      types.withUnsafeBufferPointer {
        PQsendQueryParams(
          handle, command.text, Int32(types.count), $0.baseAddress, values, lengths, formats, 1)
      }
    }
    guard code == 1 else { throw lossError() }
  }
}

// MARK: - Receiving

extension PostgreSQLConnection {
  private func collect(
    _ steps: [Step], count: Int, _ commands: [PostgreSQLCommand]
  ) throws -> PipelineOutcome {
    var outcome = PipelineOutcome(results: Array(repeating: nil, count: count))
    for step in steps {
      // A commit that fails at the sync yields an error as a result of its own, before that of the sync.
      var hasEndAfterError = false
      while true {
        guard let handle = try nextResult() else {
          guard hasEndAfterError, PQstatus(self.handle) == CONNECTION_OK else { break }
          hasEndAfterError = false
          continue
        }
        let result = PostgreSQLResult(handle)
        let status = PQresultStatus(handle)
        if case .sync = step { hasEndAfterError = status == PGRES_FATAL_ERROR }
        if status == PGRES_FATAL_ERROR, outcome.failure == nil {
          let index = step.index ?? max(commands.count - 1, 0)
          let error = PostgreSQLError(handle, statement: commands[index].text)
          outcome.failure = step.failure(error).map { (index, $0) }
        }
        if case .command(let index) = step { outcome.results[index] = result }
        try note(handle, step)
        if status == PGRES_PIPELINE_SYNC { break }
      }
    }
    try checkConnection(outcome.failure?.error)
    // A missing answer is no success: libpq has run out of memory, and lost it.
    guard outcome.failure != nil || !outcome.results.contains(where: { $0 == nil }) else {
      throw lossError()
    }
    return outcome
  }

  /// Remembers a statement that was prepared.
  private func note(_ result: OpaquePointer, _ step: Step) throws {
    if case .preparation(_, let key, let name) = step, keepsStatements,
      PQresultStatus(result) == PGRES_COMMAND_OK
    {
      statements.keep(key, name: name)
    }
  }

  private func finish(_ failure: PostgreSQLError?) throws {
    try checkConnection(failure)
    if let failure { throw failure }
  }

  /// Throws when the connection was lost, so that incomplete results are not taken for complete ones.
  func checkConnection(_ failure: PostgreSQLError?) throws {
    if failure?.kind == .moved { abandon() }
    if PQstatus(handle) != CONNECTION_OK || failure?.kind == .lost {
      isBroken = true
      if let failure, failure.kind == .lost { throw failure }
      throw lossError()
    }
  }
}

extension PostgreSQLConnection.Step {
  /// The index of the statement that a result belongs to.
  var index: Int? {
    switch self {
    case .preparation(let index, _, _), .command(let index): index
    case .deallocation, .sessionCheck, .settings, .sync: nil
    }
  }

  /// The error for the caller; nil for a failed deallocation: a statement that the server had already forgotten need
  /// not be deallocated.
  func failure(_ error: PostgreSQLError) -> PostgreSQLError? {
    guard error.kind != .lost else { return error }
    return switch self {
    case .deallocation: nil
    case .sessionCheck: SessionCheck.failure
    case .preparation, .command, .settings, .sync: error
    }
  }
}
