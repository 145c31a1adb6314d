// SPDX-License-Identifier: Apache-2.0

extension FetchPredicate {
  /// Combines two conditions with AND. `AND` operands are flattened, so that a long chain is one node.
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

  /// Combines two conditions with OR. `OR` operands are flattened, so that a long chain is one node.
  public static func || (left: consuming FetchPredicate, right: FetchPredicate) -> FetchPredicate {
    var operands = left.takeDisjuncts()
    if case .or(let more) = right {
      operands.append(contentsOf: more)
    } else {
      operands.append(right)
    }
    return .or(operands)
  }

  /// Negates a condition; a double negation is the condition.
  public static prefix func ! (operand: FetchPredicate) -> FetchPredicate {
    if case .not(let inner) = operand { return inner }
    return .not(operand)
  }

  /// Takes the operands of `AND`, or the condition itself. They are moved out, so that the array is uniquely
  /// referenced and a chain of *n* operands costs O(*n*).
  private mutating func takeConjuncts() -> [FetchPredicate] {
    guard case .and(let operands) = self else { return [self] }
    self = .constant(true)
    return operands
  }

  /// Takes the operands of `OR`, or the condition itself.
  private mutating func takeDisjuncts() -> [FetchPredicate] {
    guard case .or(let operands) = self else { return [self] }
    self = .constant(true)
    return operands
  }
}
