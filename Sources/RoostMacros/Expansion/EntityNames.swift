// SPDX-License-Identifier: Apache-2.0

/// The names that the expansion of an entity class declares and uses.
struct EntityNames {
  /// The class as it is written, with backticks where it has them.
  let type: String
  /// The superclass as it is written; nil when the class derives from `ManagedObject` itself.
  let supertype: String?

  init(_ node: TypeNode, in list: TokenList) {
    type = node.name
    let written = node.inheritedTypes.first.map { list.text($0) } ?? ""
    supertype = Self.lastComponent(written) == "ManagedObject" ? nil : written
  }

  /// The class's name in the model: without backticks.
  var entity: String { type.withoutBackticks }
  var declaration: String { Self.identifier("_declaration_", type) }
  var blocks: String { Self.identifier("_blocks_", type) }
  /// The count of the properties that are inherited.
  var base: String { Self.identifier("_base_", type) }
  /// The count of all properties.
  var count: String { Self.identifier("_count_", type) }

  /// The superclass's count of properties; nil when there are none.
  var inheritedCount: String? {
    supertype.map { $0 + "." + Self.identifier("_count_", Self.lastComponent($0)) }
  }

  /// The expression that has a property's number as its value.
  func expression(_ number: PropertyNumber) -> String {
    var terms = supertype == nil ? [] : ["\(type).\(base)"]
    if number.count > 0 || terms.isEmpty && number.blocks.isEmpty { terms.append("\(number.count)") }
    terms += number.blocks.map { "\(type).\(blocks)._\($0)" }
    return terms.joined(separator: " + ")
  }

  /// The expression for a count that does not include what is inherited.
  func ownCount(_ number: PropertyNumber) -> String {
    (["\(number.count)"] + number.blocks.map { "\(type).\(blocks)._\($0)" })
      .joined(separator: " + ")
  }

  private static func lastComponent(_ name: String) -> String {
    String(name.split(separator: ".").last ?? "").trimmed
  }

  private static func identifier(_ prefix: String, _ name: String) -> String {
    let bare = prefix + name.withoutBackticks
    return bare.utf8.allSatisfy(Byte.isWordPart) ? bare : "`\(bare)`"
  }
}

extension String {
  /// The text as a string literal.
  var literal: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 32: result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// The text without the white space around it.
  var trimmed: String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
    let start = drop(while: isSpace)
    guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(start[...last])
  }
}
