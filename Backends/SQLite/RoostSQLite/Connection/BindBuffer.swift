// SPDX-License-Identifier: Apache-2.0

/// The bytes of a statement's bound values while it runs: SQLite reads them here (`SQLITE_STATIC`) and makes no
/// copies.
///
/// A value that does not fit is copied by SQLite.
final class BindBuffer {
  private static let capacity = 32_768
  private let start = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
  private var used = 0

  deinit {
    start.deallocate()
  }

  /// Frees the memory for the next statement; no statement that uses it may be running.
  func removeAll() {
    used = 0
  }

  /// Copies bytes, and returns their address; nil when they do not fit.
  @inline(__always)
  func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
    guard bytes.count <= BindBuffer.capacity &- used else { return nil }
    let place = start + used
    if let source = bytes.baseAddress { place.copyMemory(from: source, byteCount: bytes.count) }
    used &+= bytes.count
    return UnsafeRawPointer(place)
  }
}
