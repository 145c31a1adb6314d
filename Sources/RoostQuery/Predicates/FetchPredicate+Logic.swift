// SPDX-License-Identifier: Apache-2.0

extension FetchPredicate {
  /// Both conditions. Operands that are `AND` themselves are joined, so that a long chain is one node.
  ///
  /// ```swift
  /// let found = isAdult && livesHere
  /// ```
  public static func && (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    var operands = left.takeConjuncts()
    if case .and(let more) = right {
      operands.append(contentsOf: more)
    } else {
      operands.append(right)
    }
    return .and(operands)
  }

  /// At least one of the conditions. Operands that are `OR` themselves are joined, so that a long chain is one node.
  public static func || (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    var operands = left.takeDisjuncts()
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

  /// The operands of `AND`, or the condition itself. They are taken out, so that nobody else holds them and a chain of
  /// *n* operands costs O(*n*).
  private mutating func takeConjuncts() -> [FetchPredicate] {
    guard case .and(let operands) = self else { return [self] }
    self = .constant(true)
    return operands
  }

  /// The operands of `OR`, or the condition itself.
  private mutating func takeDisjuncts() -> [FetchPredicate] {
    guard case .or(let operands) = self else { return [self] }
    self = .constant(true)
    return operands
  }
}
