// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectModel {
  /// Checks the whole model.
  ///
  /// ```swift
  /// do { try model.check() } catch let error as PersistenceError {
  ///   for fault in error.underlyingErrors { print(fault) }
  /// }
  /// ```
  ///
  /// - Throws: `invalidModel`, with all faults as underlying errors.
  @_disfavoredOverload
  public func check() throws {
    let faults = findFaults()
    if faults.isEmpty { return }
    throw PersistenceError(
      .invalidModel, "The model has \(faults.count) fault\(faults.count == 1 ? "" : "s").",
      underlyingErrors: faults)
  }

  /// Returns all faults of the model, each with the affected entity and property; empty when the model can be used. A
  /// relationship without an inverse is not a fault. References to copies of the model's entities or properties are
  /// replaced by references to the model's own.
  ///
  /// For a model that is too large nothing else is reported, and at most a thousand faults are listed.
  ///
  /// - Complexity: About linear in the number of properties, inherited ones included.
  @_disfavoredOverload
  public func findFaults() -> [PersistenceError] {
    if !isFrozen { ModelLinking(model: self).link() }
    var check = ModelCheck(model: self)
    check.checkEntities()
    guard check.checkSize() else { return check.faults }
    check.checkHierarchies()
    for entity in entities {
      check.checkPropertyNames(of: entity)
      for property in entity.declaredProperties { check.checkProperty(property, of: entity) }
      check.checkConstraints(of: entity)
      check.checkIndexes(of: entity)
      check.checkClass(of: entity)
    }
    check.checkTemplates()
    return check.faults
  }
}

/// The check of a model. Each rule is a function that adds its faults; no rule depends on the result of another one.
struct ModelCheck {
  /// The maximum number of slots in a row.
  static let largestSlotCount = 65_000

  /// The maximum number of values of one row of each entity together, which determines allocated memory.
  static let largestValueCount = 2_000_000
  /// The maximum number of listed faults.
  static let largestFaultCount = 1_000

  let model: ManagedObjectModel
  private let members: Set<ObjectIdentifier>
  let entityNames: Set<String>
  /// The properties of each entity, made after the size check.
  lazy var properties = PropertyTable(of: model.entities)
  /// The leaves of composites by their dotted names.
  var leaves: [ObjectIdentifier: [String: AttributeDescription]] = [:]
  private(set) var faults: [PersistenceError] = []

  init(model: ManagedObjectModel) {
    self.model = model
    members = Set(model.entities.map(ObjectIdentifier.init))
    entityNames = Set(model.entities.compactMap(\.name))
  }

  /// Whether the model has an entity.
  func isMember(_ entity: EntityDescription) -> Bool {
    members.contains(ObjectIdentifier(entity))
  }

  /// Adds a fault.
  mutating func report(
    _ message: @autoclosure () -> String, _ entity: EntityDescription? = nil, _ key: String? = nil
  ) {
    guard faults.count < Self.largestFaultCount else { return }
    faults.append(PersistenceError(.invalidModel, message(), entityName: entity?.name, key: key))
  }

  /// Checks one property, by its kind.
  mutating func checkProperty(_ property: PropertyDescription, of entity: EntityDescription) {
    if property.entity !== entity {
      report(
        "The property belongs to another entity; give each entity its own.", entity, property.name)
    }
    switch property {
    case let attribute as AttributeDescription: checkAttribute(attribute, of: entity)
    case let relationship as RelationshipDescription: checkRelationship(relationship, of: entity)
    case let fetched as FetchedPropertyDescription: checkFetchedProperty(fetched, of: entity)
    default: report("An expression is no property of an entity.", entity, property.name)
    }
  }

  private mutating func checkFetchedProperty(
    _ property: FetchedPropertyDescription, of entity: EntityDescription
  ) {
    guard let name = property.fetchRequest?.templateEntityName,
      !entityNames.contains(name)
    else { return }
    report(
      "The fetched property fetches “\(name)”, which the model does not have.", entity,
      property.name)
  }

  /// Checks that templates fetch entities of the model.
  mutating func checkTemplates() {
    for (name, template) in model.templates {
      if let entityName = template.templateEntityName, !entityNames.contains(entityName) {
        report("The template “\(name)” fetches “\(entityName)”, which the model does not have.")
      }
    }
  }
}
