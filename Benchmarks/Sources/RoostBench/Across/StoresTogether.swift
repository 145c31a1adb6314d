// SPDX-License-Identifier: Apache-2.0

import Roost

/// Some stores behind one coordinator, as a case of `--across` finds them.
final class StoresTogether {
  let descriptions: [PersistentStoreDescription]
  private(set) var container: PersistentContainer
  private let makeModel: () throws -> ManagedObjectModel
  private var contexts: [ManagedObjectContext] = []

  /// Opens stores, each of which has all entities.
  convenience init(_ descriptions: [PersistentStoreDescription]) throws {
    try self.init(descriptions, model: BenchModel.make)
  }

  /// Opens a store for persons, and one for their departments unless it is left out.
  static func apart(
    _ people: PersistentStoreDescription, _ departments: PersistentStoreDescription?
  ) throws -> StoresTogether {
    var (people, departments) = (people, departments)
    people.configuration = "People"
    departments?.configuration = "Departments"
    return try StoresTogether([people, departments].compactMap(\.self), model: model)
  }

  private init(
    _ descriptions: [PersistentStoreDescription],
    model: @escaping () throws -> ManagedObjectModel
  ) throws {
    self.descriptions = descriptions
    makeModel = model
    container = try Self.open(descriptions, model)
  }

  private static func open(
    _ descriptions: [PersistentStoreDescription], _ model: () throws -> ManagedObjectModel
  ) throws -> PersistentContainer {
    let container = try PersistentContainer(
      name: "bench", model: try model(), stores: descriptions)
    try container.loadPersistentStores()
    return container
  }

  /// The model of the workloads, with departments in another store.
  private static func model() throws -> ManagedObjectModel {
    let model = try BenchModel.make()
    for (name, configuration) in [("Person", "People"), ("Department", "Departments")] {
      guard let entity = model.entitiesByName[name] else { continue }
      for relationship in entity.relationshipsByName.values { relationship.crossesStores = true }
      try model.setEntities([entity], forConfigurationName: configuration)
    }
    return model
  }

  var coordinator: PersistentStoreCoordinator { container.persistentStoreCoordinator }
  var stores: [any PersistentStore] { coordinator.persistentStores }

  /// Makes a context, which lives until the stores are opened again.
  func newContext() -> ManagedObjectContext {
    let context = container.newBackgroundContext()
    contexts.append(context)
    return context
  }

  func fill(_ data: SampleData) throws {
    let context = newContext()
    let departments = data.departmentNames.map { Stage.department($0, in: context) }
    for sample in data.persons {
      Stage.person(sample, in: context).department = departments[sample.department]
    }
    try context.save()
  }

  /// Closes the stores and opens them again, so that nothing is cached.
  func reopen() throws {
    try close()
    container = try Self.open(descriptions, makeModel)
    let request = FetchRequest<ObjectID>(entityName: "Department")
    _ = try newContext().fetch(request.limit(1))
  }

  func close() throws {
    contexts = []
    for store in stores { try coordinator.remove(store) }
  }

  /// Closes the stores, and removes them with what is in them.
  func remove() throws {
    try close()
    for description in descriptions { try description.type.driver.destroy(description) }
  }
}
