// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostContainers
import RoostModel
public import RoostObjects

/// What a new store begins with: the files of a folder, or objects that code makes.
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
/// A store remembers which version of the seeds of a name it has, and takes each once. A higher version is applied to
/// stores that have an earlier one, so what is there must be recognised: files name their records by unique keys, and
/// code finds before it creates.
public struct Seeds: Sendable {
  enum Source: Sendable {
    case folder(URL)
    case code(@Sendable (ManagedObjectContext) throws -> Void)
  }

  /// The name under which a store remembers the version.
  public let name: String
  /// The version: raise it when the seeds change.
  public let version: Int
  let source: Source

  /// Describes the files of a folder: JSON lines, CSV or both, named after their entities or naming them.
  ///
  /// - Parameters:
  ///   - folder: The folder, or one file.
  ///   - name: The name under which a store remembers the version.
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
  ///   - name: The name under which a store remembers the version.
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

extension PersistentContainer {
  /// Gives a store the seeds that it does not have yet.
  ///
  /// ```swift
  /// try container.loadPersistentStores()
  /// try container.seed(Seeds(folder: folder, version: 3))
  /// ```
  /// - Parameter seeds: The files or code. The first store that can be written remembers the version.
  /// - Returns: What was done; nil when the store has this version, or a later one.
  /// - Throws: As `import(from:)`, and `invalidRequest` for a line without a unique key; what the code and
  ///   the save throw. The version is not remembered then, and the next call tries again.
  /// - Complexity: No query when the store has the version.
  @discardableResult
  public final func seed(_ seeds: Seeds) throws -> ImportReport? {
    try SeedRun(seeds: seeds, coordinator: persistentStoreCoordinator).run()
  }
}
