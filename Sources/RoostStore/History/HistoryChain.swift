// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

/// One transaction of a numbered history: its number, its time, and a digest over it and all transactions before it.
///
/// A file restored from a backup may have another transaction with a number that a reader has seen; its digest
/// differs.
package struct HistoryLink: Sendable, Hashable {
  /// The number; 0 before the first transaction.
  package var number: Int64
  /// The time of the commit, in seconds since 2001-01-01 00:00 UTC.
  package var timestamp: Double
  /// The digest over it and all transactions before it.
  package var digest: UInt64

  package init(number: Int64, timestamp: Double, digest: UInt64) {
    (self.number, self.timestamp, self.digest) = (number, timestamp, digest)
  }

  /// The beginning of a history.
  package static let beginning = HistoryLink(number: 0, timestamp: -.infinity, digest: 0)

  /// Returns the link of the next transaction. Its time is never earlier.
  package func next(_ content: HistoryContent, at time: Double) -> HistoryLink {
    let time = max(time, timestamp)
    var seed = Self.mixed(digest ^ UInt64(bitPattern: number &+ 1))
    seed = Self.mixed(seed ^ time.bitPattern)
    return HistoryLink(
      number: number &+ 1, timestamp: time,
      digest: content.bytes.withUnsafeBufferPointer { Self.hash($0, seed: seed) })
  }

  /// Returns the FNV-1a hash of bytes, with a seed.
  static func hash(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt64) -> UInt64 {
    var hash = 0xCBF2_9CE4_8422_2325 ^ seed
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }

  private static func mixed(_ number: UInt64) -> UInt64 {
    let product = number.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}

/// The state of a numbered history, as in all stores with one writer at a time.
package struct HistoryChain: Sendable, Hashable {
  /// The identity of the history.
  package var epoch: Int64
  /// The last transaction that was deleted.
  package var floor: HistoryLink
  /// The last transaction.
  package var last: HistoryLink

  package init(epoch: Int64, floor: HistoryLink, last: HistoryLink? = nil) {
    self.epoch = epoch
    self.floor = floor
    self.last = last ?? floor
  }

  /// Returns the beginning of a new history.
  package static func new() -> HistoryChain {
    HistoryChain(epoch: .random(in: 1 ... .max), floor: .beginning)
  }

  /// Whether a generation is current. The generation is the number of the last deleted transaction.
  package func isOf(_ generation: Int64?) -> Bool {
    generation == nil || generation == floor.number
  }

  /// The position after a transaction.
  package func position(after link: HistoryLink) -> StorePosition {
    StorePosition(epoch: epoch, place: .number(link.number, digest: link.digest))
  }

  /// Returns the number of the last transaction not later than a time, by binary search, because times never
  /// decrease.
  ///
  /// - Parameter timeOf: Returns the time of the transaction with a number; nil where there is none.
  package func last(notAfter time: Double, timeOf: (Int64) throws -> Double?) rethrows -> Int64 {
    var (low, high) = (floor.number, last.number)
    while low < high {
      let middle = low + (high - low + 1) / 2
      if let found = try timeOf(middle), found > time { high = middle - 1 } else { low = middle }
    }
    return low
  }

  /// Counts transactions on from an earlier answer, or all of them when some were deleted since.
  ///
  /// - Parameters:
  ///   - known: The earlier answer; nil for none.
  ///   - digest: Returns the digest of the transaction with a number; nil when there is none.
  ///   - add: Adds the transactions after a number to a size.
  package func size(
    since known: HistorySize?, digest: (Int64) throws -> UInt64?,
    adding add: (Int64, inout HistorySize) throws -> Void
  ) throws -> HistorySize {
    var (size, start) = (HistorySize(), floor.number)
    if let known, let position = known.position, known.generation == floor.number,
      let number = try? self.start(after: position, store: "", digest: digest)
    {
      (size, start) = (known, number)
    }
    try add(start, &size)
    size.generation = floor.number
    size.position = position(after: last)
    return size
  }

  /// Returns the number of the transaction after which a reader continues.
  ///
  /// - Parameters:
  ///   - position: The position of the last result; nil for the beginning.
  ///   - digest: Returns the digest of the transaction with a number; nil when there is none.
  ///   - store: The store, for the error.
  /// - Throws: `persistentHistoryTokenExpired`.
  package func start(
    after position: StorePosition?, store: String, digest: (Int64) throws -> UInt64?
  ) throws -> Int64 {
    guard let position else { return floor.number }
    guard position.epoch == epoch, case .number(let number, let expected) = position.place,
      number >= floor.number, number <= last.number
    else { throw PersistenceError.historyExpired(store: store) }
    let found =
      number == floor.number
      ? floor.digest : number == last.number ? last.digest : try digest(number)
    guard found == expected else { throw PersistenceError.historyExpired(store: store) }
    return number
  }
}

extension PersistenceError {
  /// Returns the error of a position whose following transactions are not complete.
  package static func historyExpired(store: String) -> PersistenceError {
    PersistenceError(
      .persistentHistoryTokenExpired,
      "The history of the store does not go back to the token: transactions after it were deleted, "
        + "or the store was replaced.", store: store)
  }
}
