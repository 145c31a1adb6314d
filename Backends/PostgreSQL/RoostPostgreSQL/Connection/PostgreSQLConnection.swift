// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Foundation
import RoostModel

/// One connection to a server, without a lock of its own: its holder uses it alone.
///
/// libpq is never let wait: every call returns at once, and this type waits for the socket, no longer than the server
/// may be silent. Statements go out together, in pipeline mode, and only for a COPY that mode is left.
final class PostgreSQLConnection {
  let handle: OpaquePointer
  /// How long the server may be silent, in seconds.
  let timeout: Double
  /// The schema whose tables its statements are about.
  let namespace: PostgreSQLNamespace
  /// Whether its session is its own.
  let pooler: PostgreSQLPooler
  /// The number of the server's process, as far as it is known: that of a session behind a pooler has to be asked.
  var backend: Int32
  /// What every transaction begins with behind a pooler that was not declared.
  var sessionCheck: SessionCheck?
  /// Whether a transaction in a shared session sets for itself what it rests on. Who only reads does without until
  /// something that another client has left ends a request.
  var isProtected = true
  /// Whether the server may be silent, as it builds an index; that it is there is told by the system.
  var isPatient = false
  /// Whether its session is as it has to be.
  var isConfigured = false
  /// What names its transactions; nil until it was asked for, and where another server may answer the next time.
  var transactionDomain: String?
  /// Which of the pool's generations it belongs to.
  var generation = 0
  /// By what its saves can be recognised.
  var saveRow: SaveRow
  private(set) var isBroken = false
  /// How the request that uses the connection is stopped when it is cancelled; nil when nobody can.
  var stop: RequestStop?
  /// How long the server may be silent for a question that is asked while another request waits; nil for any other.
  var haste: Double?
  /// What looks whether the request waits in vain; nil where nobody does.
  var lockWatch: LockWatch?
  /// What wakes the connection when a request is cancelled; nil until one can be.
  var wakePipe: WakePipe?
  /// Whether the server may have committed what was sent: then only its answer tells how that ended.
  var isCommitSent = false
  /// Whether the server has warned while it committed: see ``UnconfirmedCommit``.
  var hasWarned = false
  /// How often statements were sent and answers waited for, without COPY.
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

  /// Makes the connection useless: its server and libpq no longer agree on what comes next.
  func abandon() {
    isBroken = true
  }

  /// Whether statements are prepared once for the connection: only in a session that is known to be its own, or they
  /// would be another client's.
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
  /// - Throws: `PostgreSQLError` when the connection is lost or the server silent; what the server refuses is part of
  ///   the outcome.
  func run(_ commands: [PostgreSQLCommand]) throws -> PipelineOutcome {
    let steps = try send(commands)
    return try collect(steps, count: commands.count, commands)
  }

  /// Runs statements, and others that are a transaction of their own, in one round trip.
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

  /// Runs a statement and hands on each of its rows as they arrive, so that there are never many in memory.
  ///
  /// - Parameter rowByRow: Whether that is so; otherwise they are taken together.
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
            // The rest of the rows is still to come.
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
    // Rows without their end are some of the rows.
    guard isWhole else { throw lossError() }
  }
}

// MARK: - Sending

extension PostgreSQLConnection {
  /// What the server answers to, in order.
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
    // Nothing may come before the beginning of a transaction.
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

  /// Lets the server forget what is prepared beyond the limit. In a transaction that has failed that would be refused,
  /// and before a transaction is begun it must not be part of what follows: it waits until there is none, and goes by
  /// itself.
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

  /// What a transaction begins with, beside what it is about.
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
      // A commit that fails at the end of the statements comes before that end, as a result of its own.
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
    // What has no answer did not succeed: libpq has run out of memory, and lost it.
    guard outcome.failure != nil || !outcome.results.contains(where: { $0 == nil }) else {
      throw lossError()
    }
    return outcome
  }

  /// Remembers what was prepared.
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

  /// Throws when the connection was lost, so that nobody takes the end of the results for their number.
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
  /// The number of the statement that an answer belongs to.
  var index: Int? {
    switch self {
    case .preparation(let index, _, _), .command(let index): index
    case .deallocation, .sessionCheck, .settings, .sync: nil
    }
  }

  /// What an error means to the caller; nil where it does not concern him: what the server had forgotten already need
  /// not be forgotten.
  func failure(_ error: PostgreSQLError) -> PostgreSQLError? {
    guard error.kind != .lost else { return error }
    return switch self {
    case .deallocation: nil
    case .sessionCheck: SessionCheck.failure
    case .preparation, .command, .settings, .sync: error
    }
  }
}
