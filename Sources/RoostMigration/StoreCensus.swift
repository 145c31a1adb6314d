// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Counts the records of a store before a migration, by the store's own model version: for a plan, and for the losses
/// of a migration. The store is open read-only meanwhile.
final class StoreCensus {
  private let coordinator: PersistentStoreCoordinator
  private let context: ManagedObjectContext
  private let entities: [EntityDescription]
  /// Whether the store was opened for this.
  private let isOwn: Bool

  /// Opens the store.
  ///
  /// - Throws: The errors of opening the store.
  init(_ description: PersistentStoreDescription, _ source: ManagedObjectModel) throws {
    var description = description
    description.isReadOnly = true
    description.migration = nil
    description.evolution = .refuse
    coordinator = try PersistentStoreCoordinator(usable: MigrationStores.plain(source))
    let store = try coordinator.addPersistentStore(with: description)
    entities = coordinator.attachedStore(for: store)?.schema.entities ?? []
    context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    isOwn = true
  }

  /// Counts the records of a migration's source, which stays open.
  init(_ source: MigrationStores.Side) {
    coordinator = source.coordinator
    entities = source.store.schema.entities
    context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    isOwn = false
  }

  deinit {
    context.reset()
    guard isOwn else { return }
    for store in coordinator.persistentStores { try? coordinator.detach(store) }
  }

  /// Returns the number of records of an entity of the old version, without its subentities.
  func records(of entity: String) throws -> Int { try count(entity, withSubentities: false) }

  /// Returns the number of records with a value or a destination for a property, including those of subentities.
  ///
  /// - Parameter name: The property's name in the old version; for an element of a composite attribute its dotted
  ///   path.
  func values(of name: String, in entity: String) throws -> Int {
    guard let found = entities.first(where: { $0.name == entity }),
      let first = name.split(separator: ".").first.map(String.init),
      let property = found.propertiesByName[first], !property.isTransient
    else { return 0 }
    if let composite = property as? CompositeAttributeDescription, first == name {
      // One record may have several of them.
      let names = composite.leafNames(first)
      return try count(
        entity, names.map { _ in "%K != nil" }.joined(separator: " OR "), names,
        withSubentities: true)
    }
    let isToMany = (property as? RelationshipDescription)?.isToMany ?? false
    return try count(
      entity, isToMany ? "%K.@count > 0" : "%K != nil", [name], withSubentities: true)
  }

  private func count(
    _ entity: String, _ condition: String? = nil, _ names: [String] = [], withSubentities: Bool
  ) throws -> Int {
    guard entities.contains(where: { $0.name == entity }) else { return 0 }
    let request = FetchRequest<ManagedObject>(entityName: entity)
    request.includesSubentities = withSubentities
    if let condition {
      // Names may be words of the language.
      request.predicate = try FetchPredicate(format: condition, argumentArray: names)
    }
    return try context.performAndWait { try context.count(for: request) }
  }
}

extension CompositeAttributeDescription {
  /// The dotted names of the elements that are no composites themselves.
  fileprivate func leafNames(_ path: String) -> [String] {
    elements.flatMap { element in
      let name = "\(path).\(element.name)"
      return (element as? CompositeAttributeDescription)?.leafNames(name) ?? [name]
    }
  }
}
