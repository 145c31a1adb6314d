// SPDX-License-Identifier: Apache-2.0

/// The argument `inverse:`, a key path to one property: `\.people` or `\Department.people`.
struct InverseKeyPath {
  /// The property's name as it is written, with backticks where it has them.
  let property: String
  private let text: String

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
    text = list.text(value)
  }

  /// The argument for the declaration: the name for the model, and the key path, which the compiler checks.
  var expression: String { "inverse: .init(\(property.withoutBackticks.literal), \(text))" }
}
