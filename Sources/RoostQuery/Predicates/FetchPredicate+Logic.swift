// SPDX-License-Identifier: Apache-2.0

extension FetchPredicate {
  /// Both conditions. Operands that are `AND` themselves are joined, so that a long chain is one node.
  ///
  /// ```swift
  /// let found = isAdult && livesHere
  /// ```
  public static func && (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    var operands = left.takeOperands(of: .and)
    if case .and(let more) = right {
      operands.append(contentsOf: more)
    } else {
      operands.append(right)
    }
    return .and(operands)
  }

  /// At least one of the conditions. Operands that are `OR` themselves are joined, so that a long chain is one node.
  public static func || (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    var operands = left.takeOperands(of: .or)
    if case .or(let more) = right {
      operands.append(contentsOf: more)
    } else {
      operands.append(right)
    }
    return .or(operands)
  }

  /// The opposite of a condition; the opposite of an opposite is the condition.
  public static prefix func ! (operand: FetchPredicate) -> FetchPredicate {
    if case .not(let inner) = operand { return inner }
    return .not(operand)
  }

  private enum Connective { case and, or }

  /// The operands, without a copy when nobody else holds them: a chain of *n* operands costs O(*n*).
  private mutating func takeOperands(of connective: Connective) -> [FetchPredicate] {
    switch (connective, self) {
    case (.and, .and(let operands)), (.or, .or(let operands)):
      self = .constant(true)
      return operands
    default: return [self]
    }
  }
}
