// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// The form of a constant that is compared with a column.
enum SQLConstant {
  /// It is bound as this value.
  case value(SQLValue)
  /// No stored value can equal it: the ID of another store's object, or a temporary one.
  case nothing
}

extension FetchGenerator {
  /// Returns a constant in the stored form of a kind of slot.
  ///
  /// - Throws: `LeftToMemory` for a constant of another type, which the evaluator can compare.
  func constant(_ value: Value, as kind: SQLOperand.Kind) throws -> SQLConstant {
    guard case .slot(let slot) = kind, let constant = schema.constant(value, as: slot) else {
      throw LeftToMemory("a constant of another type than what it is compared with")
    }
    return constant
  }

  /// Returns whether the database compares two kinds as the evaluator does.
  func areComparable(_ left: SQLOperand.Kind, _ right: SQLOperand.Kind) -> Bool {
    guard left != right else { return left != .slot(.transformable) }
    let numbers: Set<SQLOperand.Kind> = [.slot(.integer), .slot(.double), .slot(.boolean)]
    return dialect.comparesNumbersExactly && numbers.contains(left) && numbers.contains(right)
  }
}

extension SQLSchema {
  /// Returns a constant in the form that is bound beside a column; nil for one that the database cannot compare with
  /// it.
  func constant(_ value: Value, as slot: SlotKind) -> SQLConstant? {
    switch (slot, value) {
    case (_, .null): .value(.null)
    case (.integer, .integer(let number)), (.position, .integer(let number)):
      .value(.integer(number))
    case (.integer, .boolean(let truth)): .value(.integer(truth ? 1 : 0))
    case (.boolean, .boolean(let truth)): .value(.boolean(truth))
    case (.boolean, .integer(let number)):
      // Where booleans are not numbers, no other number can be compared with them.
      (0...1).contains(number)
        ? .value(.boolean(number == 1)) : dialect.hasBooleans ? nil : .value(.integer(number))
    case (.integer, .double(let number)), (.double, .double(let number)):
      number.isNaN || (slot == .integer && !dialect.comparesNumbersExactly)
        ? nil : .value(.real(number))
    case (.double, .integer(let number)):
      dialect.comparesNumbersExactly ? .value(.integer(number)) : nil
    case (.date, .date(let date)):
      date.timeIntervalSinceReferenceDate.isNaN
        ? nil : .value(.real(date.timeIntervalSinceReferenceDate))
    case (.string, .string(let text)): .value(.text(text))
    case (.uri, .uri(let url)): .value(.text(url.absoluteString))
    case (.data, .data(let data)): .value(.blob(data))
    case (.uuid, .uuid(let uuid)): .value(.uuid(uuid))
    case (.decimal, .decimal(let number)): number.isNaN ? nil : .value(.decimal(number))
    case (.decimal, .integer(let number)): .value(.decimal(Decimal(number)))
    case (.reference, .objectID(let id)): key(of: id)
    default: nil
    }
  }

  private func key(of id: ObjectID) -> SQLConstant {
    let id = id.current
    guard let identity = id.storeIdentity, identity.identifier == store.identity.identifier
    else { return .nothing }
    return .value(.integer(id.key))
  }
}

// MARK: - Comparisons with constants

extension FetchGenerator {
  mutating func compare(
    _ operand: SQLOperand, _ comparison: ComparisonPredicate.Comparison, _ value: Value,
    _ options: ComparisonPredicate.Options
  ) throws -> SQLCondition {
    switch comparison {
    case .equalTo, .notEqualTo: return try equality(operand, comparison, value, options)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      if value.isNull { return .never }
      if operand.kind == .slot(.reference), case .objectID(let id) = value {
        // Keys are in the order that breaks ties, even relative to a key of another store.
        let place = bind(.integer(id.current.tieBreaker))
        return .nullable("\(operand.text) \(comparison.orderOperator ?? "=") \(place)")
      }
      guard case .value(let bound) = try constant(value, as: operand.kind) else {
        throw LeftToMemory("the order of an object of another store")
      }
      guard operand.kind != .slot(.reference) else { throw LeftToMemory("an order of objects") }
      let sides = try folded([operand.text, bind(bound)], operand.kind, options)
      return .nullable("\(sides[0]) \(comparison.orderOperator ?? "=") \(sides[1])")
    case .beginsWith, .endsWith, .contains, .like, .matches, .search:
      if value.isNull { return .never }
      return try compareText(operand, comparison, .constant(value), options)
    case .in, .between:
      throw LeftToMemory("IN or BETWEEN with a single value")
    }
  }

  private mutating func equality(
    _ operand: SQLOperand, _ comparison: ComparisonPredicate.Comparison, _ value: Value,
    _ options: ComparisonPredicate.Options
  ) throws -> SQLCondition {
    let isEqual = comparison == .equalTo
    if value.isNull {
      return .twoValued("\(operand.text) IS \(isEqual ? "" : "NOT ")NULL")
    }
    guard case .value(let bound) = try constant(value, as: operand.kind) else {
      return isEqual ? .never : .always
    }
    let sides = try folded([operand.text, bind(bound)], operand.kind, options)
    if isEqual { return .nullable("\(sides[0]) = \(sides[1])") }
    return operand.canBeNull
      ? .twoValued("\(sides[0]) \(dialect.different) \(sides[1])")
      : .twoValued("\(sides[0]) <> \(sides[1])")
  }

  /// `IN` and `BETWEEN`.
  mutating func compare(
    _ operand: SQLOperand, _ comparison: ComparisonPredicate.Comparison, _ values: [Value],
    _ options: ComparisonPredicate.Options
  ) throws -> SQLCondition {
    switch comparison {
    case .in: return try membership(operand, values, options)
    case .between:
      guard values.count == 2 else { throw LeftToMemory("BETWEEN without two bounds") }
      guard !values[0].isNull, !values[1].isNull else { return .never }
      guard operand.kind != .slot(.reference),
        case .value(let low) = try constant(values[0], as: operand.kind),
        case .value(let high) = try constant(values[1], as: operand.kind)
      else { throw LeftToMemory("an order of objects") }
      let sides = try folded([operand.text, bind(low), bind(high)], operand.kind, options)
      return .nullable("\(sides[0]) BETWEEN \(sides[1]) AND \(sides[2])")
    default: throw LeftToMemory("a list compared with a value")
    }
  }

  private mutating func membership(
    _ operand: SQLOperand, _ values: [Value], _ options: ComparisonPredicate.Options
  ) throws -> SQLCondition {
    var bound: [SQLValue] = []
    for value in values where !value.isNull {
      if case .value(let constant) = try constant(value, as: operand.kind) {
        bound.append(constant)
      }
    }
    let hasNull = values.contains(where: \.isNull)
    let isNull = SQLCondition.twoValued("\(operand.text) IS NULL")
    guard !bound.isEmpty else { return hasNull ? isNull : .never }
    let left = try folded([operand.text], operand.kind, options)[0]
    let isMember = try "\(left) \(listMembership(bound, operand.kind, options))"
    return hasNull ? .twoValued("(\(isMember) OR \(isNull.text))") : .nullable(isMember)
  }

  /// Returns the SQL that follows an operand to test whether it is one of some values.
  private mutating func listMembership(
    _ values: [SQLValue], _ kind: SQLOperand.Kind, _ options: ComparisonPredicate.Options
  ) throws -> String {
    if values.count <= 8 {
      let parameters = try folded(values.map { bind($0) }, kind, options)
      return "IN (\(parameters.joined(separator: ", ")))"
    }
    guard case .jsonArray = dialect.list else {
      return "= ANY(\(bind(.list(SQLList(values)))))"
    }
    // Integers and doubles cannot be bound in one list.
    let isMixed = values.contains { $0.isReal } && values.contains { !$0.isReal }
    if isMixed { throw LeftToMemory("a long list of numbers of several types") }
    let list = SQLList(values)
    let element: String
    switch list.form {
    case .plain: element = "value"
    case .doubleBits: element = "roost_double(value)"
    case .hexadecimal: element = "roost_bytes(value)"
    }
    let source = try folded([element], kind, options)[0]
    return "IN (SELECT \(source) FROM json_each(\(bind(.list(list)))))"
  }

  /// Returns string expressions, folded when the options ask for it.
  func folded(
    _ expressions: [String], _ kind: SQLOperand.Kind, _ options: ComparisonPredicate.Options
  ) throws -> [String] {
    guard options.folds, kind == .slot(.string) else { return expressions }
    guard dialect.functions.contains(.fold) else {
      throw LeftToMemory("a comparison without regard to case or marks")
    }
    return expressions.map { "roost_fold(\($0), \(options.folding.rawValue))" }
  }
}

// MARK: - Comparisons of two operands

extension FetchGenerator {
  mutating func compare(
    _ left: SQLOperand, _ comparison: ComparisonPredicate.Comparison, _ right: SQLOperand,
    _ options: ComparisonPredicate.Options
  ) throws -> SQLCondition {
    switch comparison {
    case .beginsWith, .endsWith, .contains, .like, .matches, .search:
      return try compareText(left, comparison, .operand(right), options)
    case .in, .between: throw LeftToMemory("IN or BETWEEN of a single value")
    default: break
    }
    guard areComparable(left.kind, right.kind) else {
      throw LeftToMemory("a comparison of values of different types")
    }
    let sides = try folded([left.text, right.text], left.kind, options)
    let canBeNull = left.canBeNull || right.canBeNull
    switch comparison {
    case .equalTo:
      // Two nulls are equal.
      let sign = left.canBeNull && right.canBeNull ? dialect.same : "="
      return SQLCondition(
        text: "\(sides[0]) \(sign) \(sides[1])", isTwoValued: sign != "=" || !canBeNull)
    case .notEqualTo:
      return .twoValued("\(sides[0]) \(canBeNull ? dialect.different : "<>") \(sides[1])")
    default:
      guard left.kind != .slot(.reference), left.kind != .entity else {
        throw LeftToMemory("an order of objects")
      }
      let text = "\(sides[0]) \(comparison.orderOperator ?? "=") \(sides[1])"
      return SQLCondition(text: text, isTwoValued: !canBeNull)
    }
  }
}

extension SQLValue {
  var isReal: Bool {
    if case .real = self { return true }
    return false
  }
}
