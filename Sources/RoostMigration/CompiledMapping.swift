// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// An entity mapping whose names are resolved in the two models, with the policy that makes its objects.
final class CompiledMapping {
  let mapping: EntityMapping
  /// The place of the mapping in its model.
  let index: Int
  let source: EntityDescription?
  let destination: EntityDescription?
  let policy: EntityMigrationPolicy
  /// Whether the policy is a class of the program.
  let hasOwnPolicy: Bool
  /// The expressions of the attributes.
  let attributes: [CompiledProperty]
  /// The expressions of the relationships.
  let relationships: [CompiledProperty]
  /// The condition on the source objects; nil for all.
  let condition: FetchPredicate?
  /// The source relationships with which the relationships' expressions begin; they are prefetched for many objects
  /// at once.
  let prefetched: [String]
  /// Whether each object becomes exactly one, so that it keeps its key.
  var keepsKeys = false

  init(
    mapping: EntityMapping, index: Int, source: EntityDescription?,
    destination: EntityDescription?, policy: EntityMigrationPolicy, hasOwnPolicy: Bool,
    attributes: [CompiledProperty], relationships: [CompiledProperty],
    condition: FetchPredicate?, prefetched: [String]
  ) {
    self.mapping = mapping
    self.index = index
    self.source = source
    self.destination = destination
    self.policy = policy
    self.hasOwnPolicy = hasOwnPolicy
    self.attributes = attributes
    self.relationships = relationships
    self.condition = condition
    self.prefetched = prefetched
  }

  /// Whether the mapping was inferred.
  var isInferred = false

  /// Whether the mapping has a source and makes objects. A policy may make objects of subentities of an abstract
  /// entity.
  var makesInstances: Bool {
    mapping.makesInstances && source?.isAbstract == false
      && (hasOwnPolicy || destination?.isAbstract == false)
  }

  /// Whether an attribute keeps its default where the old object has no value: it was optional, and is not any more
  /// (M9).
  func keepsDefault(of property: CompiledProperty) -> Bool {
    guard isInferred, let attribute = destination?.attributesByName[property.name] else {
      return false
    }
    return !attribute.isOptional && attribute.defaultValue != nil
  }
}

/// A property mapping with its compiled expression.
struct CompiledProperty {
  let mapping: PropertyMapping
  let name: String
  let expression: CompiledExpression
}

/// Checks a mapping model against two models, and compiles it.
struct MappingCompiler {
  let mapping: MappingModel
  let sourceModel: ManagedObjectModel
  let destinationModel: ManagedObjectModel

  /// Compiles all mappings.
  ///
  /// - Throws: `migrationMissingMappingModel` when entities or hashes differ (M19), `entityMigrationPolicy` for an
  ///   unknown policy or function, `unknownKey`, `invalidPredicate`.
  func run() throws -> [CompiledMapping] {
    try MappingHashes(mapping).check(from: sourceModel, to: destinationModel)
    let names = mapping.entityMappings.map(\.name)
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw PersistenceError(
        .migrationMissingMappingModel, "The mapping model has two entity mappings “\(twice)”.")
    }
    let compiled = try mapping.entityMappings.enumerated().map {
      try compile($0.element, $0.offset, Set(names))
    }
    markOneToOne(compiled)
    for one in compiled { one.isInferred = mapping.wasInferred }
    return compiled
  }

  private func markOneToOne(_ mappings: [CompiledMapping]) {
    let making = mappings.filter(\.makesInstances)
    for one in making {
      one.keepsKeys = making.allSatisfy {
        $0 === one || ($0.source !== one.source && $0.destination !== one.destination)
      }
    }
  }

  private func compile(
    _ entity: EntityMapping, _ index: Int, _ names: Set<String>
  ) throws -> CompiledMapping {
    let source = entity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    let destination = entity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    let policyClass = try PolicyClasses.policy(of: entity)
    let policy = entity.policyMaker?() ?? (policyClass ?? EntityMigrationPolicy.self).init()
    var compiler = ExpressionCompiler(
      mapping: entity, source: source, destination: destination, mappingNames: names,
      functions: policy.functions)
    let automatic = AutomaticExpressions(
      mapping: mapping, source: source, destination: destination, sourceModel: sourceModel,
      destinationModel: destinationModel)
    var attributes: [CompiledProperty] = []
    var relationships: [CompiledProperty] = []
    for property in entity.attributeMappings ?? [] {
      guard let name = try checked(property, of: destination, entity, isAttribute: true),
        let expression = property.valueExpression ?? automatic.expression(for: property)
      else { continue }
      compiler.key = name
      let compiled = try compiler.compile(expression)
      try checkType(of: compiled, name, source, destination, compiler)
      attributes.append(CompiledProperty(mapping: property, name: name, expression: compiled))
    }
    for property in entity.relationshipMappings ?? [] {
      guard let name = try checked(property, of: destination, entity, isAttribute: false),
        let expression = property.valueExpression ?? automatic.expression(for: property)
      else { continue }
      compiler.key = name
      relationships.append(
        CompiledProperty(
          mapping: property, name: name, expression: try compiler.compile(expression)))
    }
    compiler.key = nil
    return CompiledMapping(
      mapping: entity, index: index, source: source, destination: destination, policy: policy,
      hasOwnPolicy: policyClass != nil, attributes: attributes, relationships: relationships,
      condition: try condition(entity, compiler),
      prefetched: Self.prefetched(relationships, of: source))
  }

  /// Returns the name of a mapped property, which must exist in the destination entity and be settable.
  private func checked(
    _ property: PropertyMapping, of destination: EntityDescription?, _ mapping: EntityMapping,
    isAttribute: Bool
  ) throws -> String? {
    guard let name = property.name, let destination else { return nil }
    let found = destination.propertiesByName[name]
    let fits =
      isAttribute ? found is AttributeDescription : found is RelationshipDescription
    guard fits else {
      throw PersistenceError(
        .unknownKey,
        "The mapping \(mapping.name) cannot be used: the destination entity "
          + "\(destination.name ?? "") has no \(isAttribute ? "attribute" : "relationship") "
          + "“\(name)”.", entityName: destination.name, key: name)
    }
    return found is DerivedAttributeDescription ? nil : name
  }

  /// Throws when an attribute is set to the value of one with an incompatible type.
  private func checkType(
    of expression: CompiledExpression, _ name: String, _ source: EntityDescription?,
    _ destination: EntityDescription?, _ compiler: ExpressionCompiler
  ) throws {
    guard case .attribute(let from) = expression, let old = source?.attributesByName[from]?.type,
      let new = destination?.attributesByName[name]?.type, old != new
    else { return }
    let numbers: Set<AttributeType> = [
      .integer16, .integer32, .integer64, .double, .float, .decimal,
    ]
    let areLike =
      numbers.contains(old) && numbers.contains(new) || new == .undefined || old == .undefined
      || [old, new].allSatisfy { $0 == .transformable || $0 == .undefined }
    guard areLike else {
      throw compiler.fault(
        "“\(from)” is \(old) and “\(name)” is \(new): convert it with a function of a policy.")
    }
  }

  private func condition(
    _ mapping: EntityMapping, _ compiler: ExpressionCompiler
  ) throws -> FetchPredicate? {
    guard let expression = mapping.sourceExpression else { return nil }
    guard case .fetch(let entityName, let condition) = expression.content else {
      throw compiler.fault("its source expression is no FETCH.")
    }
    guard entityName == mapping.sourceEntityName else {
      throw compiler.fault("its source expression fetches \(entityName), another entity.")
    }
    let predicate = try FetchPredicate(format: condition, argumentArray: [])
    if case .constant(true) = predicate { return nil }
    return predicate
  }

  private static func prefetched(
    _ relationships: [CompiledProperty], of source: EntityDescription?
  ) -> [String] {
    var names: Set<String> = []
    for property in relationships {
      guard case .call(let call) = property.expression else { continue }
      for case .sourcePath(let path) in call.arguments {
        guard let first = path.split(separator: ".").first.map(String.init),
          source?.relationshipsByName[first] != nil
        else { continue }
        names.insert(first)
      }
    }
    return names.sorted()
  }
}
