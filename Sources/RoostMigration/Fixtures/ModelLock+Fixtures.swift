// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
public import RoostModel
import RoostObjects
public import RoostStore

extension ModelLock {
  /// A small store of a released version that is kept with a program's tests.
  ///
  /// ```swift
  /// for fixture in try ModelLock.makeFixtures(
  ///   of: model, in: folder, from: lockFile, types: [.sqlite])
  /// {
  ///   print(fixture.url.lastPathComponent, fixture.isNew ? "made" : "is there already")
  /// }
  /// ```
  public struct Fixture: Sendable {
    /// The file: the label of the release and the type of the store, as `2.3.sqlite`.
    public let url: URL
    /// The label of the release.
    public let label: String
    /// The type of the store.
    public let type: PersistentStoreType
    /// Whether it was made by this call; otherwise it existed, and is unchanged.
    public let isNew: Bool
    /// The entities without objects, by name, each with the reason; empty for an existing fixture. Such objects need
    /// values that only the program can make, such as those of its own types.
    public let missingEntities: [String: String]
  }

  /// Makes a small store of each released version, for tests that migrate them.
  ///
  /// A store holds a few objects of every concrete entity, with values for all attributes, the same ones each time,
  /// and links. Values satisfy the rules of the model, unique ones differ. One object in three leaves optional
  /// properties empty. An attribute for which no value is found, such as one with a type of the program, keeps its
  /// default or stays empty; an entity that needs such a value has no objects, and ``Fixture/missingEntities`` says
  /// so.
  ///
  /// An existing store is left as it is: an earlier version has written it, and it cannot be made again. So make the
  /// fixtures when a version is released, and commit them.
  ///
  /// ```swift
  /// try ModelLock.release("2.3", at: lockFile)
  /// try ModelLock.makeFixtures(of: model, in: fixtures, from: lockFile, types: [.sqlite])
  /// ```
  /// - Parameters:
  ///   - model: The current model. A lock file keeps no validation rules: values satisfy the current rules for the
  ///     same attributes. Rules of the program's classes are not checked.
  ///   - folder: A folder for the fixtures only; it is created when missing.
  ///   - lockFile: The lock file. The version under development gets no store, because it may still change.
  ///   - types: The types of the stores. Stores on a server and in memory cannot be kept in a folder.
  /// - Returns: The fixtures of all released versions and types, the newest version last.
  /// - Throws: `persistentStoreInvalidType` for a type whose stores are not files; `persistentStoreSave` when the
  ///   folder cannot be written; the errors of ``init(contentsOf:)``, and of making a store. Fixtures made by then
  ///   stay; each fixture is complete or missing.
  @discardableResult
  public static func makeFixtures(
    of model: ManagedObjectModel, in folder: URL, from lockFile: URL, types: [PersistentStoreType]
  ) throws -> [Fixture] {
    for type in types { try type.requireFiles() }
    let versions = try ModelLock(contentsOf: lockFile).releasedVersions
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw PersistenceError(
        .persistentStoreSave, "The folder of the fixtures cannot be made.", store: folder.path,
        underlying: error)
    }
    var fixtures: [Fixture] = []
    for version in versions {
      for type in types {
        fixtures.append(try FixtureMaker(version, type, folder, rules: model).make())
      }
    }
    return fixtures
  }
}

/// Makes one fixture, unless it is there.
private struct FixtureMaker {
  let version: ModelLock.Version
  let type: PersistentStoreType
  let rules: ManagedObjectModel
  let label: String
  let url: URL

  init(
    _ version: ModelLock.Version, _ type: PersistentStoreType, _ folder: URL,
    rules: ManagedObjectModel
  ) {
    self.rules = rules
    self.version = version
    self.type = type
    label = version.label ?? ""
    url = folder.appending(path: FixtureName.make(label, type), directoryHint: .notDirectory)
  }

  func make() throws -> ModelLock.Fixture {
    guard !FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else {
      return ModelLock.Fixture(
        url: url, label: label, type: type, isNew: false, missingEntities: [:])
    }
    do {
      return try TemporaryFolder.with { folder in
        let place = folder.appending(path: "fixture", directoryHint: .notDirectory)
        let missing = try fill(PersistentStoreDescription(type: type, url: place))
        try put(place)
        return ModelLock.Fixture(
          url: url, label: label, type: type, isNew: true, missingEntities: missing)
      }
    } catch {
      let cause = PersistenceError.wrapping(error)
      throw PersistenceError(
        cause.code,
        "The fixture \(url.lastPathComponent) of version \(label) cannot be made: \(cause.message)",
        entityName: cause.entityName, key: cause.key, store: url.path(percentEncoded: false),
        underlyingErrors: cause.underlyingErrors, underlying: cause.underlying)
    }
  }

  /// Makes the store, and returns the entities that have no objects.
  private func fill(_ description: PersistentStoreDescription) throws -> [String: String] {
    let model = try version.model()
    try FixtureRules.copy(from: rules, to: model)
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(with: description)
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    let missing: [String: String]
    do {
      missing = try context.performAndWait {
        var population = FixturePopulation(model, context)
        try population.make()
        return population.missing
      }
    } catch {
      // The first error is the one to report.
      try? coordinator.detach(store)
      throw error
    }
    try coordinator.detach(store)
    return missing
  }

  /// Moves a finished store into place: under a hidden name first, so that an incomplete one is never visible.
  private func put(_ made: URL) throws {
    let files = FileManager.default
    let partial = url.deletingLastPathComponent()
      .appending(path: ".\(url.lastPathComponent).partial", directoryHint: .notDirectory)
    do {
      // Left by an interrupted run.
      try? files.removeItem(at: partial)
      try files.copyItem(at: made, to: partial)
      do {
        try files.moveItem(at: partial, to: url)
      } catch {
        try? files.removeItem(at: partial)
        throw error
      }
    } catch {
      throw PersistenceError(
        .persistentStoreSave, "Its file cannot be written.",
        store: url.path(percentEncoded: false), underlying: error)
    }
  }
}

/// A folder for the time of a call.
enum TemporaryFolder {
  static func with<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let files = FileManager.default
    let folder = files.temporaryDirectory
      .appending(path: "roost-fixture-\(UUID().uuidString)", directoryHint: .isDirectory)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    return try body(folder)
  }
}
