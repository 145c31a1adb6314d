// SPDX-License-Identifier: Apache-2.0

/// How the transaction of a save ends.
struct SaveEnding {
  /// Statements that the transaction begins with, before it writes records.
  var beginning: [PostgreSQLCommand] = []
  /// The decision on a save over several stores, which the transaction writes beside the records; empty for other
  /// saves.
  var decision: [PostgreSQLCommand] = []
  /// The prepared transaction that the save ends as; nil when it is committed.
  var preparation: PreparedTransaction?

  static var commit: SaveEnding { SaveEnding() }

  /// Ends the transaction.
  var command: PostgreSQLCommand {
    preparation.map { .once("PREPARE TRANSACTION \($0.literal)") } ?? .commit
  }

  /// The command tag of the ending.
  var tag: String { preparation == nil ? "COMMIT" : "PREPARE TRANSACTION" }
}

/// Thrown when the decision on a save cannot be written: its coordinator is not registered any more.
struct DecisionRefused: Error {}
