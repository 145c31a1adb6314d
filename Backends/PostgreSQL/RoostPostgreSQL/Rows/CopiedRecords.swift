// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Finds the fields in what the server copies out in the binary format: one message for each record, the first of them
/// behind the format's own beginning, and one for the end.
struct CopiedRecords: ~Copyable {
  /// What the format begins with, when there is no extension: the signature, no flags, and the extension's length.
  static let beginning: [UInt8] = [
    0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
  ]

  private let columns: Int
  /// Where the fields of the last record are.
  private let places: UnsafeMutablePointer<CopiedFields.Place>
  private var hasBegun = false
  /// Whether the server has said that there are no more.
  private(set) var hasEnded = false

  /// - Parameter columns: How many fields each record has.
  init(columns: Int) {
    self.columns = columns
    places = .allocate(capacity: columns)
  }

  deinit {
    places.deallocate()
  }

  /// The fields of the record in a message, valid as long as the message; nil when it has none: at the end,
  /// and when the beginning comes alone.
  ///
  /// - Throws: `corruptStore` when the message has no record of so many fields.
  mutating func fields(in message: UnsafeRawBufferPointer) throws -> CopiedFields? {
    guard !hasEnded, let start = message.baseAddress else { throw Self.unexpected }
    var offset = 0
    if !hasBegun {
      let length = Self.beginning.count
      guard message.count >= length, message.prefix(length).elementsEqual(Self.beginning) else {
        throw Self.unexpected
      }
      hasBegun = true
      offset = length
      if message.count == length { return nil }
    }
    guard message.count - offset >= 2 else { throw Self.unexpected }
    let count = Int(Int16(bigEndian: message.loadUnaligned(fromByteOffset: offset, as: Int16.self)))
    offset += 2
    if count == -1 {
      hasEnded = true
      return nil
    }
    guard count == columns else { throw Self.unexpected }
    for column in 0..<count {
      guard message.count - offset >= 4 else { throw Self.unexpected }
      let length = Int(
        Int32(bigEndian: message.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
      offset += 4
      (places + column).initialize(to: CopiedFields.Place(offset: offset, count: length))
      guard length >= -1, length <= message.count - offset else { throw Self.unexpected }
      offset += max(length, 0)
    }
    guard offset == message.count else { throw Self.unexpected }
    return CopiedFields(start: start, places: UnsafePointer(places))
  }

  private static var unexpected: PersistenceError {
    PersistenceError(.corruptStore, "The server copies out what is no record of the table.")
  }
}

/// The fields of one record that the server has copied out.
struct CopiedFields: RecordFields {
  /// Where a field's bytes are in a message.
  struct Place {
    var offset: Int
    /// -1 for null.
    var count: Int
  }

  let start: UnsafeRawPointer
  /// One place for each column.
  let places: UnsafePointer<Place>

  @inline(__always)
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
    let place = places[Int(column)]
    guard place.count >= 0 else { return nil }
    return UnsafeRawBufferPointer(start: start + place.offset, count: place.count)
  }

  @inline(__always)
  func count(_ column: Int32) -> Int { max(places[Int(column)].count, 0) }
}
