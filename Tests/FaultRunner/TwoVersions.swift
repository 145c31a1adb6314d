// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// A store that is migrated from one version of a model to another, with its expected content in both.
struct TwoVersions {
  let description: PersistentStoreDescription
  /// Whether steps that can be deferred are deferred, and finished afterwards.
  var defers = false

  private static let people = 60
  private static let teams = 4

  // MARK: Models

  private static func attribute(
    _ name: String, _ type: AttributeType, optional: Bool = true, default value: Any? = nil,
    was old: String? = nil
  ) -> AttributeDescription {
    let attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = optional
    attribute.defaultValue = value
    attribute.renamingIdentifier = old ?? name
    return attribute
  }

  private static func model(
    person: [AttributeDescription], team: String, _ leads: (toMany: Bool, isOrdered: Bool)
  ) throws -> ManagedObjectModel {
    let people = EntityDescription(name: "Person")
    let teams = EntityDescription(name: team)
    teams.renamingIdentifier = "Team"
    let there = RelationshipDescription(
      name: "team", destination: teams, maxCount: leads.toMany ? 0 : 1)
    let back = RelationshipDescription(name: "members", destination: people, maxCount: 0)
    back.isOrdered = leads.isOrdered
    there.inverseRelationship = back
    back.inverseRelationship = there
    people.properties = person + [there]
    teams.properties = [attribute("name", .string), back]
    return ManagedObjectModel(entities: [people, teams])
  }

  /// Returns the version that the store is created with.
  private static func first() throws -> ManagedObjectModel {
    try model(
      person: [
        attribute("name", .string), attribute("note", .string), attribute("size", .integer64),
        attribute("old", .binaryData),
      ], team: "Team", (toMany: false, isOrdered: false))
  }

  /// Returns the version that the store is migrated to: attributes are added, renamed, filled and dropped, an entity
  /// is renamed, links move to a table and get an order, and an index is added.
  private static func second() throws -> ManagedObjectModel {
    let model = try model(
      person: [
        attribute("name", .string), attribute("remark", .string, was: "note"),
        attribute("size", .integer64, optional: false, default: 5),
        attribute("score", .double, default: 0.1),
      ], team: "Group", (toMany: true, isOrdered: true))
    let person = model.entitiesByName["Person"]
    person?.uniquenessConstraints = [["name"]]
    person?.indexes = [
      FetchIndexDescription(
        name: "byRemark", elements: [FetchIndexElementDescription(propertyName: "remark")])
    ]
    return model
  }

  // MARK: Writing and reading

  /// Runs a body with the store opened with a version.
  private func with(
    _ model: ManagedObjectModel, _ body: (ManagedObjectContext) throws -> Void
  ) throws {
    var description = description
    description.evolution.defersLightweightMigration = defers
    let container = try PersistentContainer(name: "two", model: model, stores: [description])
    try container.loadPersistentStores()
    let coordinator = container.persistentStoreCoordinator
    defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
    let context = container.newBackgroundContext()
    try context.performAndWait {
      try body(context)
      context.reset()
    }
  }

  private static func insert(
    _ entity: String, _ context: ManagedObjectContext, _ values: [String: Any?]
  ) throws -> ManagedObject {
    guard
      let entity = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[entity]
    else { throw Finding("there is no entity \(entity)") }
    let object = ManagedObject(entity: entity, insertInto: context)
    for (key, value) in values { try object.setValue(value, forKey: key) }
    return object
  }

  private static func name(_ index: Int) -> String { String(format: "p%03d", index) }

  /// Creates the store with the first version.
  func prepare() throws {
    try with(Self.first()) { context in
      let teams = try (0..<Self.teams).map { index in
        try Self.insert("Team", context, ["name": "t\(index)"])
      }
      for index in 0..<Self.people {
        let size = index % 3 == 0 ? nil : index
        let person = try Self.insert(
          "Person", context,
          [
            "name": Self.name(index), "note": "note \(index)", "size": size,
            "old": Data(repeating: UInt8(index), count: index % 7 == 0 ? 9_000 : 20),
          ])
        try person.setValue(teams[index % Self.teams], forKey: "team")
      }
      try context.save()
    }
  }

  /// Migrates the store to the second version.
  func evolve() throws {
    try with(Self.second()) { context in
      try context.persistentStoreCoordinator?.finishDeferredLightweightMigration()
    }
  }

  /// Returns whether the store still has the first version; then its content must be as it was written.
  func isOfFirstVersion() throws -> Bool {
    do {
      try with(Self.first()) { context in
        try Self.check(context, "Team") { person, index in
          try Finding.require(
            try person.value(forKey: "note") as? String == "note \(index)", "note of \(index)")
          let size = (try person.value(forKey: "size") as? NSNumber)?.intValue
          try Finding.require(size == (index % 3 == 0 ? nil : index), "size of \(index)")
          let count = (try person.value(forKey: "old") as? Data)?.count
          try Finding.require(count == (index % 7 == 0 ? 9_000 : 20), "old of \(index)")
        }
      }
      return true
    } catch let error as PersistenceError
      where error.code == .persistentStoreIncompatibleVersionHash
    {
      return false
    }
  }

  /// Opens the store with the second version, whichever version it has; its content must be complete.
  func checkSecondVersion() throws {
    try with(Self.second()) { context in
      try Self.check(context, "Group") { person, index in
        try Finding.require(
          try person.value(forKey: "remark") as? String == "note \(index)", "remark of \(index)")
        let size = (try person.value(forKey: "size") as? NSNumber)?.intValue
        try Finding.require(size == (index % 3 == 0 ? 5 : index), "size of \(index)")
        let score = (try person.value(forKey: "score") as? NSNumber)?.doubleValue
        try Finding.require(score == 0.1, "score of \(index)")
        let teams = try person.value(forKey: "team") as? Set<ManagedObject> ?? []
        let names = try teams.map { try $0.value(forKey: "name") as? String }
        try Finding.require(names == ["t\(index % Self.teams)"], "teams of \(index): \(names)")
      }
      try context.persistentStoreCoordinator?.finishDeferredLightweightMigration()
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = try FetchPredicate(
        format: "remark == %@", argumentArray: ["note 7"])
      try Finding.require(try context.count(for: request) == 1, "what an index finds")
      // The store is writable, and has the same content afterwards.
      let more = try Self.insert("Person", context, ["name": "more"])
      try context.save()
      context.delete(more)
      try context.save()
    }
  }

  private static func check(
    _ context: ManagedObjectContext, _ team: String, _ body: (ManagedObject, Int) throws -> Void
  ) throws {
    let request = FetchRequest<ManagedObject>(entityName: "Person")
    request.sortDescriptors = [SortOrdering("name")]
    let found = try context.fetch(request)
    try Finding.require(found.count == people, "\(found.count) people instead of \(people)")
    for (index, person) in found.enumerated() {
      let name = try person.value(forKey: "name") as? String
      try Finding.require(name == Self.name(index), "the name of \(index) is \(name ?? "nil")")
      try body(person, index)
    }
    let count = try context.count(for: FetchRequest<ManagedObject>(entityName: team))
    try Finding.require(count == teams, "\(count) teams instead of \(teams)")
  }
}
