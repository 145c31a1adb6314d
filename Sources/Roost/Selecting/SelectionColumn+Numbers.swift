// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostQuery

// nil is ignored, and the sum of no values is 0.
extension SelectionField where Present: FixedWidthInteger {
  /// The sum of all values; beyond 64 bits the fetch throws `arithmeticOverflow`.
  public var sum: SelectionAggregate<Int> { .whole(.sum, content.expression) }

  /// The average of all values; nil when there are none.
  public var average: SelectionAggregate<Double?> { .average(of: content.expression) }
}

extension SelectionField where Present: BinaryFloatingPoint {
  /// The sum of all values.
  public var sum: SelectionAggregate<Double> {
    SelectionAggregate(.sum, content.expression) { try $0.number() ?? 0 }
  }

  /// The average of all values; nil when there are none.
  public var average: SelectionAggregate<Double?> { .average(of: content.expression) }
}

extension SelectionField where Present == Decimal {
  /// The sum of all values.
  public var sum: SelectionAggregate<Decimal> {
    SelectionAggregate(.sum, content.expression) { value in
      switch value {
      case .null: 0
      case .decimal(let number): number
      case .integer(let number): Decimal(number)
      default: throw RoostModel.Value.misread(value, as: Decimal.self)
      }
    }
  }

  /// The average of all values; nil when there are none.
  public var average: SelectionAggregate<Double?> { .average(of: content.expression) }
}

extension SelectionAggregate<Int> {
  static func whole(_ function: FetchFunction, _ operand: FetchExpression) -> Self {
    SelectionAggregate(function, operand) { value in
      if value.isNull { return 0 }
      guard let number = Int(value) else { throw RoostModel.Value.misread(value, as: Int.self) }
      return number
    }
  }
}

extension SelectionAggregate<Double?> {
  fileprivate static func average(of operand: FetchExpression) -> Self {
    SelectionAggregate(.average, operand) { try $0.number() }
  }
}

extension RoostModel.Value {
  /// The number as a double; nil for nil.
  fileprivate func number() throws -> Double? {
    switch self {
    case .null: nil
    case .double(let number): number
    case .integer(let number): Double(number)
    case .decimal(let number): DecimalParts.double(number)
    default: throw Self.misread(self, as: Double.self)
    }
  }

  /// Returns the error for a column whose value does not have its type.
  static func misread(_ value: Self, as type: Any.Type) -> PersistenceError {
    let what = value.isNull ? "nil" : "a value of another type"
    return PersistenceError(
      .invalidValue,
      "A selected column of the type \(type) has \(what).", value: value
    ).remedied(by: "Make the property optional, or add a condition that leaves such objects out.")
  }
}
