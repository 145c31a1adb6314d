// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// A file that is watched until another one replaces it. It has no number of writes, and fits in memory: the bytes are
/// compared.
struct BinaryReplacement: StoreReplacement {
  private let driver: BinaryStoreDriver
  private let destination: PersistentStoreDescription
  private let bytes: [UInt8]

  init(of destination: PersistentStoreDescription, by driver: BinaryStoreDriver) throws {
    self.driver = driver
    self.destination = destination
    guard let bytes = try BinaryLocation(destination.url).bytes() else {
      throw PersistenceError(.persistentStoreOpen, "There is no store to replace.")
    }
    self.bytes = bytes
  }

  func replace(with source: PersistentStoreDescription) throws -> Bool {
    try driver.replace(destination, with: source) { $0 == bytes }
  }
}
