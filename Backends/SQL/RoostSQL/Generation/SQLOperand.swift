// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// One side of a comparison that the database computes.
struct SQLOperand {
  /// The type of the result.
  enum Kind: Hashable {
    /// A value as a slot holds it.
    case slot(SlotKind)
    /// The code of an entity.
    case entity
  }

  /// The expression.
  let text: String
  let kind: Kind
  /// Whether it can be null.
  var canBeNull = true
  /// Whether integers can be so large that their sum overflows.
  var isWide = false
  /// Whether an index of the fetched table begins with it.
  var isIndexed = false
  /// The index of its words.
  var words: SQLWordAccess?
}

/// One side of a comparison.
enum SQLTerm {
  case operand(SQLOperand)
  case constant(Value)
  case list([Value])
  /// Codes of entities.
  case entities([Int])
}

/// A condition: true, or not. It may be null where it is not true.
struct SQLCondition: Equatable {
  let text: String
  /// Whether it is never null.
  let isTwoValued: Bool

  static let always = SQLCondition(text: "1 = 1", isTwoValued: true)
  static let never = SQLCondition(text: "1 = 0", isTwoValued: true)

  /// Returns a condition that is null where an operand is.
  static func nullable(_ text: String) -> SQLCondition {
    SQLCondition(text: text, isTwoValued: false)
  }

  /// Returns a condition that is never null.
  static func twoValued(_ text: String) -> SQLCondition {
    SQLCondition(text: text, isTwoValued: true)
  }

  /// The negation, which is true where the condition is null: comparisons with nil are false, their negations true.
  var negated: SQLCondition {
    switch self {
    case .always: .never
    case .never: .always
    default: .twoValued(isTwoValued ? "NOT (\(text))" : "(\(text)) IS NOT TRUE")
    }
  }
}
