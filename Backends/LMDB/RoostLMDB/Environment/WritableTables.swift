// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostKeyValue

/// The tables of a write transaction, which adds missing ones.
final class WritableTables {
  private(set) var directory: TableDirectory
  private let environment: LMDBEnvironment
  private var isOpening = false

  init(_ directory: TableDirectory, of environment: LMDBEnvironment) {
    self.directory = directory
    self.environment = environment
  }

  /// The table of an entity's records.
  func records(ofEntityCode code: Int, in transaction: OpaquePointer) throws -> MDB_dbi {
    if let table = directory.records(ofEntityCode: code) { return table }
    beginOpening()
    return try directory.makeRecords(ofEntityCode: code, in: transaction)
  }

  /// A table of entries.
  func entries(of table: EntryTable, in transaction: OpaquePointer) throws -> MDB_dbi {
    if let table = directory.entries(of: table) { return table }
    beginOpening()
    return try directory.makeEntries(of: table, in: transaction)
  }

  /// Whether tables were made.
  var hasNew: Bool { isOpening }

  private func beginOpening() {
    guard !isOpening else { return }
    environment.openingLock.lock()
    isOpening = true
  }

  /// Publishes the tables that the committed transaction has created.
  func didCommit() {
    if isOpening { environment.know(directory) }
  }

  /// Lets other transactions open tables; this one has ended.
  func letGo() {
    if isOpening { environment.openingLock.unlock() }
  }
}
