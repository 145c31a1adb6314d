// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The commit of a migration. A commit that was sent is awaited even when the migration is cancelled meanwhile, and
/// one that the server has not answered is never reported as rolled back.
struct MigrationCommit {
  /// Whether a commit was sent whose outcome is unknown.
  private var isUnanswered = false

  /// Runs a migration, which commits through its argument.
  ///
  /// - Throws: `commitOutcomeUnknown` after an error that has left a commit without an answer; the errors of `body`
  ///   otherwise.
  static func awaiting<Result>(
    in store: PostgreSQLStore, _ body: (inout MigrationCommit) throws -> Result
  ) throws -> Result {
    var commit = MigrationCommit()
    do {
      return try body(&commit)
    } catch  where commit.isUnanswered {
      throw PersistenceError(
        .commitOutcomeUnknown,
        "The connection was lost during the commit of a migration, and the server could not be asked how it ended.",
        store: store.identity.identifier, underlying: error)
    }
  }

  /// Marks the earlier attempt as failed: the new one has the locks, and found the store unchanged.
  mutating func begin() { isUnanswered = false }

  /// Commits the open transaction of a connection.
  ///
  /// - Parameter refusal: The error message when the server has rolled the transaction back instead.
  mutating func run(_ connection: PostgreSQLConnection, refusal: String) throws {
    isUnanswered = true
    let outcome = try connection.committing { try $0.run([.commit]) }
    // The server has answered: now the outcome is known.
    isUnanswered = false
    // COMMIT of a failed transaction succeeds, and its tag says that it was rolled back.
    guard try outcome.get().last?.tag == "COMMIT" else {
      throw PersistenceError(.migration, refusal)
    }
  }
}
