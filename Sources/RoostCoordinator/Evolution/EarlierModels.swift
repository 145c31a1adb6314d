// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The earlier versions of the model at URLs that a program lists: models first, lock files last (M7). Files are read
/// lazily, when the ones before had no wanted model.
struct EarlierModels: Sequence, IteratorProtocol {
  private var files: [URL]
  private var models: [ManagedObjectModel] = []

  /// - Throws: `invalidModel` for a URL where nothing exists, or that is neither a model, a lock file nor a folder.
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

  /// Returns the next model; nil at the end. Unreadable files are skipped: another one may have the wanted model.
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
