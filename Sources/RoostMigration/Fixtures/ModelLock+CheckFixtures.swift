// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostStore

extension ModelLock {
  /// Opens the fixtures of all released versions with a model, as the program does, and checks the migrated stores.
  ///
  /// Each fixture is copied to a temporary folder and migrated there; the fixture itself is only read. The migration
  /// is that of the description: its mapping models, stages and transforms come first, then the rest is inferred.
  /// Then every object is read with its values and relationships, and validated, and no object of an entity that
  /// still exists may be missing.
  ///
  /// ```swift
  /// @Test func releasedStoresFollow() throws {
  ///   try ModelLock.checkFixtures(
  ///     of: model, in: fixtures, against: lockFile, stores: [PersistentStoreDescription(type: .sqlite)])
  /// }
  /// ```
  /// - Parameters:
  ///   - model: The current model.
  ///   - folder: The folder that ``makeFixtures(of:in:from:types:)`` has filled. Hidden files are ignored.
  ///   - lockFile: The lock file.
  ///   - stores: A description for each type of store, such as those of the program's container. The place and the
  ///     configuration are replaced: a fixture holds all entities.
  ///   - labels: Released versions whose objects the program's own migration deletes, splits or merges: their counts
  ///     are not compared.
  ///   - validates: Whether objects must satisfy the model's validation rules; those of classes are not checked.
  ///     `false` where a rule is new, and applies to new data only.
  /// - Throws: One error, or one that sums up those of several fixtures and has them in `underlyingErrors`. Each
  ///   names the fixture, and has the code of the failure: that of the migration, such as `inferredMappingModel`;
  ///   `migration` when objects are missing; the code of the rule that an object breaks, or of the read that fails;
  ///   `corruptStore` or `persistentStoreTypeMismatch` for a damaged fixture;
  ///   `persistentStoreIncompatibleVersionHash` for one with another version; `persistentStoreOpen` when the folder
  ///   or the fixture of a release is missing; `migrationMissingSourceModel` for one of a version that the lock file
  ///   does not have; `invalidValue` for a file that is no fixture. `persistentStoreInvalidType` for a type whose
  ///   stores are not files, and the errors of ``init(contentsOf:)``.
  /// - Complexity: Reads all objects of all fixtures.
  public static func checkFixtures(
    of model: ManagedObjectModel, in folder: URL, against lockFile: URL,
    stores: [PersistentStoreDescription], except labels: Set<String> = [], validates: Bool = true
  ) throws {
    try checkFixtures(
      of: model, in: folder, against: lockFile, stores: stores, except: labels, leavingOut: [],
      validates: validates)
  }

  /// The implementation of the public method, without the fixtures of some versions: those that a caller without the
  /// program's code cannot migrate.
  package static func checkFixtures(
    of model: ManagedObjectModel, in folder: URL, against lockFile: URL,
    stores: [PersistentStoreDescription], except labels: Set<String>,
    leavingOut otherLabels: Set<String>, validates: Bool
  ) throws {
    for description in stores { try description.type.requireFiles() }
    let lock = try ModelLock(contentsOf: lockFile)
    var failures: [PersistenceError] = []
    let found = try FixtureFolder(folder).fixtures(of: lock, stores, &failures)
    for fixture in found where !otherLabels.contains(fixture.label) {
      var check = FixtureCheck(fixture, model)
      check.description.earlierModels.append(lockFile)
      check.comparesCounts = !labels.contains(fixture.label)
      check.validates = validates
      do {
        try check.run()
      } catch {
        failures.append(check.failure(PersistenceError.wrapping(error)))
      }
    }
    guard let first = failures.first else { return }
    guard failures.count > 1 else { throw first }
    throw PersistenceError(
      first.code,
      "The fixtures of released versions have \(failures.count) faults.", store: first.store,
      underlyingErrors: failures)
  }
}

/// The files in the folder of the fixtures.
private struct FixtureFolder {
  let url: URL
  private let names: [String]

  init(_ url: URL) throws {
    self.url = url
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))
        .filter { !$0.hasPrefix(".") }.sorted(by: UTF8Order.isLess)
    } catch {
      throw PersistenceError(
        .persistentStoreOpen,
        "There is no folder of fixtures at \(url.relativePath): make it with ModelLock.makeFixtures or "
          + "“roost lock --fixtures”.", store: url.path(percentEncoded: false), underlying: error)
    }
  }

  /// Returns the fixtures of all released versions and types; a missing or unexpected file is a failure.
  func fixtures(
    of lock: ModelLock, _ stores: [PersistentStoreDescription],
    _ failures: inout [PersistenceError]
  ) -> [KeptFixture] {
    var fixtures: [KeptFixture] = []
    var expected: Set<String> = []
    for version in lock.releasedVersions {
      for description in stores {
        let label = version.label ?? ""
        let name = FixtureName.make(label, description.type)
        guard expected.insert(name).inserted else { continue }
        if names.contains(name) {
          let place = url.appending(path: name, directoryHint: .notDirectory)
          fixtures.append(
            KeptFixture(url: place, label: label, version: version, description: description))
        } else {
          failures.append(
            failure(
              .persistentStoreOpen, name,
              "is missing in the folder of fixtures: make it with ModelLock.makeFixtures or "
                + "“roost lock --fixtures”."))
        }
      }
    }
    for name in names where !expected.contains(name) {
      if let fixture = expected.first(where: { name.hasPrefix($0 + "-") }) {
        failures += changes(name, of: fixture)
      } else {
        failures.append(unknown(name, stores))
      }
    }
    return fixtures
  }

  /// Returns the failure for a file that an engine has left beside an opened fixture: none, unless the file has
  /// changes that are not in the fixture.
  private func changes(_ name: String, of fixture: String) -> [PersistenceError] {
    let suffix = name.dropFirst(fixture.count)
    guard suffix != "-shm", suffix != "-lock" else { return [] }
    let path = url.appending(path: name).path(percentEncoded: false)
    let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    guard size != 0 else { return [] }
    return [
      failure(
        .corruptStore, name,
        "has changes of a program that opened \(fixture): take the fixture from the last commit, and "
          + "remove this file.")
    ]
  }

  private func unknown(_ name: String, _ stores: [PersistentStoreDescription]) -> PersistenceError {
    let suffixes = stores.map { "." + FixtureName.pathExtension(of: $0.type) }
    guard suffixes.contains(where: name.hasSuffix) else {
      let known = suffixes.joined(separator: ", ")
      return failure(
        .invalidValue, name,
        "is no fixture of the given types (\(known)): give its type too, or take the file away.")
    }
    return failure(
      .migrationMissingSourceModel, name,
      "is of a version that the lock file does not have: take the lock file from the commit of the "
        + "release, or remove the fixture.")
  }

  private func failure(
    _ code: PersistenceError.Code, _ name: String, _ text: String
  ) -> PersistenceError {
    PersistenceError(
      code, "\(name) \(text)",
      store: url.appending(path: name).path(percentEncoded: false))
  }
}
