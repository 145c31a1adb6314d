// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostObjects
import RoostQuery

#if canImport(Darwin)
extension FetchConditions {
  /// Returns the expression of Roost for one of Foundation.
  static func expression(of expression: NSExpression) -> RoostQuery.FetchExpression {
    orEnd { try RoostQuery.FetchExpression(format: expression.description, argumentArray: []) }
  }

  /// Returns an expression as one of Foundation.
  static func expression(of expression: RoostQuery.FetchExpression) -> NSExpression {
    NSExpression(format: expression.predicateFormat)
  }
}
#else
/// The initial class of an expression; see ``FormatExpression``.
private class ExpressionSeed: NSObject {
  final var expression: RoostQuery.FetchExpression

  init(_ expression: RoostQuery.FetchExpression) {
    self.expression = expression
  }
}

/// An expression of a condition, as an instance of a subclass of Foundation's class.
///
/// It has the stored properties of ``ExpressionSeed``, as ``FoundationInstances`` requires. It is marked deprecated
/// like its superclass, which only deprecated code can name without a warning; other code uses ``FormatExpression``.
@available(*, deprecated)
final class MarkedExpression: Foundation.NSExpression {
  final var expression = RoostQuery.FetchExpression.evaluatedObject

  static func make(_ expression: RoostQuery.FetchExpression) -> MarkedExpression {
    FoundationInstances.turn(ExpressionSeed(expression), into: MarkedExpression.self)
  }

  override var description: String { expression.predicateFormat }

  override func copy(with zone: NSZone? = nil) -> Any { self }

  override func isEqual(_ object: Any?) -> Bool {
    (object as? MarkedExpression)?.expression == expression
  }

  override var hash: Int { expression.hashValue }
}

/// Names the expression class.
enum FormatExpressionName: FoundationName {
  @available(*, deprecated)
  static func named() -> MarkedExpression? { nil }
}

/// The expression class.
typealias FormatExpression = FormatExpressionName.Named

extension FetchConditions {
  /// Returns the expression of Roost for one of Foundation.
  static func expression(of expression: NSExpression) -> RoostQuery.FetchExpression {
    guard let known = expression as? FormatExpression else {
      preconditionFailure("Only expressions of this module can be made.")
    }
    return known.expression
  }

  /// Returns an expression as one of Foundation.
  static func expression(of expression: RoostQuery.FetchExpression) -> NSExpression {
    FormatExpression.make(expression)
  }

  /// Returns the expression for an argument of an initializer: an expression, or a value.
  static func expression(ofArgument argument: Any) -> RoostQuery.FetchExpression {
    if let known = argument as? FormatExpression { return known.expression }
    return constant(argument)
  }

  static func constant(_ value: Any?) -> RoostQuery.FetchExpression {
    if value is NSNull { return .nullObject }
    guard let value = Value(any: value) else {
      preconditionFailure("A constant is a value of the model, not a \(type(of: value)).")
    }
    return .constant(value)
  }
}

// Foundation's classes conform to `NSCopying`: initializers in a protocol extension can return an instance of a
// subclass. A function or format that does not exist stops the program, as in Core Data.
extension NSCopying where Self: NSExpression {
  private init(_ expression: RoostQuery.FetchExpression) {
    self = unsafeDowncast(FormatExpression.make(expression), to: Self.self)
  }

  /// Parses an expression in Core Data's format language.
  public init(format: String, _ arguments: Any?...) {
    self.init(orEnd { try RoostQuery.FetchExpression(format: format, argumentArray: arguments) })
  }

  /// Parses an expression in Core Data's format language, with its arguments in an array.
  public init(format: String, argumentArray arguments: [Any]) {
    self.init(orEnd { try RoostQuery.FetchExpression(format: format, argumentArray: arguments) })
  }

  /// Makes a constant.
  public init(forConstantValue value: Any?) {
    self.init(FetchConditions.constant(value))
  }

  /// Makes a key path.
  public init(forKeyPath keyPath: String) {
    self.init(RoostQuery.FetchExpression(forKeyPath: keyPath))
  }

  /// Makes a key path of properties.
  public init<Root: ManagedObject, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    guard let path = Root.propertyPath(for: keyPath) else {
      preconditionFailure("The key path reads something else than properties of the model.")
    }
    self.init(forKeyPath: path.joined(separator: "."))
  }

  /// Makes a variable.
  public init(forVariable name: String) {
    self.init(.variable(name))
  }

  /// Makes a call of one of the supported functions, such as `sum:`.
  public init(forFunction name: String, arguments: [Any]) {
    self.init(
      orEnd {
        try RoostQuery.FetchExpression.calling(
          name, arguments.map(FetchConditions.expression(ofArgument:)))
      })
  }

  /// Makes a list.
  public init(forAggregate expressions: [Any]) {
    self.init(.list(expressions.map(FetchConditions.expression(ofArgument:))))
  }

  /// Makes a subquery: the members of a collection that satisfy a condition.
  public init(
    forSubquery expression: NSExpression, usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    self.init(
      .subquery(
        FetchConditions.expression(of: expression), variable: variable,
        orEnd { try FetchConditions.condition(of: predicate) }))
  }

  /// Makes a conditional expression, which chooses between two expressions.
  public init(
    forConditional predicate: NSPredicate, trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(
      .conditional(
        orEnd { try FetchConditions.condition(of: predicate) },
        FetchConditions.expression(of: trueExpression),
        FetchConditions.expression(of: falseExpression)))
  }

  /// Returns the expression `SELF`.
  public static func expressionForEvaluatedObject() -> NSExpression {
    FormatExpression.make(.evaluatedObject)
  }
}

extension NSCopying where Self: NSExpression {
  private var own: RoostQuery.FetchExpression {
    FetchConditions.expression(of: unsafeDowncast(self, to: NSExpression.self))
  }

  private func refuse(_ part: String) -> Never {
    preconditionFailure("The expression \(own.predicateFormat) has no \(part).")
  }

  /// The type of the expression.
  public var expressionType: ExpressionTypeName.Named {
    switch own {
    case .constant, .nullObject: .constantValue
    case .evaluatedObject: .evaluatedObject
    case .keyPath: .keyPath
    case .variable: .variable
    case .list: .aggregate
    case .subquery: .subquery
    case .conditional: .conditional
    default: .function
    }
  }

  /// The value of a constant. For an expression of another type, this and the properties below stop the program, as
  /// on Apple's systems.
  public var constantValue: Any? {
    if case .nullObject = own { return NSNull() }
    guard case .constant(let value) = own else { refuse("constant value") }
    return value.isNull ? nil : value.anyValue
  }

  /// The key path, for a key path expression.
  public var keyPath: String {
    switch own {
    case .keyPath(let path): path.joined(separator: ".")
    case .keyPathOf(_, let path): path.joined(separator: ".")
    default: refuse("key path")
    }
  }

  /// The name of a function.
  public var function: String {
    switch own {
    case .function(let function, _): function.rawValue
    case .keyPathOf: "valueForKeyPath:"
    default: refuse("function")
    }
  }

  /// The arguments of a function; nil for an expression of another type.
  public var arguments: [NSExpression]? {
    switch own {
    case .function(_, let arguments): arguments.map(FetchConditions.expression(of:))
    case .keyPathOf(_, let path): [NSExpression(forKeyPath: path.joined(separator: "."))]
    default: nil
    }
  }

  /// The expression that a key path starts from.
  public var operand: NSExpression {
    switch own {
    case .keyPathOf(let base, _): FetchConditions.expression(of: base)
    case .function, .keyPath: NSExpression.expressionForEvaluatedObject()
    default: refuse("operand")
    }
  }

  /// The name of a variable, or of the variable that a subquery binds.
  public var variable: String {
    switch own {
    case .variable(let name): name
    case .subquery(_, let variable, _): variable
    default: refuse("variable")
    }
  }

  /// The members of a list, as expressions, or the collection of a subquery.
  public var collection: Any {
    switch own {
    case .list(let members): members.map(FetchConditions.expression(of:))
    case .constant(.list(let values)): values.map { FetchConditions.expression(of: .constant($0)) }
    case .subquery(let collection, _, _): FetchConditions.expression(of: collection)
    default: refuse("collection")
    }
  }

  /// The condition of a subquery or of a conditional expression.
  public var predicate: NSPredicate {
    switch own {
    case .subquery(_, _, let predicate): FetchConditions.predicate(of: predicate)
    case .conditional(let predicate, _, _): FetchConditions.predicate(of: predicate)
    default: refuse("predicate")
    }
  }

  /// The result of a conditional expression when its condition holds.
  public var `true`: NSExpression {
    guard case .conditional(_, let first, _) = own else { refuse("true expression") }
    return FetchConditions.expression(of: first)
  }

  /// The result of a conditional expression when its condition does not hold.
  public var `false`: NSExpression {
    guard case .conditional(_, _, let second) = own else { refuse("false expression") }
    return FetchConditions.expression(of: second)
  }

  /// The first of two arguments.
  public var left: NSExpression {
    guard let arguments, arguments.count == 2 else { refuse("left side") }
    return arguments[0]
  }

  /// The second of two arguments.
  public var right: NSExpression {
    guard let arguments, arguments.count == 2 else { refuse("right side") }
    return arguments[1]
  }
}
#endif
