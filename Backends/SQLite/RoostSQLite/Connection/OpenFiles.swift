// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The database files that stores of this process have open, however their paths are spelled.
///
/// Several stores may have one file open: their connections lock each other out as those of several processes do. But
/// such a file must not be removed or replaced.
enum OpenFiles {
  private struct WeakPool {
    weak var pool: ConnectionPool?
  }

  private static let pools = Mutex<[FileIdentity: [WeakPool]]>([:])

  static func add(_ pool: ConnectionPool, of file: FileIdentity) {
    pools.withLock { $0[file, default: []].append(WeakPool(pool: pool)) }
  }

  static func remove(_ pool: ConnectionPool, of file: FileIdentity) {
    pools.withLock { pools in
      // A pool can remove itself in `deinit`, when weak references to it are nil already.
      let rest = pools[file, default: []].filter { $0.pool != nil && $0.pool !== pool }
      pools[file] = rest.isEmpty ? nil : rest
    }
  }

  static func contains(_ file: FileIdentity) -> Bool {
    count(of: file) > 0
  }

  /// Returns how many stores, and snapshots of stores, have a file open.
  static func count(of file: FileIdentity) -> Int {
    pools.withLock { $0[file, default: []].count { $0.pool != nil } }
  }

  /// Makes all stores that have a file open close their connections, and open new ones for the next request.
  ///
  /// SQLite shares the locks of a file among the connections of a process. After a failed lock call, its record of
  /// these locks may be wrong until the last of the connections is closed.
  static func renewConnections(of file: FileIdentity) {
    let pools = pools.withLock { $0[file, default: []].compactMap(\.pool) }
    for pool in pools { pool.renewConnections() }
  }
}
