// SPDX-License-Identifier: Apache-2.0

extension Array {
  /// Sorts by an integer key with a stable LSD radix sort of eight-bit digits. The digits begin at the lowest bit in
  /// which the keys differ; a digit that is equal in all keys costs nothing.
  @inline(__always)
  mutating func sortByDigits(of number: (Element) -> UInt64) where Element: BitwiseCopyable {
    guard let first = first.map(number) else { return }
    var differing: UInt64 = 0
    for element in self { differing |= number(element) ^ first }
    for shift in stride(from: UInt64(differing.trailingZeroBitCount), to: 64, by: 8)
    where (differing &>> shift) & 0xFF != 0 {
      self = Array(unsafeUninitializedCapacity: count) { target, initializedCount in
        scatter(by: shift, of: number, into: target)
        initializedCount = count
      }
    }
  }

  /// Writes the elements to where they belong by one digit.
  @inline(__always)
  private func scatter(
    by shift: UInt64, of number: (Element) -> UInt64,
    into target: UnsafeMutableBufferPointer<Element>
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { places in
      places.initialize(repeating: 0)
      for element in self { places[Int((number(element) &>> shift) & 0xFF)] &+= 1 }
      var next = 0
      for digit in places.indices { (places[digit], next) = (next, next &+ places[digit]) }
      for element in self {
        let digit = Int((number(element) &>> shift) & 0xFF)
        target.initializeElement(at: places[digit], to: element)
        places[digit] &+= 1
      }
    }
  }
}

extension [Int64] {
  /// Sorts record keys, which are never negative.
  mutating func sortKeys() {
    // Fewer are in order before all digits have been counted.
    if count < 256 { sort() } else { sortByDigits { UInt64(bitPattern: $0) } }
  }
}
