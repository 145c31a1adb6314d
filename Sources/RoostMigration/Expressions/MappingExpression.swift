// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

/// The value of a destination property in a migration, or the source objects of an entity mapping: an expression in
/// Core Data's format language that may call the migration manager and the entity's policy.
///
/// The variables `$source`, `$destination`, `$manager`, `$entityMapping`, `$propertyMapping` and `$entityPolicy` are
/// bound. `FUNCTION` calls the manager or a function that the policy declares; nothing else can be called, and that
/// is checked before the first object is made.
///
/// ```swift
/// let name = try MappingExpression(format: "$source.name")
/// let color = try MappingExpression(format: "FUNCTION($entityPolicy, \"hexColor:\", $source.color)")
/// ```
public struct MappingExpression: Sendable, Hashable {
  enum Content: Sendable, Hashable {
    /// A value, in which variables stand for the results of calls.
    case value(FetchExpression, [MappingCall])
    /// The objects of an entity that satisfy a condition.
    case fetch(entityName: String, condition: String)
  }

  let content: Content

  init(_ content: Content) {
    self.content = content
  }

  /// Makes an expression that calls nothing.
  ///
  /// - Parameter expression: The value; key paths begin at a variable, as `$source.name`.
  public init(_ expression: FetchExpression) {
    content = .value(expression, [])
  }

  /// Makes a constant.
  ///
  /// - Parameter value: The value.
  public init(_ value: Value) {
    content = .value(.constant(value), [])
  }

  /// Parses an expression.
  ///
  /// - Parameter format: The expression, as `$source.name` or
  ///   `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "PersonToPerson",
  ///   $source.boss)`.
  /// - Throws: ``PersistenceError`` with code `invalidPredicate`, or `limitExceeded`.
  public init(format: String) throws {
    var parser = MappingExpressionParser()
    self = try parser.parse(format)
  }

  /// The objects of an entity of the source that satisfy a condition, for an entity mapping's `sourceExpression`.
  ///
  /// - Parameters:
  ///   - entityName: An entity of the source model; objects of its subentities are left out.
  ///   - predicate: The condition.
  public static func fetch(entityName: String, where predicate: FetchPredicate) -> MappingExpression
  {
    MappingExpression(.fetch(entityName: entityName, condition: predicate.predicateFormat))
  }

  /// The value of a property of the source object.
  ///
  /// - Parameter keyPath: The key path from the source object, as `department.name`.
  public static func source(_ keyPath: String) -> MappingExpression {
    MappingExpression(FetchExpression(forKeyPath: "$source.\(keyPath)"))
  }

  /// The objects that an entity mapping has made of the destinations of a relationship.
  ///
  /// - Parameters:
  ///   - relationship: The relationship of the source entity.
  ///   - mappingName: The mapping of the destinations' entity; nil for all mappings of it.
  public static func destinations(
    of relationship: String, by mappingName: String? = nil
  ) -> MappingExpression {
    let selector =
      mappingName == nil
      ? ManagerFunction.destinationsOfRelationship.rawValue
      : ManagerFunction.destinations.rawValue
    let call = MappingCall(
      receiver: .manager, selector: selector,
      arguments: [MappingExpression(.string(mappingName ?? relationship)), .source(relationship)])
    return MappingExpression(.value(.variable(MappingCall.variable(0)), [call]))
  }

  /// The result of a function that the policy of the entity mapping declares.
  ///
  /// - Parameters:
  ///   - name: The function, as in ``EntityMigrationPolicy/functions``.
  ///   - arguments: Its arguments.
  public static func policyFunction(
    _ name: String, _ arguments: [MappingExpression]
  ) -> MappingExpression {
    let call = MappingCall(receiver: .entityPolicy, selector: name, arguments: arguments)
    return MappingExpression(.value(.variable(MappingCall.variable(0)), [call]))
  }
}

extension MappingExpression: CustomStringConvertible {
  /// The expression in the format language; parsing it gives an equal expression.
  public var description: String {
    switch content {
    case .fetch(let entityName, let condition):
      let request = MappingCall(
        receiver: .manager, selector: ManagerFunction.fetchRequest.rawValue,
        arguments: [MappingExpression(.string(entityName)), MappingExpression(.string(condition))])
      return "FETCH(\(request.format), $manager.sourceContext, NO)"
    case .value(let expression, let calls):
      var text = expression.predicateFormat
      for (index, call) in calls.enumerated() {
        text = text.replacing("$" + MappingCall.variable(index), with: call.format)
      }
      return text
    }
  }
}

/// A call in an expression.
struct MappingCall: Sendable, Hashable {
  /// The receiver of a call.
  enum Receiver: String, Sendable, Hashable {
    case manager
    case entityPolicy
  }

  let receiver: Receiver
  let selector: String
  let arguments: [MappingExpression]

  /// The name of the variable for the result of a call, by the index of the call.
  static func variable(_ index: Int) -> String { "call\(index)_" }

  /// Returns the index of the call that a variable stands for.
  static func index(ofVariable name: String) -> Int? {
    guard name.hasPrefix("call"), name.hasSuffix("_") else { return nil }
    return Int(name.dropFirst(4).dropLast())
  }

  var format: String {
    let name = FetchExpression.constant(.string(selector)).predicateFormat
    let parts = ["$\(receiver.rawValue)", name] + arguments.map(\.description)
    return "FUNCTION(\(parts.joined(separator: ", ")))"
  }
}

/// The functions of the manager that an expression can call, by their names in mapping models.
enum ManagerFunction: String, CaseIterable {
  case destinations = "destinationInstancesForEntityMappingNamed:sourceInstances:"
  case destinationsOfRelationship =
    "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  case sources = "sourceInstancesForEntityMappingNamed:destinationInstances:"
  case fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
}
