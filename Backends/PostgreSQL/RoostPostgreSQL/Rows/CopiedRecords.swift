// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Finds the fields in a COPY in the binary format: one message per record, the first of them after the header, and
/// one for the trailer.
struct CopiedRecords: ~Copyable {
  /// The header of a format without extensions: the signature, no flags, and the length of the extension area.
  static let beginning: [UInt8] = [
    0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
  ]

  private let columns: Int
  /// The positions of the last record's fields.
  private let places: UnsafeMutablePointer<CopiedFields.Place>
  private var hasBegun = false
  /// Whether the trailer was received.
  private(set) var hasEnded = false

  /// - Parameter columns: The number of fields of each record.
  init(columns: Int) {
    self.columns = columns
    places = .allocate(capacity: columns)
  }

  deinit {
    places.deallocate()
  }

  /// Returns the fields of the record in a message, valid as long as the message; nil for a message without a record:
  /// the trailer, or a header on its own.
  ///
  /// - Throws: `corruptStore` when the message has no record with that number of fields.
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
    PersistenceError(.corruptStore, "The server has sent data that is no record of the table.")
  }
}

/// The fields of one record of a COPY.
struct CopiedFields: RecordFields {
  /// The position of a field's bytes in a message.
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
