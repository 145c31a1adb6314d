// SPDX-License-Identifier: Apache-2.0

/// The saves of concurrent contexts, and of threads that call the engine directly: medians of several rounds.
struct SaversResult: Codable, Hashable {
  var store: StoreKind
  /// The number of contexts that save.
  var savers: Int
  /// The minimum duration of a file flush in milliseconds; nil for the disk's own speed.
  var flush: Int?
  /// Saves per second, of all contexts.
  var savesPerSecond: Double
  /// File flushes by this process per save; nil where they cannot be counted, or a server has the files.
  var flushesPerSave: Double?
  /// The duration of a save, in milliseconds.
  var saveMilliseconds: Percentiles?
  /// The number of saves of the slowest context, divided by that of the fastest.
  var fairness: Double
  /// Saves per second of the same number of threads that call the engine directly; nil where it allows one thread
  /// only.
  var rawSavesPerSecond: Double?

  /// The saves per second of the contexts, divided by those of threads that call the engine directly.
  var partOfRaw: Double? { rawSavesPerSecond.map { savesPerSecond / $0 } }

  /// Returns the goal and the value to compare with it. On a server, several contexts are to save nearly as much as
  /// raw connections do; on a store with one file, they are to share its flushes.
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
