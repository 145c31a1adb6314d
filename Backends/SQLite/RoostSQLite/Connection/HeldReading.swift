// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The state of the write-ahead log that a read transaction shows. The transaction stays open between requests: the
/// next one mostly reads the same state, and a begin and an end cost as much as looking a record up.
///
/// Whether another connection has written since is seen in the log's shared memory, without asking the system. Nothing
/// is held while the log is long and not yet copied to the file: a checkpoint needs a moment without readers.
struct HeldReading {
  private var state = roost_sqlite3_log_state()

  /// The frames from which on SQLite copies the log to the file by itself.
  private static let longLog: UInt32 = 1_000

  /// Notes the state of now, before the transaction begins: what that shows is not older. Nil when none is to be held.
  init?(_ connection: OpaquePointer) {
    guard roost_sqlite3_read_log_state(connection, &state) != 0 else { return nil }
    let logged = roost_sqlite3_logged(&state)
    guard logged < Self.longLog || roost_sqlite3_copied(&state) == logged else { return nil }
  }

  /// Whether nobody has written, or copied the log, since.
  func isCurrent(_ connection: OpaquePointer) -> Bool {
    var now = roost_sqlite3_log_state()
    guard roost_sqlite3_read_log_state(connection, &now) != 0 else { return false }
    return withUnsafePointer(to: state) { roost_sqlite3_same_log_state($0, &now) } != 0
  }
}
