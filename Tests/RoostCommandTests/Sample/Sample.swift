// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostCommandKit
import RoostInMemory
import RoostLMDB
import RoostPostgreSQL
import RoostSQLite

/// The kinds of stores that the command is tested with.
enum SampleKind: String, CaseIterable {
  case sqlite, lmdb, binary, postgresql

  /// The available kinds: PostgreSQL only where there is a server.
  static var here: [SampleKind] {
    allCases.filter { $0 != .postgresql || TestDatabase.uri != nil }
  }

  static let files: [SampleKind] = [.sqlite, .lmdb, .binary]
}

/// A folder with a model and stores, removed with the last reference to it.
final class Sample {
  let folder: URL
  let modelPath: String
  private var schemas: [PersistentStoreDescription] = []

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "roost-command-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    modelPath = try SampleModel.write(into: folder)
  }

  deinit {
    for schema in schemas { try? schema.type.driver.destroy(schema) }
    try? FileManager.default.removeItem(at: folder)
  }

  func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

  /// The path of one version of the model.
  func versionPath(_ name: String) -> String { "\(modelPath)/\(name).xcdatamodel" }

  func model(version: String = "HR") throws -> ManagedObjectModel {
    try ManagedObjectModel(contentsOf: URL(filePath: modelPath), version: version)
  }

  /// Returns the command-line address of a new store.
  func address(_ kind: SampleKind, _ name: String = "hr") throws -> String {
    guard kind == .postgresql else { return "\(kind.rawValue):\(path("\(name).\(kind.rawValue)"))" }
    let schema = "cli_\(UUID().uuidString)"
    let uri = TestDatabase.uri ?? ""
    schemas.append(try .postgresql(uri, schema: schema))
    return uri + (uri.contains("?") ? "&" : "?") + "schema=\(schema)"
  }

  func description(_ address: String) throws -> PersistentStoreDescription {
    if address.hasPrefix("postgresql://") { return try .postgresql(address) }
    let parts = address.split(separator: ":", maxSplits: 1).map(String.init)
    let url = URL(filePath: parts[1])
    return switch parts[0] {
    case "lmdb": .lmdb(at: url)
    case "binary": .binary(at: url)
    default: .sqlite(at: url)
    }
  }

  func container(_ address: String, version: String = "HR") throws -> PersistentContainer {
    let container = try PersistentContainer(
      name: "HR", model: model(version: version), stores: [description(address)])
    try container.loadPersistentStores()
    return container
  }

  /// Makes a store with three persons, a manager, two teams and a skill.
  ///
  /// - Returns: The command-line address of the store.
  func makeStore(_ kind: SampleKind = .sqlite, _ name: String = "hr") throws -> String {
    let address = try address(kind, name)
    let container = try container(address)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let engines = try make("Team", ["name": "Engines"], context)
      _ = try make("Team", ["name": "Compilers"], context)
      let swift = try make("Skill", ["title": "Swift"], context)
      let ada = try make(
        "Person",
        [
          "name": "Ada", "age": 36, "email": "ada@example.org",
          "joined": Date(timeIntervalSinceReferenceDate: 0), "photo": Data([1, 2, 3]),
        ], context)
      try ada.setValue(engines, forKey: "team")
      try ada.setValue(Set([swift]), forKey: "skills")
      let bob = try make("Person", ["name": "Bob \"the, builder\"", "age": 17], context)
      try bob.setValue(engines, forKey: "team")
      _ = try make("Person", ["name": "Zoë"], context)
      let margaret = try make("Manager", ["name": "Margaret", "age": 82, "level": 3], context)
      try margaret.setValue(Set([swift]), forKey: "skills")
      try context.save()
    }
    try container.close()
    return address
  }

  /// Makes a store with a person whose team and skill are in another store, which has been removed.
  ///
  /// - Returns: The command-line address of the store.
  func makeStoreAcross(_ kind: SampleKind) throws -> String {
    let address = try address(kind)
    let model = try model()
    for entity in model.entities {
      for case let relationship as RelationshipDescription in entity.properties {
        relationship.crossesStores = true
      }
    }
    let container = try PersistentContainer(
      name: "HR", model: model, stores: [description(address), .inMemory()])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let engines = try make("Team", ["name": "Engines"], context)
      let swift = try make("Skill", ["title": "Swift"], context)
      let other = container.persistentStoreCoordinator.persistentStores[1]
      for object in [engines, swift] { try context.assign(object, to: other) }
      let ada = try make("Person", ["name": "Ada", "age": 36], context)
      try ada.setValue(engines, forKey: "team")
      try ada.setValue(Set([swift]), forKey: "skills")
      try context.save()
    }
    try container.close()
    return address
  }

  private func make(
    _ entity: String, _ values: [String: Any], _ context: ManagedObjectContext
  ) throws -> ManagedObject {
    let model = context.persistentStoreCoordinator?.managedObjectModel
    guard let description = model?.entitiesByName[entity] else {
      throw PersistenceError(.unknownEntity, "The sample has no \(entity).")
    }
    let object = ManagedObject(entity: description, insertInto: context)
    for (key, value) in values { try object.setValue(value, forKey: key) }
    return object
  }

  /// Returns whether the store keeps the text of its model.
  func keepsModel(_ address: String) throws -> Bool {
    let description = try description(address)
    let store = try description.type.driver.open(description)
    defer { store.close() }
    return store.evolution != nil
  }

  /// Runs the command.
  func roost(_ words: String...) -> (code: Int32, output: String, errors: String) {
    run(words)
  }

  func run(_ words: [String]) -> (code: Int32, output: String, errors: String) {
    let captured = CapturedConsole()
    let code = RoostProgram.run(words, captured.console)
    return (code, captured.output, captured.errors)
  }
}

extension PersistentContainer {
  /// Removes the stores from the coordinator.
  func close() throws {
    for store in persistentStoreCoordinator.persistentStores {
      try persistentStoreCoordinator.remove(store)
    }
  }
}
