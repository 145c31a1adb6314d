// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostContainers
import RoostModel
public import RoostObjects

/// The initial contents of a store: the files of a folder, or objects that code makes.
///
/// ```swift
/// let countries = Seeds(folder: bundle.url(forResource: "Seeds", withExtension: nil)!, version: 2)
/// try container.seed(countries)
///
/// try container.seed(
///   Seeds(name: "teams", version: 1) { context in
///     _ = try context.findOrCreate(Team.self, \.name, "Engines")
///   })
/// ```
/// A store records the version of the seeds with each name, and applies each version once. A higher version is
/// applied to stores with an earlier one, so existing records must be recognised: files name their records by unique
/// keys, and code finds before it creates.
public struct Seeds: Sendable {
  enum Source: Sendable {
    case folder(URL)
    case code(@Sendable (ManagedObjectContext) throws -> Void)
  }

  /// The name under which a store records the version.
  public let name: String
  /// The version: raise it when the seeds change.
  public let version: Int
  let source: Source

  /// Describes the files of a folder: JSON lines, CSV or both, named after their entities or naming them.
  ///
  /// - Parameters:
  ///   - folder: The folder, or one file.
  ///   - name: The name under which a store records the version.
  ///   - version: The version.
  public init(folder: URL, name: String = "seeds", version: Int = 1) {
    self.name = name
    self.version = version
    source = .folder(folder)
  }

  /// Describes objects that code makes. It runs in a context of its own, which is saved afterwards, together with the
  /// version.
  ///
  /// - Parameters:
  ///   - name: The name under which a store records the version.
  ///   - version: The version.
  ///   - make: Makes the objects. It does not save.
  public init(
    name: String = "seeds", version: Int = 1,
    _ make: @escaping @Sendable (ManagedObjectContext) throws -> Void
  ) {
    self.name = name
    self.version = version
    source = .code(make)
  }
}

extension Seeds {
  /// Checks that the folder has files to import, without reading them.
  ///
  /// - Throws: `invalidRequest` when nothing is at its URL, or no file in it has a known extension.
  package func requireFiles() throws {
    guard case .folder(let folder) = source else { return }
    _ = try InputFile.paths(at: folder)
  }
}

extension PersistentContainer {
  /// Applies seeds to a store that does not have their version yet.
  ///
  /// ```swift
  /// try container.loadPersistentStores()
  /// try container.seed(Seeds(folder: folder, version: 3))
  /// ```
  /// - Parameter seeds: The files or code. The first writable store records the version.
  /// - Returns: The report; nil when the store has this version, or a later one.
  /// - Throws: As `import(from:)`, and `invalidRequest` for a line without a unique key; errors of the code and the
  ///   save. The version is not recorded then, and the next call tries again.
  /// - Complexity: No query when the store has the version.
  @discardableResult
  public final func seed(_ seeds: Seeds) throws -> ImportReport? {
    try SeedRun(seeds: seeds, coordinator: persistentStoreCoordinator).run()
  }
}
