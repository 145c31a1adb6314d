// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Values in PostgreSQL's binary format: the parameters of a statement, or the rows of a COPY.
struct RawParameters {
  private(set) var bytes: [UInt8] = []
  private var ends: [Int] = []

  mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number)).bigEndian) }
  mutating func add(_ number: Int32) { add(UInt32(bitPattern: number).bigEndian) }
  mutating func add(_ number: Double) { add(number.bitPattern.bigEndian) }

  mutating func add(_ truth: Bool) {
    bytes.append(truth ? 1 : 0)
    ends.append(bytes.count)
  }

  mutating func add(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    ends.append(bytes.count)
  }

  mutating func add(_ uuid: UUID) {
    withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
  }

  private mutating func add(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
  }

  /// Adds an array of numbers as one value; `type` is the OID of its elements.
  mutating func add(array numbers: some Collection<UInt64>, type: UInt32) {
    // Dimensions, whether there are nulls, the type, the length, the first index.
    for number in [1, 0, type, UInt32(numbers.count), 1] {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    for number in numbers {
      withUnsafeBytes(of: UInt32(8).bigEndian) { bytes.append(contentsOf: $0) }
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
    ends.append(bytes.count)
  }

  static let int8: UInt32 = 20
  static let float8: UInt32 = 701

  func withPointers<Result>(
    _ body: (
      UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    )
      throws -> Result
  ) rethrows -> Result {
    try bytes.withUnsafeBytes { memory in
      let start = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
      var values: [UnsafePointer<CChar>?] = []
      var lengths: [Int32] = []
      var from = 0
      for end in ends {
        values.append(start.map { $0 + from })
        lengths.append(Int32(end - from))
        from = end
      }
      let formats = [Int32](repeating: 1, count: ends.count)
      return try body(values, lengths, formats, Int32(ends.count))
    }
  }
}
