// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A growing byte buffer: numbers in network byte order, and fields of PostgreSQL's protocol, each preceded by its
/// length.
///
/// It belongs to the code that fills it, and frees its memory when it is released.
final class BinaryBuffer {
  private(set) var start: UnsafeMutableRawPointer
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 256) {
    self.capacity = max(capacity, 64)
    start = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit {
    start.deallocate()
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// Removes the bytes and keeps the memory.
  func removeAll() {
    count = 0
  }

  /// Removes the bytes after the first `count`.
  func truncate(to count: Int) {
    self.count = count
  }

  /// Makes room for `length` bytes and returns its address.
  @inline(__always)
  func extend(by length: Int) -> UnsafeMutableRawPointer {
    if count + length > capacity { grow(to: count + length) }
    defer { count += length }
    return start + count
  }

  private func grow(to needed: Int) {
    capacity = max(needed, capacity * 2)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    memory.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = memory
  }

  @inline(__always)
  func append<Number: FixedWidthInteger>(_ number: Number) {
    extend(by: MemoryLayout<Number>.size).storeBytes(of: number.bigEndian, as: Number.self)
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    extend(by: bytes.count).copyMemory(from: source, byteCount: bytes.count)
  }

  /// Writes a number at an offset that was reserved for it.
  func store(_ number: Int32, at offset: Int) {
    (start + offset).storeBytes(of: number.bigEndian, as: Int32.self)
  }
}

// MARK: - Fields

extension BinaryBuffer {
  @inline(__always)
  func appendNull() {
    append(-1 as Int32)
  }

  @inline(__always)
  func appendField(_ number: Int64) {
    let place = extend(by: 12)
    place.storeBytes(of: (8 as Int32).bigEndian, as: Int32.self)
    place.storeBytes(of: number.bigEndian, toByteOffset: 4, as: Int64.self)
  }

  @inline(__always)
  func appendField(_ number: Double) {
    appendField(Int64(bitPattern: number.bitPattern))
  }

  func appendField(_ truth: Bool) {
    append(1 as Int32)
    append(truth ? 1 as UInt8 : 0)
  }

  func appendField(_ text: String) {
    var text = text
    text.withUTF8 { appendField(UnsafeRawBufferPointer($0)) }
  }

  func appendField(_ data: Data) {
    data.withUnsafeBytes { appendField($0) }
  }

  func appendField(_ uuid: UUID) {
    withUnsafeBytes(of: uuid.uuid) { appendField($0) }
  }

  func appendField(_ bytes: UnsafeRawBufferPointer) {
    append(Int32(bytes.count))
    append(bytes)
  }

  func appendField(_ decimal: Decimal) {
    let length = count
    append(0 as Int32)
    NumericCode.append(decimal, to: self)
    store(Int32(count - length - 4), at: length)
  }
}
