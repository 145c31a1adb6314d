// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ConnectionPool {
  /// Drops the watching connection; the next check opens another one.
  func forgetWatcher() {
    watchLock.withLock { watcher = nil }
  }

  /// Returns a mark of the file's state, which differs after every commit of another connection, in this process or
  /// another one.
  func changeMark() throws -> String {
    try checkProcess()
    try restoringSideFiles { try checkSideFiles() }
    return try watchLock.withLock {
      try checkOpen()
      try checkFile()
      let (connection, number) = try watchingConnection()
      do {
        return "\(number).\(try connection.dataVersion() ?? 0)"
      } catch {
        watcher = nil
        throw error
      }
    }
  }

  private func watchingConnection() throws -> (connection: SQLiteConnection, number: Int) {
    if let watcher { return watcher }
    watcherCount += 1
    let made = (try settings.openReader(location), watcherCount)
    watcher = made
    return made
  }
}
