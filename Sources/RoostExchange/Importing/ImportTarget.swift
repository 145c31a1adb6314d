// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

/// The store to import into, and the plans of its entities.
final class ImportTarget {
  let coordinator: PersistentStoreCoordinator
  let store: AttachedStore
  let options: ImportOptions
  private var plans: [String: EntityPlan] = [:]
  private var keys: [ObjectIdentifier: [EntityKey]] = [:]

  /// - Parameters:
  ///   - entities: The entities that the store must hold, as far as known.
  /// - Throws: `noStore`, `readOnlyStore`, `storeRemoved`; `unknownEntity` and `invalidRequest` for keys that do not
  ///   exist.
  init(
    _ coordinator: PersistentStoreCoordinator, _ options: ImportOptions,
    entities: Set<String> = []
  ) throws {
    self.coordinator = coordinator
    self.options = options
    let chosen: AttachedStore?
    if let store = options.store {
      chosen = coordinator.attachedStore(for: store)
      guard chosen != nil else {
        throw PersistenceError(
          .storeRemoved, "The store of the import is not attached to this coordinator.")
      }
    } else {
      let writable = coordinator.attachedStores.filter { !$0.isReadOnly }
      let named = entities.compactMap { coordinator.managedObjectModel.entitiesByName[$0] }
        .filter { !$0.isAbstract }
      chosen =
        writable.first { store in named.allSatisfy { store.holds($0) } } ?? writable.first
        ?? coordinator.attachedStores.first
    }
    guard let chosen else {
      throw PersistenceError(.noStore, "There is no store to import into.")
    }
    guard !chosen.isReadOnly else {
      throw PersistenceError(
        .readOnlyStore, "A read-only store takes no import.",
        store: chosen.store.description.displayName)
    }
    store = chosen
    for (name, key) in options.keys {
      let entity = try entity(named: name)
      guard EntityKey.key(of: entity, named: Set(key)) != nil else {
        throw PersistenceError(
          .invalidRequest,
          "“\(name)” has no uniqueness constraint of \(key.joined(separator: ", ")).",
          entityName: name, key: key.first
        ).remedied(by: "Name the attributes of one of the entity's uniqueness constraints.")
      }
    }
    if let name = options.entity { _ = try entity(named: name) }
  }

  /// Returns an entity of the model by name.
  func entity(named name: String) throws(PersistenceError) -> EntityDescription {
    guard let entity = coordinator.managedObjectModel.entitiesByName[name] else {
      let names = coordinator.managedObjectModel.entities.compactMap(\.name)
        .sorted(by: UTF8Order.isLess).joined(separator: ", ")
      throw PersistenceError(.unknownEntity, "The model has no entity “\(name)”.")
        .remedied(by: "Name one of \(names).")
    }
    return entity
  }

  /// Returns the key of an entity that consists of some attributes; nil when there is none.
  func key(of entity: EntityDescription, named names: [String]) -> EntityKey? {
    let known = keys[ObjectIdentifier(entity)] ?? EntityKey.keys(of: entity)
    keys[ObjectIdentifier(entity)] = known
    let wanted = names.sorted(by: UTF8Order.isLess)
    return known.first { $0.names == wanted }
  }

  /// Returns the plan of a concrete entity.
  func plan(named name: String) throws(ExchangeFault) -> EntityPlan {
    if let known = plans[name] { return known }
    let entity: EntityDescription
    do throws(PersistenceError) {
      entity = try self.entity(named: name)
    } catch {
      throw ExchangeFault(error.message, code: error.code, remedy: error.remedy)
    }
    guard !entity.isAbstract else {
      throw ExchangeFault("“\(name)” is abstract", code: .abstractEntity)
    }
    guard store.holds(entity) else {
      throw ExchangeFault(
        "the store of the import does not hold “\(name)”", code: .invalidStoreAssignment,
        remedy: "Import the records of each store by themselves, with the store in the options.")
    }
    let plan = EntityPlan(entity)
    plans[name] = plan
    return plan
  }
}
