// SPDX-License-Identifier: Apache-2.0

/// A read request whose rows will enter a cache.
struct CacheReading {
  /// The sequence number; readings are numbered in the order in which they begin.
  fileprivate let number: UInt64
  fileprivate let epoch: UInt64
  /// Whether no other reading was under way when it began.
  fileprivate let beganAlone: Bool
}

/// The read requests under way, and the records removed from the cache since they began: a row that was read before
/// its record was removed must not enter the cache afterwards.
///
/// A removal is remembered until every reading that began before it has ended, and not longer, however many readings
/// overlap: readings are counted in two epochs, and an epoch ends with the last reading of the previous one.
struct ReadsUnderWay {
  private var lastNumber: UInt64 = 0
  private var epoch: UInt64 = 0
  /// The number of readings under way that began in this epoch, and in the previous one.
  private var present = 0
  private var earlier = 0
  /// For each removed record, the last reading that had begun by then.
  private var presentRemovals: [Int64: UInt64] = [:]
  private var earlierRemovals: [Int64: UInt64] = [:]
  /// The last reading that had begun when the cache was emptied.
  private var lastBeforeRemovalOfAll: UInt64 = 0

  /// The number of removals that are remembered.
  var removalCount: Int { presentRemovals.count + earlierRemovals.count }

  mutating func begin() -> CacheReading {
    lastNumber += 1
    defer { present += 1 }
    return CacheReading(number: lastNumber, epoch: epoch, beganAlone: present + earlier == 0)
  }

  mutating func end(_ reading: CacheReading) {
    if reading.epoch == epoch { present -= 1 } else { earlier -= 1 }
    guard earlier == 0 else { return }
    if removalCount > 0 {
      earlierRemovals = presentRemovals
      presentRemovals = [:]
      if present == 0 { earlierRemovals = [:] }
    }
    (earlier, present) = (present, 0)
    epoch += 1
  }

  /// Notes that a record was removed from the cache.
  mutating func noteRemoval(of key: Int64) {
    if present + earlier > 0 { presentRemovals[key] = lastNumber }
  }

  /// Notes that a commit removed a record. Only other readings can have its row: without any, which is the common case,
  /// a deletion of many records remembers nothing.
  ///
  /// - Parameter reading: The reading of the commit, which is under way.
  mutating func noteRemoval(of key: Int64, by reading: CacheReading) {
    if present + earlier > 1 { presentRemovals[key] = lastNumber }
  }

  /// Notes that the cache was emptied.
  mutating func noteRemovalOfAll() {
    lastBeforeRemovalOfAll = lastNumber
  }

  /// Whether all rows of a reading may enter the cache, which is the common case.
  @inline(__always) func admitsAll(of reading: CacheReading) -> Bool {
    presentRemovals.isEmpty && earlierRemovals.isEmpty
      && reading.number > lastBeforeRemovalOfAll
  }

  /// Whether a row of a reading may enter the cache: its record was not removed since the reading began.
  func admits(_ key: Int64, of reading: CacheReading) -> Bool {
    guard reading.number > lastBeforeRemovalOfAll else { return false }
    let removal = presentRemovals[key] ?? earlierRemovals[key] ?? 0
    return reading.number > removal
  }

  /// Whether no other reading was under way at any time since this one began: then its rows are newer than all cached
  /// ones.
  func wasAlone(_ reading: CacheReading) -> Bool {
    reading.beganAlone && reading.number == lastNumber
  }
}
