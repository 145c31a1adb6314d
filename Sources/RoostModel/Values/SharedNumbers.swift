// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

/// Shared `NSNumber` objects for Booleans and for frequent integers: ages, counts, ranks.
///
/// Making an object costs many times more than a lookup. The objects are made on first use, never released, and
/// immutable.
package enum SharedNumbers {
  /// Returns an integer, like `NSNumber(value:)`.
  package static func number(_ value: Int64) -> NSNumber {
    guard range.contains(value) else { return NSNumber(value: value) }
    let place = places + Int(value - range.lowerBound)
    guard let known = object(at: place.pointee.load(ordering: .acquiring)) else {
      return make(value, place)
    }
    return known
  }

  /// Returns a Boolean, like `NSNumber(value:)`.
  package static func truth(_ value: Bool) -> NSNumber { value ? yes : no }

  private static let range: ClosedRange<Int64> = -1...1023
  private static let yes = NSNumber(value: true)
  private static let no = NSNumber(value: false)

  /// The addresses of the numbers' objects; 0 for one that was not used yet.
  // Never freed, and accessed only atomically. The library's lazy reference is no replacement: it is unspecialised
  // generic code, and reads are thirty times slower.
  private nonisolated(unsafe) static let places = {
    let places = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: range.count)
    for index in 0..<range.count { (places + index).initialize(to: Atomic(0)) }
    return places
  }()

  /// Returns the object at an address, which was retained permanently when it was stored.
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
    // If two threads make a number concurrently, one releases its own.
    kept.release()
    return other
  }
}
