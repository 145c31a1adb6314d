// SPDX-License-Identifier: Apache-2.0

/// The argument `inverse:`, a key path to one property: `\.people` or `\Department.people`.
struct InverseKeyPath {
  /// The property's name as in the source, including backticks.
  let property: String
  /// The root type as in the source; nil for the short form.
  private let root: String?

  /// Reads an argument; nil when it is another, or when it leads anywhere but to one property of a type.
  init?(_ argument: ArgumentNode, in list: TokenList) {
    guard argument.label == "inverse" else { return nil }
    let value = argument.value
    guard list.isByte(value.lowerBound, Byte.backslash), value.count >= 3 else { return nil }
    // After the backslash names and dots take turns, and a name is last.
    var expectsName = !list.isByte(value.lowerBound + 1, Byte.dot)
    let isRelative = !expectsName
    for index in value.dropFirst() {
      guard expectsName ? list.isName(index) : list.isByte(index, Byte.dot) else { return nil }
      expectsName.toggle()
    }
    let last = value.upperBound - 1
    guard !expectsName, list.isName(last), !list.isWord(last, "self"),
      !isRelative || value.count == 3
    else { return nil }
    property = list.text(last)
    root = isRelative ? nil : list.text(value.lowerBound + 1..<last - 1)
  }

  /// The arguments of the declaration: the name for the model, and a function that reads the property, so that the
  /// compiler checks it.
  var expression: String {
    let object = root.map { "($0 as \($0))" } ?? "$0"
    return "inverse: \(property.withoutBackticks.literal), { \(object).\(property) }"
  }
}
