// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ConnectionPool {
  /// Lets the next look be taken by another connection.
  func forgetWatcher() {
    watchLock.withLock { watcher = nil }
  }

  /// What stands for the state of the file: another mark after every commit of any other connection, in this process or
  /// another one.
  func changeMark() throws -> String {
    try checkProcess()
    try restoringSideFiles { try checkSideFiles() }
    return try watchLock.withLock {
      try checkOpen()
      try checkFile()
      let (connection, number) = try watchingConnection()
      do {
        // Such numbers of one connection can be compared with each other only.
        return "\(number).\(try connection.number("PRAGMA data_version") ?? 0)"
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
