// SPDX-License-Identifier: Apache-2.0

/// Writes JSON in one line, without spaces, and with only the required escapes.
package enum JSONText {
  /// Appends a node.
  package static func append(_ node: JSONNode, to bytes: inout [UInt8]) {
    switch node {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .boolean(let truth): bytes.append(contentsOf: (truth ? "true" : "false").utf8)
    case .number(let text): bytes.append(contentsOf: text.utf8)
    case .text(let text): append(text, to: &bytes)
    case .list(let nodes):
      bytes.append(UInt8(ascii: "["))
      for (place, node) in nodes.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        append(node, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (place, member) in members.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        append(member.name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(member.node, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 10: bytes.append(contentsOf: "\\n".utf8)
      case 13: bytes.append(contentsOf: "\\r".utf8)
      case 9: bytes.append(contentsOf: "\\t".utf8)
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes.append(contentsOf: "\\u00\(digits.utf8.count == 1 ? "0" : "")\(digits)".utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
