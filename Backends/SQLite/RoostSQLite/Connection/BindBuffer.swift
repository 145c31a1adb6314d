// SPDX-License-Identifier: Apache-2.0

/// The bytes of a statement's values while it runs: SQLite reads them here and makes no copies of its own.
///
/// A value that does not fit is left to SQLite.
final class BindBuffer {
  private static let capacity = 32_768
  private let start = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
  private var used = 0

  deinit {
    start.deallocate()
  }

  /// Gives the memory to the next statement; none that uses it is running.
  func removeAll() {
    used = 0
  }

  /// Copies bytes, and returns where; nil when they do not fit.
  @inline(__always)
  func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
    guard bytes.count <= BindBuffer.capacity &- used else { return nil }
    let place = start + used
    if let source = bytes.baseAddress { place.copyMemory(from: source, byteCount: bytes.count) }
    used &+= bytes.count
    return UnsafeRawPointer(place)
  }
}
