// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore

/// How a file is opened.
struct LMDBSettings: Sendable {
  /// Whether nothing may be written.
  var isReadOnly: Bool
  /// The timeout of requests that wait for others, in seconds.
  var timeout: TimeInterval
  var durability: LMDBDurability
  /// The initial size of the memory map in bytes.
  var initialSize: Int
  /// The most bytes that the file may grow to.
  var maximumSize: Int
  /// The number of bytes of pages that are checked when the file is opened.
  var checkedSize: Int

  /// The default map size: addresses, not memory.
  private static let usualSize = 256 << 20
  /// The smallest map size, which holds a store and one small save.
  static let smallestSize = 256 << 10
  /// The largest map size of one file: a process has 47 bits of addresses.
  static let largestSize = 1 << 45

  /// The default number of bytes to check.
  private static let usualCheckedSize = 64 << 20

  /// Reads the options of a description.
  ///
  /// - Throws: `persistentStoreOpen` for an option with an invalid value.
  init(_ description: PersistentStoreDescription) throws {
    isReadOnly = description.isReadOnly
    timeout = description.timeout
    durability = .powerLoss
    if let option = description.options[LMDBOption.durability] {
      guard case .string(let name) = option, let known = LMDBDurability(rawValue: name) else {
        throw PersistenceError(.persistentStoreOpen, "There is no such durability.")
      }
      durability = known
    }
    maximumSize =
      try LMDBSettings.size(description.options[LMDBOption.maximumSize]) ?? Self.largestSize
    let initial = try LMDBSettings.size(description.options[LMDBOption.initialSize])
    initialSize = min(initial ?? Self.usualSize, maximumSize)
    checkedSize = Self.usualCheckedSize
    if let option = description.options[LMDBOption.checkedSize] {
      guard case .integer(let number) = option, number >= 0 else {
        throw PersistenceError(
          .persistentStoreOpen, "The bytes that are checked are a number that is not negative.")
      }
      checkedSize = Int(clamping: number)
    }
  }

  private static func size(_ option: MetadataValue?) throws -> Int? {
    guard let option else { return nil }
    guard case .integer(let number) = option, number >= Self.smallestSize else {
      throw PersistenceError(
        .persistentStoreOpen, "The size of an LMDB store is at least \(Self.smallestSize) bytes.")
    }
    return min(Int(clamping: number), largestSize) / pageSize * pageSize
  }

  private static let pageSize = 65_536

  /// The LMDB flags for the durability.
  var durabilityFlags: UInt32 {
    switch durability {
    case .powerLoss: 0
    case .processDeathButMayLoseLastSaveOnPowerLoss: UInt32(MDB_NOMETASYNC)
    }
  }
}
