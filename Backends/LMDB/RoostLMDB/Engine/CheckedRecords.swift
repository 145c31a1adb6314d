// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The addresses of the records that a reader has verified in one snapshot: a verified record is neither verified
/// again nor looked up again before the next write.
///
/// There is one word per record. LMDB neither moves nor changes a page of a snapshot as long as that snapshot is the
/// last one or is being read. A record with a large sequence number has only a bit, which says that it is intact; one
/// with a very large number has nothing and is verified each time.
final class CheckedRecords {
  /// The transaction ID of the snapshot.
  @exclusivity(unchecked) private var state = -1
  /// The number of times that the memory map had moved.
  @exclusivity(unchecked) private var moves = -1
  /// The stamp of the pages of words that belong to the current snapshot: pages are not cleared before they are
  /// reused.
  @exclusivity(unchecked) private var stamp: UInt32 = 0
  /// The places by entity code.
  @exclusivity(unchecked) private var places: [Places] = []
  /// The bits by entity code.
  @exclusivity(unchecked) private var bits: [[UInt64]] = []

  /// The words of one entity.
  private struct Places {
    var words = UnsafeMutablePointer<UInt64>.allocate(capacity: 0)
    /// The stamp of each page of words.
    var stamps = UnsafeMutablePointer<UInt32>.allocate(capacity: 0)
    /// The number of records with words, a multiple of the page size.
    var count: Int64 = 0

    func deallocate() {
      words.deallocate()
      stamps.deallocate()
    }
  }

  /// The limit of sequence numbers with a word: eight megabytes of words for an entity.
  private static let largestPlaced: Int64 = 1 << 20
  /// The limit of sequence numbers with a bit: a quarter of a megabyte of bits for an entity.
  private static let largest: Int64 = 1 << 21
  /// A page is 512 words, 4 KiB.
  private static let pageShift: Int64 = 9
  /// A word has an address in its lower 48 bits and the number of bytes above.
  private static let countShift: UInt64 = 48
  /// The number of bytes of a record that is whole and too long for its word.
  private static let isLong: UInt64 = 0xFFFF

  deinit {
    for places in places { places.deallocate() }
  }

  /// Begins a snapshot.
  ///
  /// - Parameters:
  ///   - state: The transaction ID.
  ///   - moves: The number of times that the memory map has moved so far.
  func begin(_ state: Int, moves: Int) {
    guard state != self.state || moves != self.moves else { return }
    self.state = state
    self.moves = moves
    stamp &+= 1
    // The stamp wraps around once in four thousand million snapshots; then an old page could look like a new one.
    if stamp == 0 { forgetPlaces() }
    for code in bits.indices {
      for index in bits[code].indices { bits[code][index] = 0 }
    }
  }

  private func forgetPlaces() {
    for places in places { places.deallocate() }
    places = []
    stamp = 1
  }

  /// The word of a record; 0 for an unverified one.
  @inline(__always)
  private func knownWord(_ code: Int, _ number: Int64) -> UInt64 {
    guard code < places.count else { return 0 }
    let places = places[code]
    // A negative number is a large one without its sign.
    guard UInt64(bitPattern: number) < UInt64(places.count),
      places.stamps[Int(number &>> Self.pageShift)] == stamp
    else { return 0 }
    return places.words[Int(number)]
  }

  /// Returns the bytes of a verified record; nil when it has to be looked up.
  @inline(__always)
  func record(_ key: Int64) -> UnsafeRawBufferPointer? {
    let word = knownWord(RecordKey.entityCode(of: key), RecordKey.sequence(of: key))
    let count = word &>> Self.countShift
    guard word != 0, count != Self.isLong else { return nil }
    let address = UInt(word & ((1 &<< Self.countShift) &- 1))
    return UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: Int(count))
  }

  /// Whether a record was found whole.
  @inline(__always)
  func contains(_ key: Int64) -> Bool {
    let code = RecordKey.entityCode(of: key)
    let number = RecordKey.sequence(of: key)
    if knownWord(code, number) != 0 { return true }
    guard number >= Self.largestPlaced, code < bits.count, number &>> 6 < bits[code].count else {
      return false
    }
    return bits[code][Int(number &>> 6)] & (1 &<< UInt64(number & 63)) != 0
  }

  /// Records that a record is intact, and its address.
  @inline(__always)
  func insert(_ key: Int64, _ record: UnsafeRawBufferPointer) {
    let code = RecordKey.entityCode(of: key)
    let number = RecordKey.sequence(of: key)
    guard number >= 0, number < Self.largest else { return }
    guard number < Self.largestPlaced else { return insertBit(code, number) }
    if code >= places.count || number >= places[code].count { makeRoom(code, number) }
    let places = places[code]
    let page = Int(number &>> Self.pageShift)
    if places.stamps[page] != stamp {
      places.stamps[page] = stamp
      (places.words + page &<< Int(Self.pageShift))
        .update(repeating: 0, count: 1 &<< Int(Self.pageShift))
    }
    places.words[Int(number)] = Self.word(record)
  }

  @inline(__always)
  private static func word(_ record: UnsafeRawBufferPointer) -> UInt64 {
    let address = UInt64(UInt(bitPattern: record.baseAddress))
    guard address &>> countShift == 0, record.count < isLong else { return isLong &<< countShift }
    return UInt64(record.count) &<< countShift | address
  }

  private func makeRoom(_ code: Int, _ number: Int64) {
    while places.count <= code { places.append(Places()) }
    let old = places[code]
    let pageCount = min(
      Self.largestPlaced >> Self.pageShift, ((number >> Self.pageShift) + 1) * 3 / 2 + 1)
    let oldPageCount = Int(old.count >> Self.pageShift)
    let count = pageCount << Self.pageShift
    let new = Places(
      words: .allocate(capacity: Int(count)), stamps: .allocate(capacity: Int(pageCount)),
      count: count)
    new.words.initialize(from: old.words, count: Int(old.count))
    new.stamps.initialize(from: old.stamps, count: oldPageCount)
    // Words without a stamp are written before they are read. The stamp 0 belongs to no snapshot.
    (new.stamps + oldPageCount).initialize(repeating: 0, count: Int(pageCount) - oldPageCount)
    old.deallocate()
    places[code] = new
  }

  private func insertBit(_ code: Int, _ number: Int64) {
    while bits.count <= code { bits.append([]) }
    if number >> 6 >= bits[code].count {
      let count = max(64, (Int(number >> 6) + 1) * 3 / 2)
      bits[code] += Array(repeating: 0, count: count - bits[code].count)
    }
    bits[code][Int(number >> 6)] |= 1 << UInt64(number & 63)
  }
}
