// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostObjects
import RoostStore
import Testing

@testable import RoostMigration

/// Versions 1 to 4 of a model: `name` is split into `first` and `last`, then a note is added, then `name` is removed.
enum Versions {
  static func model(_ version: Int) -> ManagedObjectModel {
    let person = EntityDescription(name: "Person")
    var names = ["email"]
    if version < 4 { names.append("name") }
    if version > 1 { names += ["first", "last"] }
    if version > 2 { names.append("note") }
    person.properties = names.map { AttributeDescription(name: $0, type: .string) }
    return ManagedObjectModel(entities: [person])
  }

  static func checksum(_ version: Int) -> String { model(version).versionChecksum }

  static func reference(_ version: Int) -> ManagedObjectModelReference {
    ManagedObjectModelReference(model: model(version), versionChecksum: checksum(version))
  }

  /// Returns a custom stage between two versions that logs its handlers, and splits the names after the first
  /// version.
  static func custom(_ from: Int, _ to: Int, _ log: StageLog) -> CustomMigrationStage {
    let stage = CustomMigrationStage(migratingFrom: reference(from), to: reference(to))
    stage.label = "\(from)-\(to)"
    stage.willMigrateHandler = { manager, stage in
      try log.note("will", manager, stage)
    }
    stage.didMigrateHandler = { manager, stage in
      try log.note("did", manager, stage)
      guard to == 2, let context = manager.container?.newBackgroundContext() else { return }
      for person in try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")) {
        let parts = (try person.value(forKey: "name") as? String ?? "").split(separator: " ")
        try person.setValue(parts.first.map(String.init), forKey: "first")
        try person.setValue(parts.last.map(String.init), forKey: "last")
      }
      try context.save()
    }
    return stage
  }

  static func fill(_ description: PersistentStoreDescription, _ version: Int) throws {
    try Staff.withStore(description, model(version)) { context, _ in
      for name in ["Ada Lovelace", "Alan Turing"] {
        let person = try EntityDescription.insertNewObject(forEntityName: "Person", into: context)
        try person.setValue(name, forKey: version < 4 ? "name" : "email")
      }
      try context.save()
    }
  }

  static func lastNames(_ description: PersistentStoreDescription, _ version: Int) throws
    -> [String]
  {
    try Staff.withStore(description, model(version)) { context, _ in
      try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).map {
        try $0.value(forKey: "last") as? String ?? "-"
      }.sorted()
    }
  }
}

/// A log of the calls of handlers, and the handler that must fail.
final class StageLog: @unchecked Sendable {
  // Sendable: each test has its own, and runs its migrations on one thread.

  var calls: [String] = []
  var failing: String?

  struct Failure: Error {}

  func note(
    _ call: String, _ manager: StagedMigrationManager, _ stage: CustomMigrationStage
  ) throws {
    let container = try #require(manager.container)
    let count = try container.newBackgroundContext().count(
      for: FetchRequest<ManagedObject>(entityName: "Person"))
    let version = (1...4).first {
      Versions.checksum($0) == container.managedObjectModel.versionChecksum
    }
    let entry = "\(call) \(stage.label ?? "") v\(version ?? 0)\(manager.isRepeated ? " again" : "")"
    calls.append("\(entry) \(count)")
    if let failing, entry.hasPrefix(failing) {
      self.failing = nil
      throw Failure()
    }
  }
}

@Suite struct StagedTests {
  let folder: TestFolder
  let log = StageLog()

  init() throws { folder = try TestFolder() }

  /// Returns the stages: 1 to 2 by a custom stage, 3 by inference, 4 by a custom stage.
  private func stages() -> [MigrationStage] {
    [
      Versions.custom(1, 2, log),
      LightweightMigrationStage([2, 3].map { Versions.checksum($0) }),
      Versions.custom(3, 4, log),
    ]
  }

  private func staged(
    _ description: PersistentStoreDescription, _ stages: [MigrationStage]
  ) -> PersistentStoreDescription {
    var description = description
    description.migration = StagedMigrationManager(stages)
    return description
  }

  @Test(
    "stages apply from the one of the store's version, with a container at each side (B265, M28)",
    arguments: StoreKind.allCases)
  func allStages(kind: StoreKind) throws {
    let store = kind.description("store", folder)
    try Versions.fill(store, 1)
    #expect(try Versions.lastNames(staged(store, stages()), 4) == ["Lovelace", "Turing"])
    #expect(
      log.calls == [
        "will 1-2 v1 2", "did 1-2 v2 2", "will 3-4 v3 2", "did 3-4 v4 2",
      ])
    // Nothing is left to do, and no mark.
    try Staff.withStore(staged(store, stages()), Versions.model(4)) { _, opened in
      #expect(opened.metadata.userValues.isEmpty)
    }
    #expect(log.calls.count == 4)
  }

  @Test("a store joins in the middle, and stages beyond the model are left out (M28)")
  func middle() throws {
    let store = folder.sqlite("store")
    try Versions.fill(store, 2)
    #expect(try Versions.lastNames(staged(store, stages()), 3) == ["-", "-"])
    #expect(log.calls.isEmpty)
    _ = try Versions.lastNames(staged(store, stages()), 4)
    #expect(log.calls == ["will 3-4 v3 2", "did 3-4 v4 2"])
  }

  @Test("a version without a stage, and a gap, leave the store untouched (134504, B266, M29)")
  func unknown() throws {
    let store = folder.sqlite("store")
    try Versions.fill(store, 1)
    let before = try Data(contentsOf: folder.url.appending(path: "store"))
    let bad: [[MigrationStage]] = [
      [Versions.custom(2, 3, log), Versions.custom(3, 4, log)],
      [LightweightMigrationStage([1, 2].map { Versions.checksum($0) })],
      [Versions.custom(1, 2, log), Versions.custom(3, 4, log)],
      [
        LightweightMigrationStage([1, 2, 4].map { Versions.checksum($0) }),
        LightweightMigrationStage([Versions.checksum(2)]),
      ],
    ]
    for stages in bad {
      #expect(throws: PersistenceError(.stagedMigrationUnknownVersion, "")) {
        try Staff.withStore(staged(store, stages), Versions.model(4)) { _, _ in }
      }
    }
    #expect(log.calls.isEmpty)
    #expect(try Data(contentsOf: folder.url.appending(path: "store")) == before)
  }

  @Test("a store is not brought back to an earlier version (134506, B266, M29)")
  func backward() throws {
    let store = folder.sqlite("store")
    try Versions.fill(store, 3)
    #expect(throws: PersistenceError(.stagedMigrationBackward, "")) {
      try Staff.withStore(staged(store, stages()), Versions.model(2)) { _, _ in }
    }
    try Staff.withStore(store, Versions.model(3)) { _, _ in }
  }

  @Test(
    "a migration that ends in a handler goes on there, and the handler runs again (B266, M28)",
    arguments: [
      (
        "will 1-2",
        ["will 1-2 v1 2", "will 1-2 v1 again 2", "did 1-2 v2 2", "will 3-4 v3 2", "did 3-4 v4 2"]
      ),
      (
        "did 1-2",
        ["will 1-2 v1 2", "did 1-2 v2 2", "did 1-2 v2 again 2", "will 3-4 v3 2", "did 3-4 v4 2"]
      ),
      (
        "will 3-4",
        [
          "will 1-2 v1 2", "did 1-2 v2 2", "will 3-4 v3 2", "will 3-4 v3 again 2", "did 3-4 v4 2",
        ]
      ),
      (
        "did 3-4",
        ["will 1-2 v1 2", "did 1-2 v2 2", "will 3-4 v3 2", "did 3-4 v4 2", "did 3-4 v4 again 2"]
      ),
    ])
  func interrupted(place: String, calls: [String]) throws {
    let store = folder.sqlite("store")
    try Versions.fill(store, 1)
    log.failing = place
    #expect(throws: StageLog.Failure.self) {
      try Staff.withStore(staged(store, stages()), Versions.model(4)) { _, _ in }
    }
    #expect(try Versions.lastNames(staged(store, stages()), 4) == ["Lovelace", "Turing"])
    #expect(log.calls == calls)
  }

  @Test("a reference gives the model with its checksum, or an error (134504)")
  func references() throws {
    let model = Versions.model(1)
    let right = ManagedObjectModelReference(model: model, versionChecksum: Versions.checksum(1))
    #expect(try right.resolvedModel === model)
    let wrong = ManagedObjectModelReference(model: model, versionChecksum: Versions.checksum(2))
    let missing = ManagedObjectModelReference(
      fileURL: folder.url.appending(path: "none.momd"), versionChecksum: "x")
    let unnamed = ManagedObjectModelReference(name: "None", in: .main, versionChecksum: "x")
    let unhashed = ManagedObjectModelReference(
      entityVersionHashes: ["A": Data()], in: nil, versionChecksum: "x")
    for reference in [wrong, missing, unnamed, unhashed] {
      #expect(throws: PersistenceError(.stagedMigrationUnknownVersion, "")) {
        try reference.resolvedModel
      }
    }
  }
}
