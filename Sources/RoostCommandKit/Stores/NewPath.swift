// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A path at which a command makes a file, or overwrites one.
struct NewPath {
  let path: String

  init(_ path: String) {
    self.path = path
  }

  /// Whether there is a folder at the path.
  var isFolder: Bool { Self.isFolder(path) }

  /// Checks that the folder is there in which the file is to be.
  ///
  /// - Throws: `persistentStoreOpen`, which names the folder.
  func requireFolder() throws {
    let parent = NSString(string: path).deletingLastPathComponent
    let folder = parent.isEmpty ? "." : parent
    guard !Self.isFolder(folder) else { return }
    let isThere = FileManager.default.fileExists(atPath: folder)
    throw PersistenceError(
      .persistentStoreOpen,
      isThere
        ? "\(path) cannot be made: \(folder) is no folder."
        : "\(path) cannot be made: there is no folder \(folder)."
    ).remedied(by: "Make the folder first, or name another place.")
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder = ObjCBool(false)
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }
}
