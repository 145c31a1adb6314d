// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads metadata in the very form in which ``StoreMetadata/json()`` writes them, in one pass and without a decoder,
/// which would be a large part of the time in which a store is opened.
///
/// Whatever looks otherwise is no error here: escapes, other keys, values of the program, damage. It is for the
/// decoder to say what that means.
struct MetadataScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var place = 0

  /// The metadata that the bytes stand for; nil unless they are written as usual.
  static func metadata(in json: Data) -> StoreMetadata? {
    json.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: UInt8.self) { bytes in
        var scanner = MetadataScanner(bytes)
        guard let metadata = scanner.metadata(), scanner.place == bytes.count else { return nil }
        return metadata
      }
    }
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// The keys stand in the order of the alphabet.
  private mutating func metadata() -> StoreMetadata? {
    guard skip("{\"entityCodes\":"), let codes = dictionary({ $0.number() }),
      skip(",\"entityVersionHashes\":"), let hashes = dictionary({ $0.data() }),
      skip(",\"identifier\":"), let identifier = string(),
      skip(",\"storeType\":"), let storeType = string(),
      skip(",\"userValues\":{},\"versionChecksum\":"), let checksum = string(),
      skip(",\"versionIdentifiers\":"), let identifiers = strings(), skip("}")
    else { return nil }
    var metadata = StoreMetadata(storeType: storeType, identifier: identifier)
    metadata.entityCodes = codes
    metadata.entityVersionHashes = hashes
    metadata.versionChecksum = checksum
    metadata.versionIdentifiers = identifiers
    return metadata
  }

  // MARK: - Parts

  private mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - place >= count, let start = bytes.baseAddress,
      memcmp(start + place, text.utf8Start, count) == 0
    else { return false }
    place += count
    return true
  }

  private mutating func dictionary<Element>(
    _ element: (inout MetadataScanner) -> Element?
  ) -> [String: Element]? {
    var result: [String: Element] = [:]
    guard skip("{") else { return nil }
    if skip("}") { return result }
    repeat {
      guard let key = string(), skip(":"), let value = element(&self),
        result.updateValue(value, forKey: key) == nil
      else { return nil }
    } while skip(",")
    return skip("}") ? result : nil
  }

  private mutating func strings() -> [String]? {
    var result: [String] = []
    guard skip("[") else { return nil }
    if skip("]") { return result }
    repeat {
      guard let next = string() else { return nil }
      result.append(next)
    } while skip(",")
    return skip("]") ? result : nil
  }

  /// The bytes between quotation marks, in which nothing has a meaning of its own.
  private mutating func quoted() -> UnsafeBufferPointer<UInt8>? {
    guard skip("\"") else { return nil }
    let start = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      guard bytes[place] >= 0x20, bytes[place] != UInt8(ascii: "\\") else { return nil }
      place += 1
    }
    let end = place
    return skip("\"") ? UnsafeBufferPointer(rebasing: bytes[start..<end]) : nil
  }

  private mutating func string() -> String? {
    quoted().flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// A whole number without a sign, and with no more digits than a code of an entity can have.
  private mutating func number() -> Int? {
    let start = place
    var number = 0
    while place < bytes.count, let digit = Self.digit(bytes[place]), place - start < 9 {
      number = number * 10 + digit
      place += 1
    }
    guard place > start, place == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
    return number
  }

  private static func digit(_ byte: UInt8) -> Int? {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int(byte - UInt8(ascii: "0")) : nil
  }

  // MARK: - Bytes

  /// Bytes in base 64, three of them in four characters.
  private mutating func data() -> Data? {
    guard let text = quoted(), text.count % 4 == 0 else { return nil }
    if text.isEmpty { return Data() }
    let padding =
      text[text.count - 1] != UInt8(ascii: "=")
      ? 0
      : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
    let count = text.count / 4 * 3 - padding
    return withUnsafeTemporaryAllocation(byteCount: count + 3, alignment: 4) { target in
      for group in 0..<text.count / 4 {
        var word: UInt32 = 0
        for place in group * 4..<group * 4 + 4 {
          // The signs that fill up the last group stand for no bits.
          guard let bits = place < text.count - padding ? Self.bits(text[place]) : 0 else {
            return nil
          }
          word = word << 6 | bits
        }
        target[group * 3] = UInt8(truncatingIfNeeded: word >> 16)
        target[group * 3 + 1] = UInt8(truncatingIfNeeded: word >> 8)
        target[group * 3 + 2] = UInt8(truncatingIfNeeded: word)
      }
      // Bits that belong to no byte are clear, as the encoder leaves them.
      guard target[count..<count + padding].allSatisfy({ $0 == 0 }) else { return nil }
      return Data(target[..<count])
    }
  }

  private static func bits(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
