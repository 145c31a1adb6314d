// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The commit of a migration: one that was sent is waited for, also when the migration is cancelled meanwhile, and one
/// that the server has not answered is never reported as undone.
struct MigrationCommit {
  /// Whether a commit was sent of which nobody knows the end.
  private var isUnanswered = false

  /// Runs a migration, which commits by its argument.
  ///
  /// - Throws: `commitOutcomeUnknown` after an error that has left a commit without an answer; what `body` throws
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

  /// Notes that an earlier attempt has come to nothing: this one has the locks, and found the store unchanged.
  mutating func begin() { isUnanswered = false }

  /// Commits what a connection has open.
  ///
  /// - Parameter refusal: What is said of a transaction that the server has rolled back instead.
  mutating func run(_ connection: PostgreSQLConnection, refusal: String) throws {
    isUnanswered = true
    let outcome = try connection.committing { try $0.run([.commit]) }
    // The server has answered: now it is known.
    isUnanswered = false
    // The commit of a transaction that has failed succeeds, and says that it was rolled back.
    guard try outcome.get().last?.tag == "COMMIT" else {
      throw PersistenceError(.migration, refusal)
    }
  }
}
