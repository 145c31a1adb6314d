// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQL

/// By what a save can be recognised when its answer is lost.
///
/// Each connection has a row of its own, with a token, and each of its saves writes the number of its transaction
/// there. So a save is committed when the row no longer has the number that it had before the save. The row stays, and
/// only a column changes that no index has: the server writes little, and no index.
struct CommitToken: Equatable, Sendable {
  private(set) var token: UUID
  /// The number that the row has before the save; 0 when there may be no row.
  private(set) var before: Int64
  /// Whether it is certain that there is a row.
  private(set) var hasRow: Bool
  /// The owner of the row: a connection or a save.
  private(set) var owner = Owner.connection
  /// The table of the rows, as it stands in a statement.
  let table: String
  /// The store's metadata table, and the number that it has as long as the store is of the version in which it was
  /// opened.
  var metadataTable: String
  var format: StoreFormat
  /// Another number that it may have; nil for none.
  var later: StoreFormat?
  /// The number by which the store knows its second version, which the save is of; nil for the others.
  var second: Int64?

  /// What is added to the number of a transaction that makes sure that a save never will be committed.
  static let fence: Int64 = 1 << 62

  /// How old rows get before they may go, in transactions. Nobody asks after that how a save ended, and no save of
  /// before waits to be written.
  private static let lifetime = 1_000_000

  /// Who has a row.
  enum Owner {
    /// A connection: its saves follow each other.
    case connection
    /// One save, which is prepared and keeps its row locked when its connection is another's.
    case preparedSave
    /// A store, for what connections of another store write to it. How such a save ended is asked of that one's row.
    case companion
  }

  /// Takes the row of another owner.
  mutating func use(token: UUID, of owner: Owner) {
    (self.token, before, hasRow, self.owner) = (token, 0, false, owner)
  }

  /// One as long as the store is of the version in which it was opened, and zero afterwards: a save divides by it.
  private var isKnownVersion: String {
    // Without the version of the store's own tables, which may be raised at any time.
    let format = "((m.format | 255) - 254)"
    let condition: String
    switch (later, second) {
    case (nil, _): condition = "\(format) = $3"
    case (_?, nil): condition = "(\(format) = $3 OR \(format) = $4)"
    case (_?, _?):
      condition = "(\(format) = $3 AND coalesce(m.second, 0) = $5 OR \(format) = $4)"
    }
    return "(SELECT CAST(\(condition) AS integer) FROM \(metadataTable) AS m)"
  }

  /// Writes the number of the transaction, as part of a save, and fails when it was made sure that the save is not
  /// committed, or when the store was brought to another version of its model. Answers with the number.
  var writing: PostgreSQLCommand {
    // The type of the parameter has to be known, also where its value does not matter.
    let condition = "c.transaction = $2" + (owner == .companion ? " OR TRUE" : "")
    let expected = "CAST(\(condition) AS integer)"
    guard !hasRow else {
      return PostgreSQLCommand(
        "UPDATE \(table) AS c SET transaction = "
          + "\(PostgreSQLNamespace.transaction) / \(expected) / \(isKnownVersion) WHERE c.token = $1 "
          + "RETURNING c.transaction",
        parameters)
    }
    // A connection that saves for the first time sweeps.
    return PostgreSQLCommand(
      (before == 0 && owner == .connection ? sweep : "")
        + "INSERT INTO \(table) AS c (token, transaction) "
        + "VALUES ($1, \(PostgreSQLNamespace.transaction) / \(isKnownVersion)) ON CONFLICT (token) "
        + "DO UPDATE SET transaction = excluded.transaction / \(expected) RETURNING c.transaction",
      parameters)
  }

  /// Fails when the store was brought to another version of its model.
  var checkingVersion: PostgreSQLCommand {
    PostgreSQLCommand("SELECT 1 / \(isKnownVersion)", parameters)
  }

  private var parameters: Parameters {
    var parameters = Parameters()
    parameters.append(token)
    parameters.append(before)
    parameters.append(format.number)
    if let later { parameters.append(later.number) }
    if later != nil, let second { parameters.append(second) }
    return parameters
  }

  /// Removes the rows of connections that have not saved for long.
  private var sweep: String {
    """
    WITH gone AS (DELETE FROM \(table) WHERE transaction % \(Self.fence) < \
    CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) - \(Self.lifetime)) 
    """
  }

  /// Waits for the save while it is under way, and makes sure that it never will be committed unless it was. Answers
  /// with a number that is not less than the fence when the save was not committed.
  var settling: PostgreSQLCommand {
    var parameters = Parameters()
    parameters.append(token)
    parameters.append(before)
    return PostgreSQLCommand(
      "INSERT INTO \(table) AS c (token, transaction) VALUES ($1, "
        + "\(PostgreSQLNamespace.transaction) + \(Self.fence)) ON CONFLICT (token) DO UPDATE SET transaction = "
        + "CASE WHEN c.transaction = $2 THEN excluded.transaction ELSE c.transaction END "
        + "RETURNING c.transaction", parameters)
  }
}

/// The row by which the saves of one connection can be recognised.
struct SaveRow {
  /// The table of the rows, and that of the metadata, as they stand in a statement.
  let table: String
  let metadataTable: String
  private let token = UUID()
  private var transaction: Int64 = 0
  private var written = ContinuousClock.now

  init(_ namespace: PostgreSQLNamespace) {
    table = namespace.commitsTable
    metadataTable = namespace.metadataTable
  }

  /// For how long it is certain that a row stays: nobody runs a million transactions meanwhile.
  private static let certainty = Duration.seconds(1)

  /// The mark of the next save of a store in a version.
  ///
  /// - Parameters:
  ///   - later: Another number that the store may have.
  ///   - second: The number by which the store knows its second version, for a save of that.
  func mark(
    in format: StoreFormat, or later: StoreFormat? = nil, second: Int64? = nil
  ) -> CommitToken {
    CommitToken(
      token: token, before: transaction,
      hasRow: transaction != 0 && ContinuousClock.now - written < Self.certainty,
      table: table, metadataTable: metadataTable, format: format, later: later,
      second: second)
  }

  /// Takes note of the answer to a mark whose save was committed at the earliest at `time`.
  mutating func note(_ answer: PostgreSQLResult?, since time: ContinuousClock.Instant) {
    guard let answer, answer.count == 1 else {
      transaction = 0
      return
    }
    transaction = answer.integer()
    written = time
  }
}
