// SPDX-License-Identifier: Apache-2.0

/// The durability of an acknowledged save to an LMDB store. No choice lets a crash damage the file.
///
/// ```swift
/// let cache = PersistentStoreDescription.lmdb(
///   at: "cache.lmdb", durability: .processDeathButMayLoseLastSaveOnPowerLoss)
/// ```
public enum LMDBDurability: String, Sendable, Hashable, CaseIterable {
  /// The save survives the end of the process, of the system, and a power failure: each save flushes the file.
  case powerLoss
  /// The save survives the end of the process. When the system crashes or power fails, the last save may be undone as
  /// a whole although it was acknowledged; each save waits for the disk about half as long.
  case processDeathButMayLoseLastSaveOnPowerLoss
}
