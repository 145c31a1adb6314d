// SPDX-License-Identifier: Apache-2.0

/// The names that the expansion of an entity class declares and uses.
struct EntityNames {
  /// The class as in the source, including backticks.
  let type: String
  /// The superclass as in the source; nil when the class derives from `ManagedObject` itself.
  let supertype: String?

  init(_ node: TypeNode, in list: TokenList) {
    type = node.name
    let written = node.inheritedTypes.first.map { list.text($0) } ?? ""
    // `NSManagedObject` is its name in code that was written for Core Data.
    let roots = ["ManagedObject", "NSManagedObject"]
    supertype = roots.contains(Self.lastComponent(written)) ? nil : written
  }

  /// The class's name in the model: without backticks.
  var entity: String { type.withoutBackticks }
  /// The type that holds all else that the expansion adds.
  var scope: String { Self.identifier(type) }

  /// The superclass's count of properties; nil when there are none.
  var inheritedCount: String? {
    supertype.map { "\($0).\(Self.identifier(Self.lastComponent($0)))._count" }
  }

  /// Returns an expression for a property's number that is valid in any scope.
  func expression(_ number: PropertyNumber) -> String {
    let path = "\(type).\(scope)."
    var terms = supertype == nil ? [] : [path + "_base"]
    if number.count > 0 || terms.isEmpty && number.blocks.isEmpty {
      terms.append("\(number.count)")
    }
    return (terms + number.blocks.map { path + block($0) }).joined(separator: " + ")
  }

  /// Returns the expression for a count without inherited properties, within ``scope``.
  func ownCount(_ number: PropertyNumber) -> String {
    (["\(number.count)"] + number.blocks.map(block)).joined(separator: " + ")
  }

  /// The count of the properties between an `#if` and its `#endif`.
  func block(_ index: Int) -> String { "_block\(index)" }

  private static func lastComponent(_ name: String) -> String {
    String(name.split(separator: ".").last ?? "").trimmed
  }

  private static func identifier(_ name: String) -> String {
    let bare = "_entity_" + name.withoutBackticks
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
