// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder for the files of a run, which is removed with its content.
struct WorkFolder {
  let url: URL

  /// - Parameter parent: The parent folder; nil for the system's temporary folder.
  init(in parent: String?) throws {
    let parent = parent.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
    url = parent.appending(path: "roost-bench-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      throw BenchError("Nothing can be written in \(parent.path).")
    }
  }

  /// Creates a subfolder.
  func folder(_ name: String) throws -> URL {
    let folder = url.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Removes the folder. When the program is interrupted, another thread may still create files in it: after the rename
  /// the path of a new file does not exist any more.
  func remove() {
    let files = FileManager.default
    let leaving = url.appendingPathExtension("removed")
    try? files.moveItem(at: url, to: leaving)
    for folder in [leaving, url] { try? files.removeItem(at: folder) }
  }
}
