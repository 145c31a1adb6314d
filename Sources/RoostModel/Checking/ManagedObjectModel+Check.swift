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
  /// - Throws: `invalidModel`, with everything that is wrong as underlying errors.
  @_disfavoredOverload
  public func check() throws {
    let faults = findFaults()
    if faults.isEmpty { return }
    throw PersistenceError(
      .invalidModel, "The model has \(faults.count) fault\(faults.count == 1 ? "" : "s").",
      underlyingErrors: faults)
  }

  /// Returns everything that is wrong with the model, each with the entity and property concerned; empty when the
  /// model can be used. A relationship without an inverse is no fault. Where a part refers to a copy of an entity or
  /// property of the model, it refers to the model's own of the same name afterwards.
  ///
  /// Of a model that is too large nothing else is said, and more than a thousand faults are not listed.
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

/// The search for faults of a model. Each rule stands in a function of its own and adds what it finds; no rule relies
/// on another one's having found nothing.
struct ModelCheck {
  /// The largest number of slots that a row may have.
  static let largestSlotCount = 65_000

  /// The largest number of values that one row of each entity may have together. Memory is set aside for as many.
  static let largestValueCount = 2_000_000
  /// How many faults are listed.
  static let largestFaultCount = 1_000

  let model: ManagedObjectModel
  private let members: Set<ObjectIdentifier>
  let entityNames: Set<String>
  /// The properties of each entity, made when the model was found to be of a size that allows it.
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

  /// Notes a fault.
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

  /// Templates must fetch entities of the model.
  mutating func checkTemplates() {
    for (name, template) in model.templates {
      if let entityName = template.templateEntityName, !entityNames.contains(entityName) {
        report("The template “\(name)” fetches “\(entityName)”, which the model does not have.")
      }
    }
  }
}
