// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The parts of the URI of a saved object: `roost://STORE-UUID/Entity/p42`.
///
/// The text may be untrusted. Parsing looks at bytes only, allocates little, and accepts exactly the output of
/// ``text``: no ports, users, queries, leading zeros, other schemes or longer paths.
struct ObjectURI: Hashable {
  /// The UUID of the store.
  var store: String
  /// The name of the concrete entity.
  var entity: String
  /// The sequence number of the record in the store.
  var sequence: Int64

  static let scheme = "roost"
  /// Longer texts are rejected.
  static let longestText = 4096

  init(store: String, entity: String, sequence: Int64) {
    self.store = store
    self.entity = entity
    self.sequence = sequence
  }

  /// Parses a URI; nil when it does not have this form.
  init?(_ text: String) {
    let prefix = Self.scheme + "://"
    guard text.utf8.count <= Self.longestText, text.hasPrefix(prefix) else { return nil }
    let parts = text.dropFirst(prefix.count)
      .split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, Self.isStoreName(parts[0]),
      let entity = Self.decoded(parts[1]), let sequence = Self.sequence(parts[2])
    else { return nil }
    store = String(parts[0])
    self.entity = entity
    self.sequence = sequence
  }

  /// The URI.
  var text: String {
    "\(Self.scheme)://\(store)/\(Self.encoded(entity))/p\(sequence)"
  }

  /// The URI of an object that was never saved: it is informational only and resolves to nothing (B29).
  static func temporaryText(entity: String, number: Int64) -> String {
    "\(scheme):///\(encoded(entity))/t\(number)"
  }

  /// Whether a text can be the name of a store in a URI: letters, digits and hyphens.
  static func isStoreName(_ text: some StringProtocol) -> Bool {
    let bytes = text.utf8
    return !bytes.isEmpty && bytes.count <= 64
      && bytes.allSatisfy { isAlphanumeric($0) || $0 == 45 }
  }

  private static func sequence(_ text: Substring) -> Int64? {
    let digits = text.dropFirst()
    guard text.utf8.first == UInt8(ascii: "p"), let first = digits.utf8.first,
      (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(first), digits.utf8.count <= 19,
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int64(digits), number <= Int64.max >> RecordKey.entityBits
    else { return nil }
    return number
  }

  // MARK: Percent encoding

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: ".")
  }

  private static func encoded(_ name: String) -> String {
    if name.utf8.allSatisfy(isPlain) { return name }
    var result: [UInt8] = []
    for byte in name.utf8 {
      if isPlain(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func decoded(_ text: Substring) -> String? {
    var result: [UInt8] = []
    var bytes = text.utf8.makeIterator()
    while let byte = bytes.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = bytes.next().flatMap(hexValue), let low = bytes.next().flatMap(hexValue)
        else { return nil }
        result.append(high << 4 | low)
      } else {
        guard isPlain(byte) else { return nil }
        result.append(byte)
      }
    }
    guard !result.isEmpty else { return nil }
    return String(validating: result, as: UTF8.self)
  }

  private static func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
