// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The records that a reader has found whole in one state of the file, and where they are: what was checked is not
/// checked again before the next write, and what was found is not looked for.
///
/// A word stands for each record: LMDB neither moves nor changes a page that a state of the file has, as long as that
/// state is the last one or is being read. Records with large numbers have a bit, which only says that they are whole;
/// those with very large numbers have nothing and are checked each time.
final class CheckedRecords {
  /// The number of the transaction whose state it is.
  @exclusivity(unchecked) private var state = -1
  /// How often the file's addresses have moved.
  @exclusivity(unchecked) private var moves = -1
  /// What stands at a page of words that are of this state: no page is emptied before it is used again.
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
    /// For how many records there are words, a multiple of a page's.
    var count: Int64 = 0

    func deallocate() {
      words.deallocate()
      stamps.deallocate()
    }
  }

  /// The numbers up to which there are words: eight megabytes of them for an entity.
  private static let largestPlaced: Int64 = 1 << 20
  /// The numbers up to which there are bits: a quarter of a megabyte of them for an entity.
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

  /// Begins to read a state of the file.
  ///
  /// - Parameters:
  ///   - state: The number of the transaction.
  ///   - moves: How often the file's addresses have moved so far.
  func begin(_ state: Int, moves: Int) {
    guard state != self.state || moves != self.moves else { return }
    self.state = state
    self.moves = moves
    stamp &+= 1
    // Once in four thousand million states an old page could look like a new one.
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

  /// The word of a record; 0 when nothing is known of it.
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

  /// The bytes of a record that was found whole; nil when it has to be looked for.
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

  /// Notes that a record is whole, and where it is.
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
    // What has no stamp is written before it is read. No state has the stamp 0.
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
