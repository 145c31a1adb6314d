// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Two versions of a model, records of the first one, and the expected content in the second one.
struct EvolutionPair: Sendable {
  typealias Edit = @Sendable (inout ModelSketch) -> Void
  typealias Step = @Sendable (ManagedObjectContext) throws -> Void

  /// Builds a version.
  let old: Edit
  let new: Edit
  var fill: Step = { _ in }
  var expectation: Step = { _ in }
  /// Changes the description with which the new version is opened.
  var policy: @Sendable (inout PersistentStoreDescription) -> Void = { _ in }
  /// Intermediate versions; the store is opened once with each.
  var between: [Edit] = []
  /// Whether the new version writes values that the old one could not hold: such writes fail while both are served.
  var exceedsOld = false

  /// Returns the same pair with other options for opening the new version.
  func with(_ policy: @escaping @Sendable (inout PersistentStoreDescription) -> Void) -> Self {
    var pair = self
    pair.policy = policy
    return pair
  }

  /// Makes a model.
  static func model(_ edit: Edit) -> ManagedObjectModel {
    var sketch = ModelSketch()
    edit(&sketch)
    return sketch.make()
  }

  /// Writes a store with the first version and opens it with the second one, twice: the migrated content must also be
  /// there when there is nothing left to migrate.
  func run(_ stage: ConformanceStage) throws {
    let (stores, uris) = try write(stage)
    var description = stores[0]
    policy(&description)
    let stack = try stage.open(Self.model(new), on: [description])
    try expectIDs(uris, stack)
    try expectation(stack.context)
    try stack.reopen()
    try expectation(stack.context)
    try expectSaves(stack)
    stack.close()
    try runDeferred(stage)
    try runDivided(stage)
    try runExpanded(stage)
  }

  /// The same while both versions are served, on a store that supports it: reads are correct while there are two
  /// versions, and after the old one has ended (M40-M42).
  private func runExpanded(_ stage: ConformanceStage) throws {
    let (stores, uris) = try write(stage)
    var description = stores[0]
    policy(&description)
    guard description.migration == nil, !exceedsOld else { return }
    description.evolution.versions = .expand
    do {
      // A model that is no other version needs no second one.
      guard try MigrationPlan(for: description, model: Self.model(new)) != nil else { return }
    } catch let error as PersistenceError
      where error.code == .invalidValue || error.code == .migration
    {
      // One version at a time, or a change that only one version at a time can have.
      return
    }
    let stack = try stage.open(Self.model(new), on: [description])
    try expectIDs(uris, stack)
    try expectation(stack.context)
    try expectSaves(stack)
    stack.close()
    description.evolution.versions = .contract
    let last = try stage.open(Self.model(new), on: [description])
    try expectIDs(uris, last)
    try expectation(last.context)
    try expectSaves(last)
    try last.reopen()
    try expectation(last.context)
  }

  /// The same in several transactions, where the store is a file that is migrated so when it is large (M50).
  private func runDivided(_ stage: ConformanceStage) throws {
    let (stores, uris) = try write(stage)
    guard stores[0].url?.isFileURL == true else { return }
    var description = EvolutionCases.divided(stores[0], records: 32)
    policy(&description)
    description.evolution.verify = .checksums
    let stack = try stage.open(Self.model(new), on: [description])
    try expectIDs(uris, stack)
    try expectation(stack.context)
    try expect(!stack.hasDeferredMigration, "nothing is left")
    try expectSaves(stack)
    try stack.reopen()
    try expectation(stack.context)
  }

  /// The same with all steps deferred that can be: reads are correct before, during and after the deferred steps
  /// (M31).
  private func runDeferred(_ stage: ConformanceStage) throws {
    let (stores, uris) = try write(stage)
    var description = stores[0]
    policy(&description)
    description.evolution.defersLightweightMigration = true
    description.evolution.verify = .checksums
    let plan = try MigrationPlan(for: description, model: Self.model(new))
    let stack = try stage.open(Self.model(new), on: [description])
    try expectIDs(uris, stack)
    try expectation(stack.context)
    if plan?.steps.contains(where: \.isDeferrable) == true {
      try expect(stack.hasDeferredMigration, "the metadata say that something is left: \(stores)")
    }
    try expectSaves(stack)
    try stack.reopen()
    try expectation(stack.context)
    while stack.hasDeferredMigration {
      try stack.coordinator.finishDeferredLightweightMigrationTask()
      try expectation(stack.makeContext())
    }
    try expectSaves(stack)
    try stack.reopen()
    try expect(!stack.hasDeferredMigration, "nothing is left")
    try expectation(stack.context)
  }

  /// Expects that the second version is refused, and that the store is as it was.
  func expectRefusal(_ code: PersistenceError.Code, _ stage: ConformanceStage) throws
    -> PersistenceError
  {
    let (stores, _) = try write(stage)
    let before = try content(stage, stores)
    let bytes = try Self.bytes(of: stores[0])
    var description = stores[0]
    policy(&description)
    let error = try expectError(code, "opening the store with the new version") {
      _ = try stage.open(Self.model(new), on: [description])
    }
    try expect(try Self.bytes(of: stores[0]) == bytes, "every byte of the file is as it was")
    try StoreContent.expectSame(content(stage, stores), before)
    return error
  }

  private func write(
    _ stage: ConformanceStage
  ) throws -> (stores: [PersistentStoreDescription], uris: [URL]) {
    let stack = try stage.open(Self.model(old))
    try fill(stack.context)
    try stack.context.save()
    var uris: [URL] = []
    for entity in stack.model.entities where !entity.isAbstract {
      let request = FetchRequest<ManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      uris += try stack.context.fetch(request).map { $0.objectID.uriRepresentation() }
    }
    stack.close()
    for version in between { try stage.open(Self.model(version), on: stack.stores).close() }
    return (stack.stores, uris)
  }

  /// Returns the bytes of a store that is a file; nil for others.
  private static func bytes(of store: PersistentStoreDescription) throws -> Data? {
    guard let url = store.url, url.isFileURL else { return nil }
    return try Data(contentsOf: url)
  }

  /// The entities of the old version that are there in the new one, under whatever name, by the names that they had.
  private func kept() -> Set<String> {
    var names: [String: String] = [:]
    for entity in Self.model(old).entities { names[entity.name ?? ""] = entity.name }
    var last = Self.model(old)
    for edit in between + [new] {
      let next = Self.model(edit)
      let identifiers = Dictionary(
        last.entities.map { ($0.name ?? "", $0.renamingIdentifier ?? "") },
        uniquingKeysWith: { first, _ in first })
      names = names.compactMapValues { name in
        next.entities.first { entity in
          let identifier = entity.renamingIdentifier ?? ""
          return identifier == name || identifier == identifiers[name]
        }?.name
      }
      last = next
    }
    // A name that another entity has now stands for the latter.
    return Set(names.filter { old, now in old == now || last.entitiesByName[old] == nil }.keys)
  }

  private func content(
    _ stage: ConformanceStage, _ stores: [PersistentStoreDescription]
  ) throws -> StoreContent {
    let stack = try stage.open(Self.model(old), on: stores)
    defer { stack.close() }
    return try stack.content()
  }

  /// Every record that is still there is found by the URI that it had, also under another name of its entity (M16).
  private func expectIDs(_ uris: [URL], _ stack: ConformanceStack) throws {
    let kept = kept()
    for uri in uris where kept.contains(uri.pathComponents.dropFirst().first ?? "") {
      let id = try require(
        stack.coordinator.managedObjectID(forURIRepresentation: uri), "\(uri) stays valid")
      let object = try stack.context.existingObject(with: id)
      try expect(!object.isDeleted, "\(uri) is there")
      try expectEqual(try stack.version(of: object), 1, "the version of \(uri)")
    }
  }

  /// The store can be written as always.
  private func expectSaves(_ stack: ConformanceStack) throws {
    for entity in stack.model.entities where !entity.isAbstract {
      guard let name = entity.name else { continue }
      let request = FetchRequest<ManagedObject>(entityName: name)
      request.includesSubentities = false
      let before = try stack.context.count(for: request)
      let object = try stack.context.insert(name)
      for attribute in entity.attributesByName.values
      where !attribute.isOptional && attribute.defaultConstant.isNull {
        try object.set(attribute.name, attribute.type == .string ? "s" : 1)
      }
      try stack.context.save()
      try expectEqual(try stack.context.count(for: request), before + 1, "records of \(name)")
      stack.context.delete(object)
      try stack.context.save()
      try expectEqual(try stack.context.count(for: request), before, "records of \(name)")
    }
  }
}

extension ConformanceStack {
  /// Whether a migration has left something for later in the first store.
  var hasDeferredMigration: Bool {
    coordinator.persistentStores.first?.metadata.hasDeferredMigration ?? false
  }
}

extension ConformanceCase {
  /// A case about two versions of a model.
  static func evolution(
    _ name: String, _ title: String, _ pair: EvolutionPair,
    needs: Set<ConformanceFacet> = [.reopening, .evolution]
  ) -> ConformanceCase {
    ConformanceCase(.evolution, name, title, needs: needs) { try pair.run($0) }
  }

  /// A case about a version that is refused.
  static func refusedEvolution(
    _ name: String, _ title: String, _ code: PersistenceError.Code, naming: [String] = [],
    _ pair: EvolutionPair
  ) -> ConformanceCase {
    ConformanceCase(.evolution, name, title, needs: [.reopening, .evolution]) { stage in
      let error = try pair.expectRefusal(code, stage)
      for name in naming {
        try expect(
          error.message.contains(name) || error.key == name || error.entityName == name,
          "the error names \(name): \(error)")
      }
    }
  }
}
