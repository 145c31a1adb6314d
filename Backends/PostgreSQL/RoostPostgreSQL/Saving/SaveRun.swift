// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// One attempt to write a change set on one connection: a transaction in as few round trips as possible.
///
/// Everything is sent at once, with the commit at its end, on the assumption that there is no conflict: the server
/// stops at the first statement that fails, so then nothing was written. Only a save that has to report its conflicts
/// is written a second time, step by step (`SaveRun+Careful.swift`).
struct SaveRun {
  let changes: StoreChangeSet
  let prepared: PreparedSchema
  let connection: PostgreSQLConnection
  let mark: CommitToken
  let statementLog: StoreLog?
  /// The metadata of the store's other version, when this one is its second.
  let oldVersion: StoreMetadata?
  /// Whether the metadata to be written is of another version of the model.
  let changesVersion: Bool
  /// Whether the transaction is added to the store's history.
  let keepsHistory: Bool
  let commands: SaveCommands
  /// The statements that begin the transaction; without `BEGIN` when it has begun already.
  let beginning: [PostgreSQLCommand]
  /// How it ends.
  let ending: SaveEnding
  /// The store's schema. When it differs from the connection's schema, the save writes to two stores of one database.
  let namespace: PostgreSQLNamespace
  /// Whether the commit may have reached the server: after that, only the server knows the outcome of the save.
  private(set) var isCommitSent = false

  var plan: SavePlan { commands.plan }

  /// The outcome of an attempt that has not thrown.
  enum Result {
    case committed
    case refused([ChangeRefusal])
    /// A record is in another version, or a value is taken: only the careful path can tell which.
    case hindered
  }

  init(
    _ turn: DerivationTurn, _ prepared: PreparedSchema, _ connection: PostgreSQLConnection,
    mark: CommitToken, store: PostgreSQLStore, ending: SaveEnding = .commit,
    namespace: PostgreSQLNamespace? = nil
  ) {
    let metadata = store.metadata
    let hashes = turn.changes.metadata?.entityVersionHashes
    keepsHistory = metadata.keepsHistory
    oldVersion = store.oldVersion
    changesVersion = hashes != nil && hashes != metadata.entityVersionHashes
    beginning = (connection.isInTransaction ? [] : [.begin]) + ending.beginning
    changes = turn.changes
    self.prepared = prepared
    self.connection = connection
    self.mark = mark
    self.ending = ending
    self.namespace = namespace ?? connection.namespace
    statementLog = store.description.log
    commands = SaveCommands(plan: turn.plan, mapping: prepared.mapping)
  }

  /// Writes everything, or nothing.
  mutating func runStraight() throws -> Result {
    let changes = try commands.checkedChanges()
    let rest = try commands.insertions() + commands.links() + metadata()
    let copied = commands.copied
    do {
      if copied.isEmpty, !changes.contains(where: { $0.expectedCount != nil }) {
        // Statements that are sent in one pipeline are a transaction of their own.
        let isOne =
          connection.pooler == .none && !connection.isInTransaction && ending.preparation == nil
        try finish((isOne ? ending.beginning : beginning) + changes + rest, isBegun: !isOne)
      } else {
        // Counts are checked, or rows are copied, before the commit is sent.
        try send(beginning + changes)
        for group in copied { try copy(group) }
        try finish(rest, isBegun: true)
      }
      return .committed
    } catch let error as PostgreSQLError where error.isUniquenessViolation {
      try connection.rollBack()
      try checkConstraint(error)
      return .hindered
    } catch is VersionMismatch {
      try connection.rollBack()
      return .hindered
    } catch {
      if !connection.isBroken { try connection.rollBack() }
      throw error
    }
  }

  /// A version check has failed.
  private struct VersionMismatch: Error {}

  func send(_ commands: [PostgreSQLCommand]) throws {
    try connection.checkCancelled()
    log(commands)
    try Self.judge(try connection.run(commands), of: commands)
  }

  private static func judge(
    _ outcome: PipelineOutcome, of commands: [PostgreSQLCommand]
  ) throws {
    guard let failure = outcome.failure else {
      for (command, result) in zip(commands, outcome.results) {
        guard let count = command.expectedCount else { continue }
        guard result?.affected == count else { throw VersionMismatch() }
      }
      return
    }
    if commands[failure.index].checksVersions, failure.error.isDivisionByZero {
      throw VersionMismatch()
    }
    throw failure.error
  }

  /// Sends the last statements, the mark and the commit.
  ///
  /// - Parameter isBegun: Whether a transaction was begun; otherwise the pipeline is one, which the server commits at
  ///   its end.
  mutating func finish(_ commands: [PostgreSQLCommand], isBegun: Bool) throws {
    try connection.checkCancelled()
    var all = try commands + history()
    let decision = all.count..<all.count + ending.decision.count
    all += ending.decision
    // The save may have taken long since its mark was made, for example to copy its rows.
    let mark = connection.saveRow.hasRow ? mark : mark.withoutCertainRow
    all.append(ending.preparation == nil ? mark.writing : mark.checkingVersion)
    let last = all.count - 1
    if isBegun { all.append(ending.command) }
    log(all)
    let time = ContinuousClock.now
    isCommitSent = true
    let outcome = try connection.committing { try $0.run(all) }
    // The server has answered: now the outcome is known.
    isCommitSent = false
    if let failure = outcome.failure, failure.error.isDivisionByZero,
      decision.contains(failure.index)
    {
      throw DecisionRefused()
    }
    try Self.judge(outcome, of: all)
    // COMMIT of a failed transaction succeeds, and its tag says that it was rolled back.
    guard !isBegun || outcome.results.last??.tag == ending.tag, !connection.isInTransaction else {
      throw PersistenceError(.persistentStoreSave, "The server rolled the transaction back.")
    }
    if ending.preparation == nil {
      connection.saveRow.note(outcome.results[last], since: time)
    }
  }

  private func copy(_ group: RecordGroup<Row>) throws {
    let slots = group.type.entity.storedSlots
    var rows = group.changes.makeIterator()
    statementLog?.statement("COPY \(group.type.copyTarget) FROM STDIN (FORMAT binary)")
    try connection.copy(into: group.type.copyTarget, columns: slots.count + 2) { buffer in
      guard let row = rows.next() else { return false }
      buffer.appendField(row.key)
      buffer.appendField(row.version)
      for slot in slots { try RowWriter.append(slot, of: row, to: buffer) }
      return true
    }
  }

  func metadata() throws -> [PostgreSQLCommand] {
    guard let metadata = changes.metadata else { return [] }
    if let oldVersion {
      return [
        try namespace.writingMetadata(
          metadata, beside: oldVersion, until: mark.format)
      ]
    }
    var commands = [try namespace.writingMetadata(metadata)]
    if metadata.keepsModel == true, changesVersion {
      commands += try namespace.writingModelText(
        of: prepared.mapping.store, checksum: metadata.versionChecksum)
    }
    return commands
  }

  /// Adds the transaction to the history, as the last statement that writes records: so of two transactions that have
  /// changed one record the later one has the higher number.
  func history() throws -> [PostgreSQLCommand] {
    guard keepsHistory else { return [] }
    return try namespace.addingToHistory(changes, of: prepared.mapping.store)
  }

  func log(_ commands: [PostgreSQLCommand]) {
    for command in commands { statementLog?.statement(command.text) }
  }
}
