// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The WAL state of a read transaction that is kept open between requests: the next request usually reads the same
/// snapshot, and beginning and ending a transaction costs as much as a look-up.
///
/// Whether another connection has written since is read from the log's shared memory, without a system call. No
/// transaction is kept open while the log is long and not yet checkpointed: a checkpoint needs a short time without
/// readers.
struct HeldReading {
  private var state = roost_sqlite3_log_state()

  /// The number of frames from which on SQLite checkpoints automatically.
  private static let longLog: UInt32 = 1_000

  /// Records the present state, before the transaction begins: its snapshot is not older. Nil when no transaction
  /// should be kept open.
  init?(_ connection: OpaquePointer) {
    guard roost_sqlite3_read_log_state(connection, &state) != 0 else { return nil }
    let logged = roost_sqlite3_logged(&state)
    guard logged < Self.longLog || roost_sqlite3_copied(&state) == logged else { return nil }
  }

  /// Returns whether no connection has written or checkpointed since.
  func isCurrent(_ connection: OpaquePointer) -> Bool {
    var now = roost_sqlite3_log_state()
    guard roost_sqlite3_read_log_state(connection, &now) != 0 else { return false }
    return withUnsafePointer(to: state) { roost_sqlite3_same_log_state($0, &now) } != 0
  }
}
