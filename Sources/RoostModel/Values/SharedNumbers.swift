// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

/// Foundation's objects for truth values and for the whole numbers that programs have most of: ages, counts, ranks.
///
/// To make an object costs many times what it costs to find one. They are made when they are first asked for, kept for
/// good, and never change.
package enum SharedNumbers {
  /// A whole number, as `NSNumber(value:)` has it.
  package static func number(_ value: Int64) -> NSNumber {
    guard range.contains(value) else { return NSNumber(value: value) }
    let place = places + Int(value - range.lowerBound)
    guard let known = object(at: place.pointee.load(ordering: .acquiring)) else {
      return make(value, place)
    }
    return known
  }

  /// A truth value, as `NSNumber(value:)` has it.
  package static func truth(_ value: Bool) -> NSNumber { value ? yes : no }

  private static let range: ClosedRange<Int64> = -1...1023
  private static let yes = NSNumber(value: true)
  private static let no = NSNumber(value: false)

  /// The addresses of the numbers' objects; 0 for one that was not asked for yet.
  // Never freed, and read and written atomically only. A lazy reference of the library's is no replacement: it is
  // generic code that is made special nowhere, and reads thirty times as long.
  private nonisolated(unsafe) static let places = {
    let places = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: range.count)
    for index in 0..<range.count { (places + index).initialize(to: Atomic(0)) }
    return places
  }()

  /// The object at an address, which was retained for good when it was stored.
  @inline(__always)
  private static func object(at address: UInt) -> NSNumber? {
    UnsafeRawPointer(bitPattern: address).map {
      Unmanaged<NSNumber>.fromOpaque($0).takeUnretainedValue()
    }
  }

  @inline(never)
  private static func make(
    _ value: Int64, _ place: UnsafeMutablePointer<Atomic<UInt>>
  ) -> NSNumber {
    let number = NSNumber(value: value)
    let kept = Unmanaged.passRetained(number)
    let (isFirst, known) = place.pointee.compareExchange(
      expected: 0, desired: UInt(bitPattern: kept.toOpaque()), ordering: .acquiringAndReleasing)
    guard !isFirst, let other = object(at: known) else { return number }
    // Of two threads that make a number at the same time, one lets its own go.
    kept.release()
    return other
  }
}
