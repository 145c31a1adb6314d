// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

/// Tests with streams that zlib has compressed without a header: in Python, `zlib.compressobj(9, zlib.DEFLATED,
/// -15)`.
@Suite struct InflationTests {
  /// The text that was compressed.
  private static let text = (0..<40).map { "\($0 * $0) roosts, " }.joined()

  private static let stored =
    "ATwAw/8wIHJvb3N0cywgMSByb29zdHMsIDQgcm9vc3RzLCA5IHJvb3N0cywgMTYgcm9vc3RzLCAyNSByb29z"
    + "dHM="
  private static let fixed =
    "M1Aoys8vLinWUTCEs0zgLEuErBmcaWQKZxojRE0Qas0QBlggTDU0MECwjZDETUyQbEGy0RLJSiQ7jUyRxC0Q"
    + "6o2NTJDcheQbJHtNTJDELRDqTY0Q5piaI8w3Q7LXDEncHEm9OZI5FkjmWyLZa2mGHA5IDjU0QPKBoSGS1wyR"
    + "/WxohBQYhsbIoWSCHHymSOEKAA=="
  private static let dynamic =
    "TZDBDcAwDAJX6QB9xI7tJFNFaru/+gv3QxiBoV3P3u/33pcdFActXetAzwO72JC2ZDDlaq0JO/gIpCBxIRKZ"
    + "nuCn9N0Df6ENciPAT+nT5ZND/oXcAj+gH/CZ8F/IXcUd8Kg1NDBDNWNnc4xhnSsF50vs+gM="

  private func bytes(_ text: String) throws -> [UInt8] {
    [UInt8](try #require(Data(base64Encoded: text)))
  }

  private func content(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> [UInt8] {
    try Inflation.content(of: bytes, limit: limit, name: "test")
  }

  @Test("blocks of each type give what was compressed (I43)")
  func types() throws {
    #expect(try content(bytes(Self.stored)) == Array(Self.text.utf8.prefix(60)))
    #expect(try content(bytes(Self.fixed)) == Array(Self.text.utf8))
    #expect(try content(bytes(Self.dynamic)) == Array(Self.text.utf8))
  }

  @Test("a stream that is cut off at any byte is an error (I43, I44)")
  func cutOff() throws {
    for stream in [Self.stored, Self.fixed, Self.dynamic] {
      let whole = try bytes(stream)
      for count in whole.indices {
        let error = #expect(throws: PersistenceError.self) {
          _ = try content(Array(whole[..<count]))
        }
        #expect(error?.code == .corruptStore)
      }
    }
  }

  @Test("a stream with any bit changed ends, with an error or another content (I44)")
  func damaged() throws {
    for stream in [Self.stored, Self.fixed, Self.dynamic] {
      let whole = try bytes(stream)
      for bit in 0..<whole.count * 8 {
        var changed = whole
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        do {
          _ = try content(changed)
        } catch let error as PersistenceError {
          #expect(error.code == .corruptStore)
        }
      }
    }
  }

  @Test("what a stream holds is bounded (I44)")
  func bounded() throws {
    let error = #expect(throws: PersistenceError.self) {
      _ = try content(bytes(Self.dynamic), limit: Self.text.utf8.count - 1)
    }
    #expect(error?.code == .limitExceeded)
  }
}
