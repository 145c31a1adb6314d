// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

// What is looked at before a connection is used.
extension ConnectionPool {
  static let closed = PersistenceError(
    .storeRemoved, "The store was closed or removed from its coordinator.")

  func checkOpen() throws {
    condition.lock()
    defer { condition.unlock() }
    if isClosed { throw Self.closed }
  }

  /// A connection that a child process inherited shares locks and memory with its parent's; using it would damage the
  /// file.
  func checkProcess() throws {
    guard ProcessGeneration.current == process else {
      throw PersistenceError(
        .persistentStoreOperation, "A store that was opened before a fork cannot be used after it.")
    }
  }

  /// Writes to a file that was renamed or replaced are lost.
  func checkFile() throws {
    guard let file, location.fileIdentity() != file else { return }
    throw PersistenceError(
      .persistentStoreOperation, "The database file was moved, replaced or removed while open.")
  }
}
