// SPDX-License-Identifier: Apache-2.0

/// What contexts, or threads that call the engine directly, save side by side: the median of some rounds.
struct SaversResult: Codable, Hashable {
  var store: StoreKind
  /// How many save.
  var savers: Int
  /// How long a flush of a file took at the least, in milliseconds; nil for as long as the disk needs.
  var flush: Int?
  /// Saves of all contexts in a second.
  var savesPerSecond: Double
  /// Flushes of files by this process for one save; nil where nobody counts them, or a server has the files.
  var flushesPerSave: Double?
  /// How long a save takes, in milliseconds.
  var saveMilliseconds: Percentiles?
  /// What the slowest context saved, in parts of what the fastest did.
  var fairness: Double
  /// Saves in a second of as many threads that call the engine directly; nil where it takes one thread only.
  var rawSavesPerSecond: Double?

  /// What several contexts save, in parts of what as many threads save that call the engine directly.
  var partOfRaw: Double? { rawSavesPerSecond.map { savesPerSecond / $0 } }

  /// The goal, and what is held against it: several contexts on a server of its own threads are to save nearly as
  /// much as raw connections do; where one file is written, several are to share its flushes.
  func goal(besides one: SaversResult?) -> (goal: Double, value: Double, name: String)? {
    guard savers > 1 else { return nil }
    switch store {
    case .postgresql: return partOfRaw.map { (0.7, $0, "of raw") }
    case .sqlite, .lmdb:
      guard let one, (flush ?? 0) >= 5, savers >= 8 else { return nil }
      return (4, savesPerSecond / one.savesPerSecond, "times one")
    case .memory: return nil
    }
  }
}
