// SPDX-License-Identifier: Apache-2.0

/// Describes a computed column of a dictionary fetch, or an element of an index. It is not a property of an entity.
///
/// ```swift
/// let oldest = ExpressionDescription(name: "oldest", resultType: .integer32)
/// oldest.expression = UnparsedExpression("max:(age)")
/// ```
public final class ExpressionDescription: PropertyDescription, @unchecked Sendable {
  // Sendable: as PropertyDescription: written while the model is built only; `isFrozen` refuses writes afterwards.

  /// The computed expression.
  @_disfavoredOverload
  public var expression: (any ModelExpression)? { willSet { willChange() } }
  /// The type of the result.
  public var resultType: AttributeType { willSet { willChange() } }

  /// Makes a column without a name and expression.
  public init() {
    resultType = .undefined
    super.init(name: "")
  }

  /// Makes a column.
  @_disfavoredOverload
  package init(
    name: String = "", expression: (any ModelExpression)? = nil,
    resultType: AttributeType = .undefined
  ) {
    self.expression = expression
    self.resultType = resultType
    super.init(name: name)
  }

  /// The type of the result, under its older name.
  public var expressionResultType: AttributeType {
    get { resultType }
    set { resultType = newValue }
  }

  override func makeCopy() -> PropertyDescription {
    ExpressionDescription(name: name, expression: expression, resultType: resultType)
  }
}
