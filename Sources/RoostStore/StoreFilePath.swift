// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The one path of a store's file.
///
/// Locks and logs are files beside the file, found by its path: two names of one file would have two locks, and two
/// processes would write it at once.
package enum StoreFilePath {
  /// The number of links that are followed to a file that does not exist yet.
  private static let linkLimit = 40

  /// Returns the absolute path of a file without symbolic links, whether the file exists or not.
  package static func resolved(_ path: String) -> String {
    var path = path
    for _ in 0..<linkLimit {
      if let found = realpath(path, nil) {
        defer { free(found) }
        return String(cString: found)
      }
      let name = (path as NSString).lastPathComponent
      let folder = (path as NSString).deletingLastPathComponent
      // A link to a file that does not exist: the file is created where the link leads.
      if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
        path = target.hasPrefix("/") || folder.isEmpty ? target : "\(folder)/\(target)"
        continue
      }
      guard let found = realpath(folder.isEmpty ? "." : folder, nil) else { return path }
      defer { free(found) }
      let resolved = String(cString: found)
      return resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
    }
    return path
  }

  /// Refuses a file with several names, unless the process may not write it.
  ///
  /// - Throws: `persistentStoreOpen`.
  package static func requireOneName(_ path: String, linkCount: Int) throws {
    guard linkCount > 1, access(path, W_OK) == 0 else { return }
    throw PersistenceError(
      .persistentStoreOpen,
      "The file has \(linkCount) names (hard links). The locks of a store belong to its name, so it would be damaged "
        + "when it is opened by another one: copy the file, and remove the other names.")
  }
}
