// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// A fixture in its folder.
struct KeptFixture {
  let url: URL
  let label: String
  let version: ModelLock.Version
  let description: PersistentStoreDescription
}

/// Migrates a copy of a fixture, and checks all of its content.
struct FixtureCheck {
  let fixture: KeptFixture
  let model: ManagedObjectModel
  var description: PersistentStoreDescription
  var comparesCounts = true
  var validates = true

  init(_ fixture: KeptFixture, _ model: ManagedObjectModel) {
    self.fixture = fixture
    self.model = model
    description = fixture.description
    description.configuration = nil
    description.isReadOnly = false
  }

  /// - Throws: The failure, without the name of the fixture.
  func run() throws {
    try TemporaryFolder.with { folder in
      var copy = description
      let place = folder.appending(
        path: "copy.\(FixtureName.pathExtension(of: copy.type))", directoryHint: .notDirectory)
      try FileManager.default.copyItem(at: fixture.url, to: place)
      // A fixture may be write-protected, but its copy must be writable.
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: place.path(percentEncoded: false))
      copy.url = place
      try checkVersion(copy)
      let before = try counts(copy)
      let after = try opened(copy, model) { context in
        try context.performAndWait { try readAll(context) }
      }
      if comparesCounts { try compare(before, after) }
    }
  }

  /// The failure with the name of the fixture.
  func failure(_ cause: PersistenceError) -> PersistenceError {
    PersistenceError(
      cause.code,
      "The fixture \(fixture.url.lastPathComponent) of version \(fixture.label) fails: "
        + cause.message,
      entityName: cause.entityName, key: cause.key, objectIDs: cause.objectIDs,
      store: fixture.url.path(percentEncoded: false), underlyingErrors: cause.underlyingErrors,
      underlying: cause.underlying)
  }

  // MARK: - As it was

  /// Throws when the version is not the one in the fixture's name: a fixture that a newer program has opened proves
  /// nothing.
  private func checkVersion(_ copy: PersistentStoreDescription) throws {
    let path = fixture.url.path(percentEncoded: false)
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size]
    guard (size as? Int) != 0, let metadata = try copy.type.driver.metadata(of: copy) else {
      throw PersistenceError(
        .corruptStore, "The file holds no store. Take the fixture from the last commit.")
    }
    let hashes = try fixture.version.model().entityVersionHashesByName
    guard metadata.entityVersionHashes == hashes else {
      throw PersistenceError(
        .persistentStoreIncompatibleVersionHash,
        "The store is not of this version: it may have been opened with a newer model. Take the fixture "
          + "from the last commit.")
    }
  }

  private func counts(_ copy: PersistentStoreDescription) throws -> [String: Int] {
    var old = PersistentStoreDescription(type: copy.type, url: copy.url)
    old.options = copy.options
    // The migration is to find the store as the program of that time has left it.
    old.isReadOnly = true
    let version = try fixture.version.model()
    return try opened(old, version) { context in
      try context.performAndWait {
        var counts: [String: Int] = [:]
        for entity in FixturePopulation.concreteEntities(of: version) {
          counts[entity.name ?? ""] = try context.count(for: Self.request(entity))
        }
        return counts
      }
    }
  }

  // MARK: - As it is now

  /// Reads and validates every object, and counts those of each entity.
  private func readAll(_ context: ManagedObjectContext) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for entity in FixturePopulation.concreteEntities(of: model) {
      let objects = try context.fetch(Self.request(entity))
      counts[entity.name ?? ""] = objects.count
      for object in objects {
        for attribute in entity.attributesInOrder where !attribute.isTransient {
          _ = try object.value(forKey: attribute.name)
        }
        for relationship in entity.relationshipsInOrder where !relationship.isTransient {
          _ = try object.value(forKey: relationship.name)
        }
        if validates { try validate(object) }
      }
    }
    return counts
  }

  /// Validates an object by the model's rules. Failures of transient properties are ignored, because the program's
  /// code does not run.
  private func validate(_ object: ManagedObject) throws {
    let properties = object.entity.propertiesByName
    let failures = try AllRules.failures(of: object).filter { failure in
      !(failure.key.flatMap { properties[$0] }?.isTransient ?? false)
    }
    guard let first = failures.first else { return }
    guard failures.count > 1 else { throw first }
    throw PersistenceError(
      .validationMultipleErrors,
      "\(failures.count) rules are broken: " + failures.map(\.message).joined(separator: " "),
      entityName: first.entityName, key: first.key, objectIDs: first.objectIDs,
      underlyingErrors: failures)
  }

  private func compare(_ before: [String: Int], _ after: [String: Int]) throws {
    var losses: [String] = []
    for (source, destinations) in try successors() {
      let (old, new) = (before[source] ?? 0, destinations.reduce(0) { $0 + (after[$1] ?? 0) })
      if new < old { losses.append("of \(old) objects of \(source) there are \(new)") }
    }
    guard !losses.isEmpty else { return }
    throw PersistenceError(
      .migration,
      "Objects are gone: \(losses.sorted(by: UTF8Order.isLess).joined(separator: "; ")). Mend the "
        + "migration; if the objects are to go, name the version in `except`.")
  }

  /// Returns the entities of the version that still exist, each with its current names.
  private func successors() throws -> [(String, [String])] {
    let old = try fixture.version.model()
    let allows = description.evolution.allowsLosslessTypeChanges
    var pairs: [(source: EntityDescription, destination: EntityDescription)] = []
    if let known = try? ModelDifference(from: old, to: model, allowsLosslessTypeChanges: allows) {
      pairs = known.entities.compactMap { pair in pair.source.map { ($0, pair.destination) } }
    } else {
      // The program migrates by itself: entities that say that they are the same are.
      for source in old.entities {
        pairs += model.entities.filter { Self.isSame($0, source) }.map { (source, $0) }
      }
    }
    let stored = pairs.filter { !$0.source.isAbstract && !$0.destination.isAbstract }
    return Dictionary(grouping: stored) { $0.source.name ?? "" }
      .map { ($0.key, $0.value.compactMap(\.destination.name)) }
  }

  private static func isSame(_ new: EntityDescription, _ old: EntityDescription) -> Bool {
    new.name == old.name || new.renamingIdentifier == old.name
      || new.renamingIdentifier == old.renamingIdentifier
  }

  /// The objects of an entity, without those of its subentities.
  private static func request(_ entity: EntityDescription) -> FetchRequest<ManagedObject> {
    let request = FetchRequest<ManagedObject>(entityName: entity.name ?? "")
    request.includesSubentities = false
    return request
  }

  private func opened<Result>(
    _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
    _ body: (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(with: description)
    defer { try? coordinator.detach(store) }
    return try body(ManagedObjectContext(.privateQueue, coordinator: coordinator))
  }
}
