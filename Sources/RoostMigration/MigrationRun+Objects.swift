// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// The standard policy's work for one object.
extension MigrationRun {
  /// Makes one object from another, sets its attributes by the mapping, and associates the two.
  func createInstance(of source: ManagedObject, in entityMapping: EntityMapping) throws {
    guard let object = try makeInstance(of: source, in: entityMapping) else { return }
    try keep(object, of: source, in: entityMapping)
  }

  /// Makes one object from another, and sets its attributes by the mapping; nil when the mapping has no destination.
  func makeInstance(
    of source: ManagedObject, in entityMapping: EntityMapping
  ) throws -> ManagedObject? {
    let mapping = try compiled(entityMapping)
    guard let entity = mapping.destination else { return nil }
    let object = try EntityDescription.insertNewObject(
      forEntityName: entity.name ?? "", into: stores.destinationContext)
    for property in mapping.attributes {
      let scope = Scope(run: self, mapping: mapping, property: property, source, object)
      let value = try property.expression.evaluate(in: scope)
      if value == nil, mapping.keepsDefault(of: property) { continue }
      try set(value, property, object, of: source)
    }
    return object
  }

  /// Associates an object with its source, whose key it gets where one entity becomes one other.
  func keep(
    _ object: ManagedObject, of source: ManagedObject, in entityMapping: EntityMapping
  ) throws {
    let mapping = try compiled(entityMapping)
    let key = source.objectID.key
    if keepsKeys, mapping.keepsKeys, !hasAssociations(key, mapping),
      let entity = mapping.destination,
      let code = stores.destination.store.schema.code(of: entity)
    {
      want(
        RecordKey.make(sequence: RecordKey.sequence(of: key), entityCode: code), for: object)
    }
    manager.associate(
      sourceInstance: source, withDestinationInstance: object, for: entityMapping)
  }

  /// Sets the relationships of an object by its mapping.
  func connect(_ object: ManagedObject, in entityMapping: EntityMapping) throws {
    let mapping = try compiled(entityMapping)
    guard !mapping.relationships.isEmpty else { return }
    let source = sources(ofMapping: mapping.mapping.name, [object]).first
    for property in mapping.relationships {
      let scope = Scope(run: self, mapping: mapping, property: property, source, object)
      var value = Self.objects(in: try property.expression.evaluate(in: scope))
      let relationship = mapping.destination?.relationshipsByName[property.name]
      if mapping.isInferred, let wanted = relationship?.destinationEntity {
        // As in place (M12): records of an entity that has left the hierarchy are no destinations any more.
        value.removeAll { !$0.entity.isKindOf(entity: wanted) }
      }
      let isToMany = relationship?.isToMany ?? false
      try set(isToMany ? value : value.first, property, object, of: source)
    }
  }

  private func set(
    _ value: Any?, _ property: CompiledProperty, _ object: ManagedObject,
    of source: ManagedObject?
  ) throws {
    do {
      try object.setValue(value, forKey: property.name)
    } catch let error as PersistenceError {
      throw PersistenceError(
        .migration,
        "“\(property.name)” of a new \(object.entity.name ?? "") cannot have the value that the "
          + "mapping gives it: \(error.message)", entityName: object.entity.name,
        key: property.name, objectIDs: source.map { [$0.objectID] } ?? [],
        underlyingErrors: [error])
    }
  }

  /// The objects in the result of an expression: one, several in their order, or none.
  static func objects(in value: Any?) -> [ManagedObject] {
    switch value {
    case let object as ManagedObject: [object]
    case let objects as [ManagedObject]: objects
    case let objects as Set<ManagedObject>: objects.sorted { $0.objectID.key < $1.objectID.key }
    case let members as [Any]: members.flatMap { objects(in: $0) }
    default: []
    }
  }

  /// The variables of an expression while one property of one object is set.
  struct Scope: MappingScope {
    let run: MigrationRun
    let mapping: CompiledMapping
    let property: CompiledProperty
    let source: ManagedObject?
    let destination: ManagedObject

    init(
      run: MigrationRun, mapping: CompiledMapping, property: CompiledProperty,
      _ source: ManagedObject?, _ destination: ManagedObject
    ) {
      self.run = run
      self.mapping = mapping
      self.property = property
      self.source = source
      self.destination = destination
    }

    func value(ofVariable name: String) -> Any? {
      switch name {
      case "source": source
      case "destination": destination
      case "manager": run.manager
      case "entityMapping": mapping.mapping
      case "propertyMapping": property.mapping
      case "entityPolicy": mapping.policy
      default: nil
      }
    }

    func call(_ function: ManagerFunction, _ arguments: [Any?]) throws -> Any? {
      let name: String? =
        switch arguments.first ?? nil {
        case let value as Value: value.anyValue as? String
        case let text as String: text
        default: nil
        }
      let objects = MigrationRun.objects(in: arguments.count > 1 ? arguments[1] : nil)
      switch function {
      case .destinations: return run.destinations(ofMapping: name ?? "", objects)
      case .sources: return run.sources(ofMapping: name ?? "", objects)
      case .destinationsOfRelationship:
        return objects.flatMap { object in
          run.mappings.filter { $0.source === object.entity }
            .flatMap { run.destinations(of: $0, [object]) }
        }
      case .fetchRequest: return nil
      }
    }
  }
}
