// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// A store that is migrated from one version of a model to another, with its expected content in both. Two attributes
/// of one type exchange their names, so that a reader which uses the columns of the wrong version reads wrong values.
struct VersionedStore {
  let description: PersistentStoreDescription

  /// The versions of the model.
  enum Version { case first, second }

  /// The values of an item in the first version.
  struct Item: Equatable, Sendable {
    var left: Int64
    var right: Int64
    var note: String
    var tally: Int64?

    init(_ index: Int) {
      left = Int64(index)
      right = -1 - Int64(index)
      note = "note \(index)"
      tally = index % 3 == 0 ? nil : Int64(index)
    }
  }

  static let teamCount = 4

  static func name(_ index: Int) -> String { String(format: "i%05d", index) }

  // MARK: Models

  private static func attribute(
    _ name: String, _ type: AttributeType, was old: String? = nil
  ) -> AttributeDescription {
    let attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = true
    attribute.renamingIdentifier = old ?? name
    return attribute
  }

  private static func attributes(_ version: Version) -> [AttributeDescription] {
    guard version == .second else {
      return [
        attribute("name", .string), attribute("left", .integer64), attribute("right", .integer64),
        attribute("note", .string), attribute("tally", .integer64), attribute("old", .binaryData),
      ]
    }
    let tally = attribute("tally", .integer64)
    tally.isOptional = false
    tally.defaultValue = -5
    let score = attribute("score", .double)
    score.defaultValue = 0.1
    let remark = attribute("remark", .string, was: "note")
    remark.isSearchable = true
    return [
      attribute("name", .string), attribute("left", .integer64, was: "right"),
      attribute("right", .integer64, was: "left"), remark, tally, score,
    ]
  }

  /// A version of the model: the second one exchanges, renames, fills, adds and drops attributes, renames an entity,
  /// moves links to a table and gives them an order, and has two indexes more, and one of words.
  static func model(_ version: Version) -> ManagedObjectModel {
    let isSecond = version == .second
    let items = EntityDescription(name: "Item")
    let teams = EntityDescription(name: isSecond ? "Group" : "Team")
    teams.renamingIdentifier = "Team"
    let there = RelationshipDescription(
      name: "team", destination: teams, maxCount: isSecond ? 0 : 1)
    let back = RelationshipDescription(name: "members", destination: items, maxCount: 0)
    back.isOrdered = isSecond
    there.inverseRelationship = back
    back.inverseRelationship = there
    items.properties = attributes(version) + [there]
    if isSecond {
      items.uniquenessConstraints = [["name"]]
      items.indexes = [
        FetchIndexDescription(
          name: "byTally", elements: [FetchIndexElementDescription(propertyName: "tally")])
      ]
    }
    teams.properties = [attribute("name", .string), back]
    return ManagedObjectModel(entities: [items, teams])
  }

  // MARK: Opening

  /// Opens the store with a version.
  func open(_ version: Version) throws -> PersistentContainer {
    let container = try PersistentContainer(
      name: "Versions", model: Self.model(version), stores: [description])
    try container.loadPersistentStores()
    return container
  }

  static func close(_ container: PersistentContainer) {
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try? coordinator.remove(store) }
  }

  private func with(
    _ version: Version, _ body: (ManagedObjectContext) throws -> Void
  ) throws {
    let container = try open(version)
    defer { Self.close(container) }
    let context = container.newBackgroundContext()
    try context.performAndWait {
      try body(context)
      context.reset()
    }
  }

  /// Creates the store with the first version.
  func prepare(_ count: Int) throws {
    try with(.first) { context in
      let teams = try Self.teams(context)
      for index in 0..<count { try Self.insertItem(index, teams, context) }
      try context.save()
    }
  }

  /// Returns the teams of the first version, and inserts them if there are none.
  static func teams(_ context: ManagedObjectContext) throws -> [ManagedObject] {
    let request = FetchRequest<ManagedObject>(entityName: "Team")
    request.sortDescriptors = [SortOrdering("name")]
    let found = try context.fetch(request)
    guard found.isEmpty else { return found }
    return try (0..<teamCount).map { index in
      let team = try insert("Team", context)
      try team.setValue("t\(index)", forKey: "name")
      return team
    }
  }

  /// Inserts an item of the first version.
  static func insertItem(
    _ index: Int, _ teams: [ManagedObject], _ context: ManagedObjectContext
  ) throws {
    let (object, item) = (try insert("Item", context), Item(index))
    try object.setValue(name(index), forKey: "name")
    try object.setValue(item.left, forKey: "left")
    try object.setValue(item.right, forKey: "right")
    try object.setValue(item.note, forKey: "note")
    try object.setValue(item.tally, forKey: "tally")
    try object.setValue(
      Data(repeating: UInt8(index % 256), count: index % 50 == 0 ? 9_000 : 20), forKey: "old")
    try object.setValue(teams[index % teamCount], forKey: "team")
  }

  private static func insert(
    _ name: String, _ context: ManagedObjectContext
  ) throws -> ManagedObject {
    guard
      let entity = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[name]
    else { throw Inspection.Finding(description: "there is no entity \(name)") }
    return ManagedObject(entity: entity, insertInto: context)
  }

  // MARK: Comparing

  /// Returns whether the store has the first version; then its content must be as it was written.
  func isOfFirstVersion(_ items: [Item]) throws -> Bool {
    do {
      try with(.first) { try Self.compare(items, .first, $0) }
      return true
    } catch let error as PersistenceError
      where error.code == .persistentStoreIncompatibleVersionHash
    {
      return false
    }
  }

  /// Opens the store with the second version, whichever version it has; its content must be complete and writable.
  func checkSecondVersion(_ items: [Item]) throws {
    try with(.second) { context in
      try Self.compare(items, .second, context)
      let more = try Self.insert("Item", context)
      try more.setValue("more", forKey: "name")
      try context.save()
      context.delete(more)
      try context.save()
    }
    try with(.second) { context in
      try Self.compare(items, .second, context)
      let store = context.persistentStoreCoordinator?.persistentStores.first
      try Self.require(store?.metadata.hasDeferredMigration == false, "something is left to do")
    }
  }

  /// Compares all items, read with a version, with the expected values.
  static func compare(
    _ items: [Item], _ version: Version, _ context: ManagedObjectContext
  ) throws {
    let request = FetchRequest<ManagedObject>(entityName: "Item")
    request.sortDescriptors = [SortOrdering("name")]
    let found = try context.fetch(request)
    try require(found.count == items.count, "\(found.count) items instead of \(items.count)")
    for (index, object) in found.enumerated() {
      try compare(object, items[index], index, version)
    }
    if version == .second {
      // By the index.
      let request = FetchRequest<ManagedObject>(entityName: "Item")
      request.predicate = try FetchPredicate("tally == -5")
      let count = try context.count(for: request)
      let wanted = items.count { $0.tally == nil || $0.tally == -5 }
      try require(count == wanted, "\(count) items with the default instead of \(wanted)")
    }
    if version == .second {
      // By the words.
      let request = FetchRequest<ManagedObject>(entityName: "Item")
      request.predicate = try FetchPredicate("remark SEARCH 'note'")
      let count = try context.count(for: request)
      try require(count == items.count, "\(count) items with the word instead of \(items.count)")
      request.predicate = try FetchPredicate("remark SEARCH '7'")
      let ones = try context.count(for: request)
      let wanted = items.count { $0.note == "note 7" }
      try require(ones == wanted, "\(ones) items with the number instead of \(wanted)")
    }
    let teams = FetchRequest<ManagedObject>(entityName: version == .first ? "Team" : "Group")
    try require(try context.count(for: teams) == teamCount, "the number of teams")
  }

  /// Compares an item with the expected values.
  static func compare(
    _ object: ManagedObject, _ item: Item, _ index: Int, _ version: Version
  ) throws {
    func number(_ key: String) throws -> Int64? {
      (try object.value(forKey: key) as? NSNumber)?.int64Value
    }
    func same(_ found: some Equatable, _ what: String, _ isRight: Bool) throws {
      try require(isRight, "\(what) of item \(index) is \(found), read with the \(version) version")
    }
    let name = try object.value(forKey: "name") as? String
    try same(name, "the name", name == Self.name(index))
    let (left, right) = (try number("left"), try number("right"))
    let tally = try number("tally")
    let team = "t\(index % teamCount)"
    switch version {
    case .first:
      try same(left, "left", left == item.left)
      try same(right, "right", right == item.right)
      try same(tally, "tally", tally == item.tally)
      let note = try object.value(forKey: "note") as? String
      try same(note, "note", note == item.note)
      let size = (try object.value(forKey: "old") as? Data)?.count
      try same(size, "the size of old", size == (index % 50 == 0 ? 9_000 : 20))
      let found = try (object.value(forKey: "team") as? ManagedObject)?.value(forKey: "name")
      try same(found as? String, "the team", found as? String == team)
    case .second:
      try same(left, "left", left == item.right)
      try same(right, "right", right == item.left)
      try same(tally, "tally", tally == item.tally ?? -5)
      let remark = try object.value(forKey: "remark") as? String
      try same(remark, "remark", remark == item.note)
      let score = (try object.value(forKey: "score") as? NSNumber)?.doubleValue
      try same(score, "score", score == 0.1)
      let teams = try object.value(forKey: "team") as? Set<ManagedObject> ?? []
      let names = try teams.map { try $0.value(forKey: "name") as? String }
      try same(names, "the teams", names == [team])
    }
  }

  static func require(_ truth: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard truth else { throw Inspection.Finding(description: otherwise()) }
  }
}
