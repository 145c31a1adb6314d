// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The pipe to the compiler: each message is its length in eight little-endian bytes, and then its bytes.
struct MessageChannel {
  /// The largest valid message; the largest realistic one holds a source file a few times.
  static let largestMessage: UInt64 = 1 << 30

  private let input: Int32
  private let output: Int32

  /// Takes over the standard streams, so that no other code writes into the messages.
  init() {
    input = dup(STDIN_FILENO)
    output = dup(STDOUT_FILENO)
    close(STDIN_FILENO)
    dup2(STDERR_FILENO, STDOUT_FILENO)
  }

  /// A channel over descriptors that it does not own.
  init(input: Int32, output: Int32) {
    self.input = input
    self.output = output
  }

  /// Waits for a message; nil at the end of the conversation.
  func receive() -> [UInt8]? {
    guard let header = read(8) else { return nil }
    let length = header.reversed().reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
    guard length > 0, length <= Self.largestMessage else { return nil }
    return read(Int(length))
  }

  /// Sends a message; false when the pipe is closed.
  func send(_ body: [UInt8]) -> Bool {
    let length = UInt64(body.count)
    return write((0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + body)
  }

  private func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let step = bytes.withUnsafeMutableBytes { buffer in
        systemRead(input, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { return nil }
      filled += step
    }
    return bytes
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let step = bytes.withUnsafeBytes { buffer in
        systemWrite(output, UnsafeRawBufferPointer(rebasing: buffer[sent...]))
      }
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { return false }
      sent += step
    }
    return true
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
  write(descriptor, buffer.baseAddress, buffer.count)
}
