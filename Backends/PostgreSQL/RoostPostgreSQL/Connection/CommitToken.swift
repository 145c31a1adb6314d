// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQL

/// The row that tells whether a save was committed when its answer is lost.
///
/// Each connection has a row of its own, with a token, and each of its saves writes its transaction number there. So a
/// save is committed if the row no longer has the number that it had before the save. The row stays, and only an
/// unindexed column changes: the server writes little, and updates no index.
struct CommitToken: Equatable, Sendable {
  private(set) var token: UUID
  /// The row's number before the save; 0 when the row may not exist.
  private(set) var before: Int64
  /// Whether the row is certain to exist.
  private(set) var hasRow: Bool
  /// The owner of the row: a connection or a save.
  private(set) var owner = Owner.connection
  /// The table of the rows, as statements name it.
  let table: String
  /// The store's metadata table, and the format number that it has while the store is in the version in which it was
  /// opened.
  var metadataTable: String
  var format: StoreFormat
  /// A second format number that is accepted; nil for none.
  var later: StoreFormat?
  /// The number of the store's second version, for a save of that version; nil for other saves.
  var second: Int64?

  /// Added to a transaction number to fence a save off: it can never be committed afterwards.
  static let fence: Int64 = 1 << 62

  /// The age, in transactions, at which rows may be removed. By then no caller asks how such a save ended, and no save
  /// of that age waits to be written.
  private static let lifetime = 1_000_000

  /// The owner of a row.
  enum Owner {
    /// A connection: its saves follow each other.
    case connection
    /// One save, which is prepared and keeps its row locked when its connection is another's.
    case preparedSave
    /// A store, for the rows that connections of another store write to it. The outcome of such a save is read from
    /// that other store's row.
    case companion
  }

  /// The same mark for a save that may have begun long ago: its row may have been removed since.
  var withoutCertainRow: CommitToken {
    var mark = self
    mark.hasRow = false
    return mark
  }

  /// Takes over the row of another owner.
  mutating func use(token: UUID, of owner: Owner) {
    (self.token, before, hasRow, self.owner) = (token, 0, false, owner)
  }

  /// One while the store is in the version in which it was opened, and zero afterwards: a save divides by it.
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

  /// Writes the transaction number as part of a save. Fails when the save was fenced off, or when the store was
  /// migrated to another version of its model. Returns the number.
  var writing: PostgreSQLCommand {
    // The parameter's type must be known even where its value does not matter.
    let condition = "c.transaction = $2" + (owner == .companion ? " OR TRUE" : "")
    let expected = "CAST(\(condition) AS integer)"
    guard !hasRow else {
      return PostgreSQLCommand(
        "UPDATE \(table) AS c SET transaction = "
          + "\(PostgreSQLNamespace.transaction) / \(expected) / \(isKnownVersion) WHERE c.token = $1 "
          + "RETURNING c.transaction",
        parameters)
    }
    // The first save of a connection also removes old rows.
    return PostgreSQLCommand(
      (before == 0 && owner == .connection ? sweep : "")
        + "INSERT INTO \(table) AS c (token, transaction) "
        + "VALUES ($1, \(PostgreSQLNamespace.transaction) / \(isKnownVersion)) ON CONFLICT (token) "
        + "DO UPDATE SET transaction = excluded.transaction / \(expected) RETURNING c.transaction",
      parameters)
  }

  /// Fails when the store was migrated to another version of its model.
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

  /// Removes the rows of connections that have not saved for a long time.
  private var sweep: String {
    """
    WITH gone AS (DELETE FROM \(table) WHERE transaction % \(Self.fence) < \
    CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) - \(Self.lifetime)) 
    """
  }

  /// Waits for the save while it is in progress, and fences it off unless it was committed. Returns a number that is
  /// at least `fence` when the save was not committed.
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

/// The row that identifies the saves of one connection.
struct SaveRow {
  /// The table of the rows and the metadata table, as statements name them.
  let table: String
  let metadataTable: String
  private let token = UUID()
  private var transaction: Int64 = 0
  private var written = ContinuousClock.now

  init(_ namespace: PostgreSQLNamespace) {
    table = namespace.commitsTable
    metadataTable = namespace.metadataTable
  }

  /// How long a row is certain to stay: fewer than a million transactions run in that time.
  private static let certainty = Duration.seconds(1)

  /// Whether the row is certain to exist at this time.
  var hasRow: Bool { transaction != 0 && ContinuousClock.now - written < Self.certainty }

  /// Returns the mark of the next save of a store in a version.
  ///
  /// - Parameters:
  ///   - later: A second format number that the store may have.
  ///   - second: The number of the store's second version, for a save of that version.
  func mark(
    in format: StoreFormat, or later: StoreFormat? = nil, second: Int64? = nil
  ) -> CommitToken {
    CommitToken(
      token: token, before: transaction, hasRow: hasRow, table: table, metadataTable: metadataTable,
      format: format, later: later,
      second: second)
  }

  /// Records the answer to a mark whose save was committed at `time` at the earliest.
  mutating func note(_ answer: PostgreSQLResult?, since time: ContinuousClock.Instant) {
    guard let answer, answer.count == 1 else {
      transaction = 0
      return
    }
    transaction = answer.integer()
    written = time
  }
}
