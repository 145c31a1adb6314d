// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostObjects
import RoostStore
import Testing

@testable import RoostMigration

@Suite("Inferred mapping models") struct InferredTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Returns the new staff model with renaming identifiers, as far as a mapping can be inferred.
  private func renamed() throws -> ManagedObjectModel {
    let model = Staff.new()
    let employee = try #require(model.entitiesByName["Employee"])
    employee.renamingIdentifier = "Person"
    employee.attributesByName["fullName"]?.renamingIdentifier = "name"
    employee.attributesByName["age"]?.type = .integer32
    employee.relationshipsByName["unit"]?.renamingIdentifier = "department"
    let unit = try #require(model.entitiesByName["Unit"])
    unit.renamingIdentifier = "Department"
    unit.attributesByName["title"]?.renamingIdentifier = "name"
    return model
  }

  @Test("inference answers beforehand whether a store can be added (B259, M15)")
  func answers() throws {
    let mapping = try MappingModel.inferredMappingModel(
      forSourceModel: Staff.old(), destinationModel: renamed())
    #expect(
      Set(mapping.entityMappings.map { "\($0.name) \($0.mappingType.rawValue)" }) == [
        "PersonToEmployee 5", "DepartmentToUnit 5", "Log 2", "Note 3",
      ])
    let people = try #require(mapping.entityMappingsByName["PersonToEmployee"])
    let expressions = (people.attributeMappings ?? []).map(\.description)
    #expect(expressions.contains("fullName = $source.name"))
    #expect(expressions.contains("code = nothing"))
    #expect(people.sourceEntityVersionHash == Staff.old().entitiesByName["Person"]?.versionHash)
    // The age has another type in the model without the change above.
    let model = try renamed()
    model.entitiesByName["Employee"]?.attributesByName["age"]?.type = .string
    #expect(throws: PersistenceError(.inferredMappingModel, "")) {
      try MappingModel.inferredMappingModel(forSourceModel: Staff.old(), destinationModel: model)
    }
    let store = folder.sqlite("store")
    try Staff.fill(store, count: 1)
    #expect(throws: PersistenceError(.inferredMappingModel, "")) {
      try Staff.withStore(store, model) { _, _ in }
    }
  }

  @Test(
    "an inferred mapping model that is carried out gives what the store does by itself (M26)",
    arguments: StoreKind.allCases)
  func equal(kind: StoreKind) throws {
    let model = try renamed()
    let first = kind.description("first", folder)
    let second = kind.description("second", folder)
    try Staff.fill(first, count: 30)
    try Staff.fill(second, count: 30)
    let mapping = try MappingModel.inferredMappingModel(
      forSourceModel: Staff.old(), destinationModel: model)
    // Both ways: in the store, by the mapping model of its description, and object by object.
    var description = first
    description.migration = MappingModels([mapping], sourceModels: [Staff.old()])
    let byStore = try contents(description, model)
    let forced = mapping.copy()
    forced.isInferred = false
    description = second
    description.migration = MappingModels([forced], sourceModels: [Staff.old()])
    let byObjects = try contents(description, model)
    #expect(byStore == byObjects)
    #expect(byStore.count == 33)
  }

  @Test(
    "a manager gives the same whether the store follows by itself or not (M26)",
    arguments: StoreKind.allCases)
  func manager(kind: StoreKind) throws {
    let model = try renamed()
    let source = kind.description("source", folder)
    let identifier = try Staff.fill(source, count: 20)
    let mapping = try MappingModel.inferredMappingModel(
      forSourceModel: Staff.old(), destinationModel: model)
    var found: [[String]] = []
    for isStoreSpecific in [true, false] {
      let manager = MigrationManager(sourceModel: Staff.old(), destinationModel: model.copy())
      manager.usesStoreSpecificMigrationManager = isStoreSpecific
      let destination = kind.description("by \(isStoreSpecific)", folder)
      try manager.migrateStore(source, mapping: mapping, to: destination)
      found.append(try contents(destination, model))
      try Staff.withStore(destination, model.copy()) { _, store in
        #expect(store.identity.identifier != identifier)
      }
    }
    #expect(found[0] == found[1])
    #expect(found[0].count == 23)
    try Staff.withStore(source, Staff.old()) { _, _ in }
  }

  /// Returns all records: numbers, values and relationships.
  private func contents(
    _ description: PersistentStoreDescription, _ model: ManagedObjectModel
  ) throws -> [String] {
    try Staff.withStore(description, model.copy()) { context, _ in
      var lines: [String] = []
      for entity in ["Employee", "Unit", "Log"] {
        for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity)) {
          var parts = ["\(entity) \(object.objectID.key)"]
          for name in object.entity.attributesByName.keys.sorted() {
            parts.append("\(name)=\(try object.exchangeValue(forKey: name))")
          }
          for name in object.entity.relationshipsByName.keys.sorted() {
            let value = try object.value(forKey: name)
            switch value {
            case let one as ManagedObject: parts.append("\(name)=\(one.objectID.key)")
            case let many as [ManagedObject]: parts.append("\(name)=\(many.map(\.objectID.key))")
            case let many as Set<ManagedObject>:
              parts.append("\(name)=\(many.map(\.objectID.key).sorted())")
            default: parts.append("\(name)=nil")
            }
          }
          lines.append(parts.joined(separator: " "))
        }
      }
      return lines.sorted()
    }
  }
}
