// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Prints a tree as a format string that parses as the same tree, in the spelling of Apple's framework.
struct FormatPrinter {
  private(set) var text = ""
  private var level = 0

  static func format(_ predicate: FetchPredicate) -> String {
    var printer = FormatPrinter()
    printer.write(predicate)
    return printer.text
  }

  static func format(_ expression: FetchExpression) -> String {
    var printer = FormatPrinter()
    printer.write(expression, in: .bitwise)
    return printer.text
  }

  mutating func write(_ part: String) {
    text += part
  }

  /// Runs `body` one level deeper; a tree that is too deep for a query is cut off.
  private mutating func nested(_ body: (inout FormatPrinter) -> Void) {
    guard level <= QueryLimits.maximumDepth else { return write("…") }
    level += 1
    body(&self)
    level -= 1
  }

  // MARK: Conditions

  mutating func write(_ predicate: FetchPredicate) {
    switch predicate {
    case .constant(let truth): write(truth ? "TRUEPREDICATE" : "FALSEPREDICATE")
    case .comparison(let comparison): write(comparison)
    case .and(let operands): write(operands, " AND ", whenEmpty: "TRUEPREDICATE")
    case .or(let operands): write(operands, " OR ", whenEmpty: "FALSEPREDICATE")
    case .not(let operand):
      write("NOT ")
      writeOperand(operand, isParenthesized: operand.needsParenthesesAfterNot)
    }
  }

  private mutating func write(
    _ operands: [FetchPredicate], _ connective: String, whenEmpty: String
  ) {
    if operands.isEmpty { return write(whenEmpty) }
    for (index, operand) in operands.enumerated() {
      if index > 0 { write(connective) }
      writeOperand(operand, isParenthesized: operands.count > 1 && operand.isCompound)
    }
  }

  private mutating func writeOperand(_ operand: FetchPredicate, isParenthesized: Bool) {
    nested { printer in
      if isParenthesized { printer.write("(") }
      printer.write(operand)
      if isParenthesized { printer.write(")") }
    }
  }

  private mutating func write(_ comparison: ComparisonPredicate) {
    switch comparison.modifier {
    case .direct: break
    case .any: write("ANY ")
    case .all: write("ALL ")
    }
    write(comparison.left, in: .bitwise)
    write(" \(comparison.comparison.rawValue)\(comparison.options.formatSuffix) ")
    write(comparison.right, in: .bitwise)
  }

  // MARK: Expressions

  /// Writes an expression where an operand of at least some precedence is expected.
  mutating func write(_ expression: FetchExpression, in precedence: FormatParser.Precedence) {
    nested { printer in printer.writeNested(expression, in: precedence) }
  }

  private mutating func writeNested(
    _ expression: FetchExpression, in precedence: FormatParser.Precedence
  ) {
    switch expression {
    case .constant(let value): write(constant: value)
    case .nullObject: write(FormatToken.Symbol.null.rawValue)
    case .refused(let keyPath): write("<\(keyPath)>")
    case .evaluatedObject: write("SELF")
    case .keyPath(let path): write(path: path[...], isFirst: true)
    case .keyPathOf(let base, let path):
      writePostfixBase(base)
      write(path: path[...], isFirst: false)
    case .variable(let name): write("$\(name)")
    case .list(let members): write(list: members, "{", "}")
    case .function(let function, let arguments): write(function, arguments, in: precedence)
    case .subquery(let collection, let variable, let condition):
      write("SUBQUERY(")
      write(collection, in: .bitwise)
      write(", $\(variable), ")
      write(condition)
      write(")")
    case .conditional(let condition, let first, let second):
      write("TERNARY(")
      write(condition)
      write(", ")
      write(list: [first, second], "", ")")
    }
  }

  private mutating func write(list members: [FetchExpression], _ open: String, _ close: String) {
    write(open)
    for (index, member) in members.enumerated() {
      if index > 0 { write(", ") }
      write(member, in: .bitwise)
    }
    write(close)
  }

  private mutating func write(
    _ function: FetchFunction, _ arguments: [FetchExpression],
    in precedence: FormatParser.Precedence
  ) {
    switch (function, arguments.count) {
    case (.negate, 1), (.onesComplement, 1):
      // The parenthesis keeps the sign from becoming part of a number.
      write(function == .negate ? "-(" : "~(")
      write(arguments[0], in: .bitwise)
      write(")")
    case (.objectFrom, 2):
      writePostfixBase(arguments[0])
      write("[")
      writeIndex(arguments[1])
      write("]")
    case (.cast, 2): write(list: arguments, "CAST(", ")")
    default:
      if let (symbol, own) = function.formatOperator, arguments.count == 2 {
        return writeInfix(symbol, own, arguments, in: precedence)
      }
      write(list: arguments, function.rawValue + "(", ")")
    }
  }

  private mutating func writeInfix(
    _ symbol: String, _ own: FormatParser.Precedence, _ arguments: [FetchExpression],
    in precedence: FormatParser.Precedence
  ) {
    let isParenthesized = own < precedence
    if isParenthesized { write("(") }
    let isRightAssociative = own == .power
    write(arguments[0], in: isRightAssociative ? .operand : own)
    write(" \(symbol) ")
    write(arguments[1], in: isRightAssociative ? own : own.next)
    if isParenthesized { write(")") }
  }

  private mutating func writePostfixBase(_ base: FetchExpression) {
    switch base {
    case .function(let function, _) where function != .objectFrom && function != .cast:
      write("(")
      write(base, in: .bitwise)
      write(")")
    case .constant:
      write("(")
      write(base, in: .bitwise)
      write(")")
    default: write(base, in: .bitwise)
    }
  }

  private mutating func writeIndex(_ index: FetchExpression) {
    if case .constant(.string(let word)) = index, ["FIRST", "LAST", "SIZE"].contains(word) {
      write(word)
    } else {
      write(index, in: .bitwise)
    }
  }

  private mutating func write(path: ArraySlice<String>, isFirst: Bool) {
    for (offset, step) in path.enumerated() {
      if offset > 0 || !isFirst { write(".") }
      write(key: step, isFirst: isFirst && offset == 0)
    }
  }
}

extension FetchPredicate {
  /// Whether the condition is put in parentheses among the operands of another one.
  fileprivate var isCompound: Bool {
    switch self {
    case .constant, .comparison: false
    case .and, .or, .not: true
    }
  }

  fileprivate var needsParenthesesAfterNot: Bool {
    switch self {
    case .constant: false
    case .comparison(let comparison): comparison.modifier != .direct
    case .and, .or, .not: true
    }
  }
}

extension ComparisonPredicate.Options {
  /// `[cd]`, or nothing.
  fileprivate var formatSuffix: String {
    guard !isEmpty else { return "" }
    var letters = ""
    if contains(.caseInsensitive) { letters += "c" }
    if contains(.diacriticInsensitive) { letters += "d" }
    if contains(.normalized) { letters += "n" }
    if contains(.localeSensitive) { letters += "l" }
    return "[\(letters)]"
  }
}
