// SPDX-License-Identifier: Apache-2.0

/// A reader for Apple's binary property lists (`bplist00`) without Foundation: `PropertyListSerialization` hides the
/// references of archives, and crashes on some damaged files.
///
/// Objects are read on demand and refer to one another by number, so that cycles are harmless.
struct BinaryPropertyList {
  /// The maximum file size in bytes.
  static let largestSize = 64 << 20
  /// The maximum number of members of all collections. Damaged collections can overlap, so that each byte would count
  /// several times.
  static let largestMemberCount = 5_000_000

  /// One object of the list.
  enum Node: Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001.
    case date(Double)
    case data(Range<Int>)
    case string(String)
    /// A reference of an archive.
    case reference(Int)
    /// The numbers of the members.
    case array([Int])
    /// The numbers of keys and values.
    case dictionary(keys: [Int], values: [Int])
  }

  let bytes: [UInt8]
  private let offsets: [Int]
  /// The number of the object that contains all others.
  let root: Int
  private let referenceSize: Int
  private(set) var memberCount = 0
  private let name: String

  /// Reads the table of objects.
  ///
  /// - Parameter name: The name of the file in errors.
  /// - Throws: `invalidModel` when the bytes are not a binary property list, `limitExceeded` when there are too many.
  init(_ bytes: [UInt8], name: String) throws(PersistenceError) {
    self.name = name
    func fault(_ reason: String) -> PersistenceError {
      PersistenceError(.invalidModel, "\(name) is no binary property list: \(reason).")
    }
    guard bytes.count <= Self.largestSize else {
      throw PersistenceError(
        .limitExceeded, "\(name) is larger than \(Self.largestSize >> 20) MB: no model is.")
    }
    guard bytes.starts(with: Array("bplist00".utf8)), bytes.count >= 40 else {
      throw fault("it does not begin like one")
    }
    let trailer = bytes.count - 32
    func number(_ place: Int, _ size: Int) -> Int? { Self.number(bytes, place, size) }
    let offsetSize = Int(bytes[trailer + 6])
    let referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = number(trailer + 8, 8), let root = number(trailer + 16, 8),
      let table = number(trailer + 24, 8), count > 0, root < count, table <= trailer,
      count <= (trailer - table) / offsetSize
    else { throw fault("its last bytes are damaged") }
    var offsets: [Int] = []
    offsets.reserveCapacity(count)
    for index in 0..<count {
      guard let offset = number(table + index * offsetSize, offsetSize),
        (8..<table).contains(offset)
      else { throw fault("object \(index) lies outside of the file") }
      offsets.append(offset)
    }
    self.bytes = bytes
    self.offsets = offsets
    self.root = root
    self.referenceSize = referenceSize
  }

  /// Reads an object by its number.
  ///
  /// - Throws: `invalidModel` with the object's number, `limitExceeded` for too many members.
  mutating func node(_ index: Int) throws(PersistenceError) -> Node {
    guard offsets.indices.contains(index) else { throw fault(index, "does not exist") }
    let place = offsets[index]
    let low = Int(bytes[place] & 15)
    switch bytes[place] >> 4 {
    case 0x0:
      switch low {
      case 8: return .boolean(false)
      case 9: return .boolean(true)
      default: return .null
      }
    case 0x1: return .integer(try integer(index, place + 1, low))
    case 0x2: return .real(try real(index, place + 1, low))
    case 0x3: return .date(try real(index, place + 1, 3))
    case 0x4: return .data(try range(index, place, low, unit: 1))
    case 0x5:
      let range = try range(index, place, low, unit: 1)
      guard bytes[range].allSatisfy({ $0 < 128 }) else { throw fault(index, "is no ASCII text") }
      return .string(String(decoding: bytes[range], as: UTF8.self))
    case 0x6: return .string(try utf16(index, try range(index, place, low, unit: 2)))
    case 0x8:
      guard let value = Self.number(bytes, place + 1, low + 1) else {
        throw fault(index, "is a damaged reference")
      }
      return .reference(value)
    case 0xA, 0xC:
      return .array(try members(index, try range(index, place, low, unit: referenceSize)))
    case 0xD:
      let all = try members(index, try range(index, place, low, unit: 2 * referenceSize))
      let half = all.count / 2
      return .dictionary(keys: Array(all[..<half]), values: Array(all[half...]))
    default: throw fault(index, "is of an unknown kind")
    }
  }

  /// Returns an error that names an object.
  func fault(_ index: Int, _ reason: String) -> PersistenceError {
    PersistenceError(.invalidModel, "\(name): object \(index) \(reason).")
  }
}

// MARK: - Parts of an object

extension BinaryPropertyList {
  /// Reads a big-endian number; nil when it is out of bounds or does not fit.
  private static func number(_ bytes: [UInt8], _ place: Int, _ size: Int) -> Int? {
    guard place >= 0, size > 0, place <= bytes.count - size else { return nil }
    var value: UInt64 = 0
    for byte in bytes[place..<(place + size)] {
      guard value >> 56 == 0 else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return Int(exactly: value)
  }

  private func integer(_ index: Int, _ place: Int, _ power: Int) throws(PersistenceError) -> Int64 {
    guard power <= 4, place <= bytes.count - (1 << power) else {
      throw fault(index, "is a damaged number")
    }
    // Numbers of 8 bytes are signed, shorter ones unsigned; those of 16 bytes hold unsigned values above 63 bits.
    let all = bytes[place..<(place + (1 << power))]
    if power == 4, all.prefix(8).contains(where: { $0 != 0 }) {
      throw fault(index, "is a number of more than 64 bits")
    }
    return Int64(bitPattern: all.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  private func real(_ index: Int, _ place: Int, _ power: Int) throws(PersistenceError) -> Double {
    guard power == 2 || power == 3, place <= bytes.count - (1 << power) else {
      throw fault(index, "is a damaged number")
    }
    let bits = bytes[place..<(place + (1 << power))].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return power == 3
      ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
  }

  /// Returns the bytes after a marker: `low` units, or the number of units given after it.
  private func range(
    _ index: Int, _ place: Int, _ low: Int, unit: Int
  ) throws(PersistenceError) -> Range<Int> {
    var start = place + 1
    var count = low
    if low == 15 {
      guard start < bytes.count, bytes[start] >> 4 == 1, bytes[start] & 15 <= 3,
        let length = Self.number(bytes, start + 1, 1 << Int(bytes[start] & 15))
      else { throw fault(index, "has a damaged length") }
      start += 1 + 1 << Int(bytes[start] & 15)
      count = length
    }
    guard start <= bytes.count, count <= (bytes.count - start) / unit else {
      throw fault(index, "goes on behind the end of the file")
    }
    return start..<(start + count * unit)
  }

  private func utf16(_ index: Int, _ range: Range<Int>) throws(PersistenceError) -> String {
    let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw fault(index, "is no UTF-16 text")
    }
    return text
  }

  private mutating func members(
    _ index: Int, _ range: Range<Int>
  ) throws(PersistenceError) -> [Int] {
    memberCount += range.count / referenceSize
    guard memberCount <= Self.largestMemberCount else {
      throw PersistenceError(
        .limitExceeded,
        "\(name): the collections have more than \(Self.largestMemberCount) members.")
    }
    var result: [Int] = []
    for place in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
      guard let member = Self.number(bytes, place, referenceSize), member < offsets.count else {
        throw fault(index, "has a member that does not exist")
      }
      result.append(member)
    }
    return result
  }
}
