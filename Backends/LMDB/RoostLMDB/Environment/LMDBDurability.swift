// SPDX-License-Identifier: Apache-2.0

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
