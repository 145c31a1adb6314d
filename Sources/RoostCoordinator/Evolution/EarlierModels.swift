// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The versions of the model at places that a program names: models first, lock files last (M7). A file is read when
/// those before it had no model that was wanted.
struct EarlierModels: Sequence, IteratorProtocol {
  private var files: [URL]
  private var models: [ManagedObjectModel] = []

  /// - Throws: `invalidModel` for a place where nothing is, or that is neither a model, a lock file nor a folder.
  init(_ places: [URL]) throws {
    var found: [URL] = []
    var locks: [URL] = []
    for place in places {
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder)
      switch () {
      case _ where exists && ModelFolder.isLock(place): locks.append(place)
      case _ where exists && ModelFolder.isModel(place): found.append(place)
      case _ where exists && isFolder.boolValue:
        found += ModelFolder.models(in: place)
        locks += ModelFolder.locks(in: place)
      default:
        throw PersistenceError(
          .invalidModel,
          "There are no earlier models at \(place.path): name a lock file, a model, or a folder with these."
        )
      }
    }
    files = (found + locks).reversed()
  }

  /// The next model; nil when there is none. Files that cannot be read have none: another one may have what is wanted.
  mutating func next() -> ManagedObjectModel? {
    while models.isEmpty, let file = files.popLast() {
      let versions = try? Self.versions(in: file)
      models = (versions ?? []).reversed()
    }
    return models.popLast()
  }

  private static func versions(in file: URL) throws -> [ManagedObjectModel] {
    guard ModelFolder.isLock(file) else { return try ModelFolder.versions(at: file) }
    return try ModelLock(contentsOf: file).versions.reversed().map { try $0.model() }
  }
}
