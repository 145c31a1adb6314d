// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostStore

extension PersistentStoreType {
  /// Stores in LMDB files: ordered tables in one file that is mapped into memory, read without copies and without
  /// locks.
  ///
  /// ```swift
  /// try coordinator.addPersistentStore(type: .lmdb, at: url)
  /// ```
  public static let lmdb = PersistentStoreType(
    rawValue: LMDBDriver.typeName, driver: LMDBDriver())
}

extension PersistentStoreDescription {
  /// Describes a store in an LMDB file, which is made if it is missing. LMDB keeps its lock file beside it, under the
  /// same name with `-lock`.
  ///
  /// ```swift
  /// let container = try PersistentContainer(
  ///   name: "HR", model: model, stores: [.lmdb(at: "hr.lmdb")])
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of the file, absolute or from the current folder; every character stands for itself.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  ///   - durability: What an acknowledged save survives.
  ///   - maximumSize: The most bytes that the file may grow to; nil for no limit. A save that needs more throws
  ///     `storeFull`.
  public static func lmdb(
    at path: String, configuration: String? = nil, durability: LMDBDurability = .powerLoss,
    maximumSize: Int64? = nil
  ) -> PersistentStoreDescription {
    lmdb(
      at: URL(filePath: path), configuration: configuration, durability: durability,
      maximumSize: maximumSize)
  }

  /// Describes a store in an LMDB file, which is made if it is missing.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  ///   - durability: What an acknowledged save survives.
  ///   - maximumSize: The most bytes that the file may grow to; nil for no limit.
  public static func lmdb(
    at url: URL, configuration: String? = nil, durability: LMDBDurability = .powerLoss,
    maximumSize: Int64? = nil
  ) -> PersistentStoreDescription {
    var description = PersistentStoreDescription(
      type: .lmdb, url: url, configuration: configuration)
    if durability != .powerLoss {
      description.options[LMDBOption.durability] = .string(durability.rawValue)
    }
    if let maximumSize { description.options[LMDBOption.maximumSize] = .integer(maximumSize) }
    return description
  }
}

/// What a save to an LMDB store survives once it is acknowledged. The file is never damaged by a crash, whatever is
/// chosen.
///
/// ```swift
/// let cache = PersistentStoreDescription.lmdb(
///   at: "cache.lmdb", durability: .processDeathButMayLoseLastSaveOnPowerLoss)
/// ```
public enum LMDBDurability: String, Sendable, Hashable, CaseIterable {
  /// The end of the process, of the system, and the loss of power: the file is flushed in each save.
  case powerLoss
  /// The end of the process. When the system ends or power is lost, the last save may be undone as a whole although it
  /// was acknowledged; each save waits for the disk about half as long.
  case processDeathButMayLoseLastSaveOnPowerLoss
}

/// The names of the options of an LMDB store.
///
/// ```swift
/// description.options[LMDBOption.maximumSize] = .integer(1 << 30)
/// ```
public enum LMDBOption {
  /// What an acknowledged save survives: the raw value of an ``LMDBDurability``.
  public static let durability = "RoostLMDBDurability"
  /// The most bytes that the file may grow to.
  public static let maximumSize = "RoostLMDBMaximumSize"
  /// How many bytes of addresses are reserved at first; the store takes more when it needs them.
  public static let initialSize = "RoostLMDBInitialSize"
  /// How many bytes of the file's pages are checked when a process opens it, an integer; 64 MiB when it is not set, and
  /// 0 for none. LMDB trusts what stands in a page, and a damaged one can end the process: of a file that is not larger
  /// than this, damage of its structure is a `corruptStore` error instead. Checking takes about 13 ms for 64 MiB that
  /// are in the system's memory. Give `Int64.max` for files from elsewhere, however large they are.
  public static let checkedSize = "RoostLMDBCheckedSize"
}
