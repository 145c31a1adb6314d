// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// Resolves all names in the expressions of an entity mapping, so that an unknown name is reported before the first
/// object is made (M20).
struct ExpressionCompiler {
  let mapping: EntityMapping
  let source: EntityDescription?
  let destination: EntityDescription?
  let mappingNames: Set<String>
  let functions: [String: MigrationFunction]
  /// The property that the expression belongs to.
  var key: String?

  /// Compiles an expression.
  ///
  /// - Throws: `unknownKey` for a key path that leads nowhere, `entityMigrationPolicy` for a function that is not
  ///   there, `invalidPredicate` for anything else that no expression of a mapping can have.
  func compile(_ expression: MappingExpression) throws -> CompiledExpression {
    switch expression.content {
    case .fetch: throw fault("FETCH stands only in a mapping's source expression.")
    case .value(let expression, let calls):
      return try compile(expression, calls.map { try compile($0) })
    }
  }

  private func compile(
    _ expression: FetchExpression, _ calls: [CompiledCall]
  ) throws -> CompiledExpression {
    switch expression {
    case .constant(let value): return .constant(value)
    case .nullObject: return .constant(.null)
    case .variable(let name):
      if let index = MappingCall.index(ofVariable: name), calls.indices.contains(index) {
        return .call(calls[index])
      }
      try checkVariable(name)
      return .variable(name)
    case .keyPathOf(.variable("source"), let steps):
      try checkPath(expression)
      if steps.count == 1, source?.attributesByName[steps[0]] != nil { return .attribute(steps[0]) }
      return .sourcePath(steps.joined(separator: "."))
    case .list(let members): return .list(try members.map { try compile($0, calls) })
    case .conditional(let condition, let first, let second):
      try check(condition, inner: [])
      let names = condition.variableNames
      return .conditional(
        CompiledCondition(
          predicate: condition, variables: names, calls: Self.used(names, calls)),
        try compile(first, calls), try compile(second, calls))
    default:
      try check(expression, inner: [])
      let names = expression.variableNames
      return .other(expression, variables: names, calls: Self.used(names, calls))
    }
  }

  private static func used(_ names: Set<String>, _ calls: [CompiledCall]) -> [Int: CompiledCall] {
    var used: [Int: CompiledCall] = [:]
    for name in names {
      guard let index = MappingCall.index(ofVariable: name), calls.indices.contains(index) else {
        continue
      }
      used[index] = calls[index]
    }
    return used
  }

  // MARK: Calls

  private func compile(_ call: MappingCall) throws -> CompiledCall {
    let arguments = try call.arguments.map { try compile($0) }
    switch call.receiver {
    case .entityPolicy:
      guard let function = functions[call.selector] ?? functions[call.selector + ":"] else {
        throw PersistenceError(
          .entityMigrationPolicy,
          place + "the policy has no function “\(call.selector)”. Its functions are "
            + "\(functions.keys.sorted().joined(separator: ", ")); declare it in `functions`.",
          entityName: mapping.destinationEntityName, key: key)
      }
      return CompiledCall(function: .policy(function), arguments: arguments)
    case .manager:
      guard let function = ManagerFunction(rawValue: call.selector), function != .fetchRequest,
        arguments.count == 2
      else {
        throw PersistenceError(
          .entityMigrationPolicy,
          place + "the manager has no function “\(call.selector)” of \(arguments.count) arguments.",
          entityName: mapping.destinationEntityName, key: key)
      }
      if function != .destinationsOfRelationship, case .constant(.string(let name)) = arguments[0] {
        guard mappingNames.contains(name) else {
          throw fault("there is no entity mapping “\(name)”.")
        }
      }
      return CompiledCall(function: .manager(function), arguments: arguments)
    }
  }

  // MARK: Checks

  private static let variables: [String: Set<String>] = [
    "entityMapping": EntityMapping.keys, "propertyMapping": PropertyMapping.keys,
    "manager": MigrationManager.keys, "entityPolicy": [],
  ]

  private func checkVariable(_ name: String, inner: Set<String> = []) throws {
    if name == "source", source == nil {
      throw fault("$source stands for nothing: the mapping takes no objects.")
    }
    guard
      name == "source" || name == "destination" || Self.variables[name] != nil
        || inner.contains(name) || MappingCall.index(ofVariable: name) != nil
    else { throw fault("there is no variable $\(name).") }
  }

  private func check(_ expression: FetchExpression, inner: Set<String>) throws {
    switch expression {
    case .constant, .nullObject: return
    case .variable(let name): try checkVariable(name, inner: inner)
    case .evaluatedObject, .keyPath:
      guard inner.isEmpty else { return }
      throw fault("“\(expression.predicateFormat)” begins at no variable: write $source before it.")
    case .refused(let path): throw path.error
    case .keyPathOf(.variable(let name), _) where !inner.contains(name):
      try checkPath(expression)
    case .keyPathOf(let base, _): try check(base, inner: inner)
    case .list(let members): for member in members { try check(member, inner: inner) }
    case .function(_, let arguments): for part in arguments { try check(part, inner: inner) }
    case .conditional(let condition, let first, let second):
      try check(condition, inner: inner)
      try check(first, inner: inner)
      try check(second, inner: inner)
    case .subquery(let collection, let variable, let condition):
      try check(collection, inner: inner)
      try check(condition, inner: inner.union([variable]))
    }
  }

  private func check(_ predicate: FetchPredicate, inner: Set<String>) throws {
    switch predicate {
    case .constant: return
    case .and(let operands), .or(let operands):
      for operand in operands { try check(operand, inner: inner) }
    case .not(let operand): try check(operand, inner: inner)
    case .comparison(let comparison):
      try check(comparison.left, inner: inner)
      try check(comparison.right, inner: inner)
    }
  }

  private func checkPath(_ expression: FetchExpression) throws {
    guard case .keyPathOf(.variable(let name), let steps) = expression, let first = steps.first
    else { return }
    try checkVariable(name)
    switch name {
    case "source": try check(steps, in: source, "source")
    case "destination": try check(steps, in: destination, "destination")
    default:
      guard let keys = Self.variables[name] else { return }
      guard keys.contains(first) else {
        throw PersistenceError(
          .unknownKey, place + "$\(name) has no key “\(first)”.",
          entityName: mapping.destinationEntityName, key: first)
      }
    }
  }

  private func check(
    _ steps: [String], in start: EntityDescription?, _ side: String
  ) throws {
    var entity = start
    for (index, step) in steps.enumerated() {
      guard let current = entity else { return }
      // The operand of a collection operator is resolved when it is evaluated.
      if step.hasPrefix("@") { return }
      guard let property = current.propertiesByName[step] else {
        throw PersistenceError(
          .unknownKey,
          place + "the \(side) entity \(current.name ?? "") has no property “\(step)”.",
          entityName: current.name, key: step)
      }
      entity = (property as? RelationshipDescription)?.destinationEntity
      guard
        property is RelationshipDescription || index == steps.count - 1
          || property is CompositeAttributeDescription
      else {
        throw PersistenceError(
          .unknownKey,
          place + "“\(step)” of the \(side) entity \(current.name ?? "") is no relationship.",
          entityName: current.name, key: step)
      }
    }
  }

  // MARK: Messages

  private var place: String {
    "The mapping \(mapping.name)" + (key.map { " of “\($0)”" } ?? "") + " cannot be used: "
  }

  func fault(_ reason: String) -> PersistenceError {
    PersistenceError(
      .invalidPredicate, place + reason, entityName: mapping.destinationEntityName, key: key)
  }
}
