// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

// Scalar functions. Where the database computes exactly the evaluator's result, its own function is used; elsewhere
// the evaluator's function, which the driver has registered as `roost_apply`.
extension FetchGenerator {
  mutating func call(
    _ function: FetchFunction, _ arguments: [ResolvedExpression]
  ) throws -> SQLOperand {
    if function.isAggregate { return try groupAggregate(function, arguments) }
    switch function {
    case .now:
      let seconds = Date().timeIntervalSinceReferenceDate
      return SQLOperand(text: bind(.real(seconds)), kind: .slot(.date), canBeNull: false)
    case .random, .objectFrom, .distanceToLocationFromLocation, .cast:
      throw LeftToMemory("the function \(function.rawValue)")
    default: break
    }
    let operands = try arguments.map { try operand($0) }
    let kinds = try operands.map { operand in
      guard case .slot(let kind) = operand.kind else {
        throw LeftToMemory("a function of entities")
      }
      return kind
    }
    let texts = operands.map(\.text)
    if let native = native(function, texts, kinds) { return native }
    guard dialect.functions.contains(.apply), (1...2).contains(kinds.count),
      let number = FetchFunction.allCases.firstIndex(of: function)
    else { throw LeftToMemory("the function \(function.rawValue)") }
    guard let result = Self.resultKind(function, kinds) else {
      throw LeftToMemory("the function \(function.rawValue) of such values")
    }
    let pairs = zip(kinds, texts).map { "\($0.rawValue), \($1)" }.joined(separator: ", ")
    return SQLOperand(
      text: "roost_apply(\(number), \(pairs))", kind: .slot(result), isWide: result == .integer)
  }

  private func native(
    _ function: FetchFunction, _ texts: [String], _ kinds: [SlotKind]
  ) -> SQLOperand? {
    switch (function, kinds) {
    case (.length, [.string]):
      return length("\(dialect.text.length)(\(texts[0]))")
    case (.length, [.data]):
      return length("\(dialect.functionNames.byteLength)(\(texts[0]))")
    default: break
    }
    let symbols: [FetchFunction: String] = [.add: "+", .subtract: "-", .multiply: "*"]
    if mayBeRefused, !dialect.comparesNumbersExactly, let symbol = symbols[function] {
      return refusable(symbol, texts, kinds)
    }
    guard dialect.comparesNumbersExactly, let symbol = symbols[function],
      kinds == [.double, .double] || kinds == [.double, .integer] || kinds == [.integer, .double]
    else { return nil }
    return SQLOperand(text: "(\(texts[0]) \(symbol) \(texts[1]))", kind: .slot(.double))
  }

  /// Where types are strict, a length is of a smaller type than the integers of a column.
  private func length(_ call: String) -> SQLOperand {
    let text =
      dialect.comparesNumbersExactly ? call : "CAST(\(call) AS \(dialect.castType(.integer)))"
    return SQLOperand(text: text, kind: .slot(.integer))
  }

  /// Generates arithmetic for a database that raises an error for a result out of range, where the evaluator gives nil
  /// or infinity.
  private func refusable(_ symbol: String, _ texts: [String], _ kinds: [SlotKind]) -> SQLOperand? {
    let numbers: Set<SlotKind> = [.integer, .double]
    guard kinds.count == 2, kinds.allSatisfy(numbers.contains) else { return nil }
    if kinds == [.integer, .integer] {
      return SQLOperand(
        text: "(\(texts[0]) \(symbol) \(texts[1]))", kind: .slot(.integer), isWide: true)
    }
    let type = dialect.columnType(.double)
    let sides = zip(texts, kinds).map { $1 == .double ? $0 : "CAST(\($0) AS \(type))" }
    // NaN is nil.
    let text = "nullif(\(sides[0]) \(symbol) \(sides[1]), CAST('NaN' AS \(type)))"
    return SQLOperand(text: text, kind: .slot(.double))
  }

  /// Returns the kind of a function's result, which depends on the kinds of its arguments alone; nil when the
  /// evaluator gives nil for such arguments, or a result whose type depends on the values.
  private static func resultKind(_ function: FetchFunction, _ kinds: [SlotKind]) -> SlotKind? {
    let isNumeric = kinds.allSatisfy { [.integer, .boolean, .double, .decimal].contains($0) }
    let isDate = kinds.contains(.date)
    switch function {
    case .uppercase, .lowercase, .canonical: return kinds == [.string] ? .string : nil
    case .add, .subtract:
      if isDate { return dateKind(function, kinds) }
      return isNumeric ? numberKind(kinds) : nil
    case .multiply, .divide, .modulus, .negate, .absolute, .floor, .ceiling, .trunc:
      return isNumeric ? numberKind(kinds) : nil
    case .raise, .squareRoot, .logarithm, .naturalLogarithm, .exponential:
      return isNumeric ? .double : nil
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement:
      return kinds.allSatisfy { $0 == .integer || $0 == .boolean } ? .integer : nil
    default: return nil
    }
  }

  private static func numberKind(_ kinds: [SlotKind]) -> SlotKind {
    kinds.contains(.double) ? .double : kinds.contains(.decimal) ? .decimal : .integer
  }

  private static func dateKind(_ function: FetchFunction, _ kinds: [SlotKind]) -> SlotKind? {
    switch (function, kinds[0], kinds[1]) {
    case (.subtract, .date, .date): .double
    case (_, .date, .integer), (_, .date, .double), (.add, .integer, .date), (.add, .double, .date):
      .date
    default: nil
    }
  }
}
