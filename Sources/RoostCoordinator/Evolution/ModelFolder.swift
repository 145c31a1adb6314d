// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostModel
import RoostQuery

/// Finds model files and lock files in a folder of resources.
package enum ModelFolder {
  private static let suffixes: Set<String> = ["xcdatamodeld", "xcdatamodel", "momd", "mom"]
  private static let lockSuffix = "roostlock"

  /// Returns the model files, sorted by name.
  package static func models(in folder: URL?) -> [URL] {
    files(in: folder) { suffixes.contains($0) }
  }

  /// Returns all versions of a model.
  ///
  /// - Throws: `invalidModel`, `limitExceeded`.
  package static func versions(at url: URL) throws -> [ManagedObjectModel] {
    try ManagedObjectModel.versionNames(at: url).map {
      try ManagedObjectModel(contentsOf: url, version: $0)
    }
  }

  /// Returns the lock files, sorted by name.
  static func locks(in folder: URL?) -> [URL] {
    files(in: folder) { $0 == lockSuffix }
  }

  /// Whether a URL has the extension of a lock file.
  static func isLock(_ url: URL) -> Bool { url.pathExtension == lockSuffix }

  /// Whether a URL has the extension of a model.
  static func isModel(_ url: URL) -> Bool { suffixes.contains(url.pathExtension) }

  private static func files(in folder: URL?, where isWanted: (String) -> Bool) -> [URL] {
    guard let folder,
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    else { return [] }
    return names.sorted().map { folder.appending(path: $0) }
      .filter { isWanted($0.pathExtension) }
  }
}
