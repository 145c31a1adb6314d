// SPDX-License-Identifier: Apache-2.0

/// A decompressor for raw deflate streams (RFC 1951), without header and checksum, as Core Data compresses the model
/// in a store.
///
/// Implemented here, because nothing else reads compressed data: a library would be a further dependency of every
/// program with the SQLite store.
struct Inflation {
  private var input: BitReader
  private var output: [UInt8] = []
  private let limit: Int
  private let name: String

  /// Decompresses a whole stream.
  ///
  /// - Parameters:
  ///   - bytes: The stream; bytes behind its last block are ignored.
  ///   - limit: The maximum size of the content.
  ///   - name: The name of the stream in errors.
  /// - Returns: The content.
  /// - Throws: `corruptStore` when the stream is damaged or ends too early, `limitExceeded`.
  static func content(
    of bytes: [UInt8], limit: Int, name: String
  ) throws(PersistenceError) -> [UInt8] {
    var inflation = Inflation(input: BitReader(bytes: bytes, name: name), limit: limit, name: name)
    return try inflation.run()
  }

  private init(input: BitReader, limit: Int, name: String) {
    self.input = input
    self.limit = limit
    self.name = name
  }

  private func fault(_ reason: String) -> PersistenceError {
    PersistenceError(.corruptStore, "\(name) cannot be decompressed: \(reason).")
  }

  private mutating func run() throws(PersistenceError) -> [UInt8] {
    while true {
      let isLast = try input.bits(1) == 1
      switch try input.bits(2) {
      case 0: try copyStored()
      case 1: try expand(Self.fixedLiterals, Self.fixedDistances)
      case 2:
        let (literals, distances) = try readCodes()
        try expand(literals, distances)
      default: throw fault("a block has no known type")
      }
      if isLast { return output }
    }
  }

  private func checkRoom(_ count: Int) throws(PersistenceError) {
    guard output.count + count <= limit else {
      throw PersistenceError(
        .limitExceeded, "\(name) holds more than \(limit >> 20) MB: no model does.")
    }
  }

  private mutating func copyStored() throws(PersistenceError) {
    input.skipToByte()
    let count = try input.bits(16)
    guard try input.bits(16) == count ^ 0xFFFF else { throw fault("a length is damaged") }
    try checkRoom(count)
    for _ in 0..<count { output.append(UInt8(try input.bits(8))) }
  }

  private mutating func expand(
    _ literals: PrefixCode, _ distances: PrefixCode
  ) throws(PersistenceError) {
    while true {
      let symbol = try literals.next(&input)
      if symbol == 256 { return }
      guard symbol > 256 else {
        try checkRoom(1)
        output.append(UInt8(symbol))
        continue
      }
      guard symbol - 257 < Self.lengths.count else { throw fault("a length is damaged") }
      let (base, extra) = Self.lengths[symbol - 257]
      let length = base + (try input.bits(extra))
      let code = try distances.next(&input)
      guard code < Self.distances.count else { throw fault("a distance is damaged") }
      let (start, more) = Self.distances[code]
      let distance = start + (try input.bits(more))
      guard distance <= output.count else { throw fault("it refers to what is before its start") }
      try checkRoom(length)
      // Source and destination may overlap.
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  private mutating func readCodes() throws(PersistenceError) -> (PrefixCode, PrefixCode) {
    let literalCount = try input.bits(5) + 257
    let distanceCount = try input.bits(5) + 1
    var orders = [UInt8](repeating: 0, count: 19)
    for place in Self.order.prefix(try input.bits(4) + 4) {
      orders[place] = UInt8(try input.bits(3))
    }
    let code = try PrefixCode(lengths: orders, name: name)
    var lengths: [UInt8] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try code.next(&input)
      switch symbol {
      case ..<16: lengths.append(UInt8(symbol))
      case 16:
        guard let last = lengths.last else { throw fault("a code repeats nothing") }
        lengths += Array(repeating: last, count: 3 + (try input.bits(2)))
      case 17: lengths += Array(repeating: 0, count: 3 + (try input.bits(3)))
      default: lengths += Array(repeating: 0, count: 11 + (try input.bits(7)))
      }
    }
    guard lengths.count == literalCount + distanceCount else {
      throw fault("a code has too many lengths")
    }
    return (
      try PrefixCode(lengths: Array(lengths[..<literalCount]), name: name),
      try PrefixCode(lengths: Array(lengths[literalCount...]), name: name)
    )
  }

  // MARK: - Tables of the format

  /// The order of the code length codes.
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// The lengths of copies: the base length of each symbol, and its number of extra bits.
  private static let lengths: [(Int, Int)] = {
    var result: [(Int, Int)] = (0..<8).map { (3 + $0, 0) }
    for extra in 1...5 {
      for _ in 0..<4 { result.append((next(result), extra)) }
    }
    // The maximum length has its own symbol, although the symbol before covers it.
    return result + [(258, 0)]
  }()

  /// The distances of copies, in the same form.
  private static let distances: [(Int, Int)] = {
    var result: [(Int, Int)] = (0..<4).map { (1 + $0, 0) }
    for extra in 1...13 {
      for _ in 0..<2 { result.append((next(result), extra)) }
    }
    return result
  }()

  private static func next(_ known: [(Int, Int)]) -> Int {
    known.last.map { $0.0 + 1 << $0.1 } ?? 0
  }

  private static let fixedLiterals = PrefixCode(
    complete: Array(repeating: 8, count: 144) + Array(repeating: 9, count: 112)
      + Array(repeating: 7, count: 24) + Array(repeating: 8, count: 8))
  private static let fixedDistances = PrefixCode(complete: Array(repeating: 5, count: 30))
}

/// A bit reader, least significant bit first.
private struct BitReader {
  let bytes: [UInt8]
  let name: String
  private var place = 0
  private var held: UInt32 = 0
  private var count = 0

  init(bytes: [UInt8], name: String) {
    self.bytes = bytes
    self.name = name
  }

  /// Reads at most 16 bits as a number, the first bit as the least significant.
  mutating func bits(_ wanted: Int) throws(PersistenceError) -> Int {
    while count < wanted {
      guard place < bytes.count else {
        throw PersistenceError(.corruptStore, "\(name) cannot be decompressed: it is cut off.")
      }
      held |= UInt32(bytes[place]) << UInt32(count)
      place += 1
      count += 8
    }
    defer {
      held >>= UInt32(wanted)
      count -= wanted
    }
    return Int(held & (1 << UInt32(wanted) - 1))
  }

  /// Skips the remaining bits of a byte.
  mutating func skipToByte() {
    held >>= UInt32(count % 8)
    count -= count % 8
  }
}

/// A prefix code (canonical Huffman code).
private struct PrefixCode {
  /// The number of symbols per code length.
  private var counts = [Int](repeating: 0, count: 16)
  /// The symbols, sorted by code length.
  private var symbols: [Int] = []
  private let name: String

  /// Makes a code that is known to be valid.
  init(complete lengths: [UInt8]) {
    name = ""
    fill(lengths)
  }

  /// Makes the code with these code lengths; 0 is an unused symbol.
  ///
  /// - Throws: `corruptStore` when the code is oversubscribed.
  init(lengths: [UInt8], name: String) throws(PersistenceError) {
    self.name = name
    fill(lengths)
    var room = 1
    for count in counts.dropFirst() {
      room = room * 2 - count
      guard room >= 0 else {
        throw PersistenceError(
          .corruptStore, "\(name) cannot be decompressed: a code is overfull.")
      }
    }
  }

  private mutating func fill(_ lengths: [UInt8]) {
    for length in lengths where length > 0 { counts[Int(length)] += 1 }
    for length in 1...15 {
      for (symbol, own) in lengths.enumerated() where Int(own) == length { symbols.append(symbol) }
    }
  }

  /// Reads a symbol.
  func next(_ input: inout BitReader) throws(PersistenceError) -> Int {
    var code = 0
    var first = 0
    var index = 0
    for length in 1...15 {
      code |= try input.bits(1)
      let count = counts[length]
      if code - count < first { return symbols[index + code - first] }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw PersistenceError(.corruptStore, "\(name) cannot be decompressed: a symbol is unknown.")
  }
}
