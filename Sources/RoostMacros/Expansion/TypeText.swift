// SPDX-License-Identifier: Apache-2.0

/// The type of a property, as far as its source text tells.
struct TypeText {
  private let range: Range<Int>
  private let list: TokenList

  init(_ range: Range<Int>, in list: TokenList) {
    self.range = range
    self.list = list
  }

  /// The expression that has the type as its value: `String?.self`, `(any Codable & Sendable).self`.
  var metatype: String {
    guard let last = range.last else { return "Never.self" }
    // `String!` is `String?` with a promise that only the compiler needs.
    let isImplicitlyUnwrapped = list.isByte(last, Byte.exclamation)
    let text =
      isImplicitlyUnwrapped
      ? list.text(range.lowerBound..<last) + "?" : list.text(range)
    return isSimple ? "\(text).self" : "(\(text)).self"
  }

  /// Whether `.self` can follow without parentheses.
  private var isSimple: Bool {
    let simple = [
      Byte.dot, Byte.comma, Byte.less, Byte.greater, Byte.question, Byte.exclamation, Byte.colon,
      Byte.openBracket, Byte.closeBracket,
    ]
    let prefixes = ["any", "some", "borrowing", "consuming", "inout", "sending"]
    return range.allSatisfy { index in
      if list.isName(index) { return !prefixes.contains { list.isWord(index, $0) } }
      return simple.contains { list.isByte(index, $0) } && !list.isArrowHead(index)
    }
  }

  /// Whether the type is a function, a tuple or an existential, whose values cannot be encoded.
  var isClearlyNoAttribute: Bool {
    var type = range
    while let first = type.first, let last = type.last {
      if list.isByte(last, Byte.question) || list.isByte(last, Byte.exclamation) {
        type = first..<last
      } else if list.isByte(first, Byte.openParenthesis), list.closer(of: first) == last {
        let parts = list.split(first + 1..<last)
        guard parts.count == 1 else { return true }
        type = parts[0]
      } else {
        break
      }
    }
    if let first = type.first,
      ["any", "Any", "Character"].contains(where: { list.isWord(first, $0) })
    {
      return true
    }
    var index = type.lowerBound
    while index < type.upperBound, !list.isArrowHead(index) { index = list.index(after: index) }
    return index < type.upperBound
  }

  /// Whether the type is written `Set<Person>`.
  var isSet: Bool {
    guard let first = range.first, let last = range.last else { return false }
    return list.isWord(first, "Set") && list.isByte(first + 1, Byte.less)
      && list.isByte(last, Byte.greater)
  }

  /// Whether the type is written `[Person]`.
  var isArray: Bool {
    guard let first = range.first, let last = range.last,
      list.isByte(first, Byte.openBracket), list.closer(of: first) == last
    else { return false }
    return !range.contains { list.isByte($0, Byte.colon) }
  }

  /// The collection within an optional one, as `Set<Person>` within `Set<Person>?`; nil for any other type.
  var optionalCollection: Range<Int>? {
    guard let last = range.last,
      list.isByte(last, Byte.question) || list.isByte(last, Byte.exclamation)
    else { return nil }
    let inner = range.lowerBound..<last
    let type = TypeText(inner, in: list)
    return type.isSet || type.isArray ? inner : nil
  }

  /// Whether no managed object can be meant: a relationship cannot have the type.
  var isClearlyNoRelationship: Bool {
    isValue(range)
  }

  /// Whether a value of the type is certainly no text; a type of the program may be kept as one.
  var isClearlyNoText: Bool {
    var type = range
    while let last = type.last,
      list.isByte(last, Byte.question) || list.isByte(last, Byte.exclamation)
    {
      type = type.lowerBound..<last
    }
    guard type.count == 1, let first = type.first else { return isValue(type) }
    let name = list.text(first)
    return name != "String" && Self.values.contains(name)
  }

  /// Whether the type is certainly one of values; this is unknown for a type that is declared elsewhere.
  ///
  /// - Parameter known: Further types that are not managed objects.
  func isClearlyValue(_ known: Set<String>) -> Bool {
    isValue(range, known)
  }

  private func isValue(_ type: Range<Int>, _ known: Set<String> = []) -> Bool {
    var type = type
    // An optional, a set or an array counts as its element type.
    while let first = type.first, let last = type.last {
      if list.isByte(last, Byte.question) || list.isByte(last, Byte.exclamation) {
        type = first..<last
      } else if list.isByte(first, Byte.openBracket), list.closer(of: first) == last {
        let inner = first + 1..<last
        if inner.contains(where: { list.isByte($0, Byte.colon) }) { return true }
        type = inner
      } else if Self.containers.contains(where: { list.isWord(first, $0) }),
        list.isByte(first + 1, Byte.less), list.isByte(last, Byte.greater)
      {
        type = first + 2..<last
      } else {
        break
      }
    }
    guard let first = type.first else { return false }
    if list.isByte(first, Byte.openParenthesis) { return true }
    guard type.count == 1 else { return false }
    let name = list.text(first)
    return Self.values.contains(name) || known.contains(name.withoutBackticks)
  }

  private static let containers = ["Set", "Array", "Optional"]

  private static let values: Set<String> = [
    "Bool", "Character", "Data", "Date", "Decimal", "Double", "Float", "Int", "Int8", "Int16",
    "Int32", "Int64", "String", "Substring", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "URL",
    "UUID",
  ]
}
