// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// Finds models among the resources of the program: its own, and those of its packages, which are in the same folder.
enum ModelResources {
  /// Reads the model with a name.
  ///
  /// - Throws: `invalidModel` when there is none or it cannot be read.
  static func model(named name: String) throws -> ManagedObjectModel {
    let folders = folders()
    for folder in folders {
      for kind in ["xcdatamodeld", "xcdatamodel", "momd", "mom"] {
        let url = folder.appending(path: "\(name).\(kind)")
        guard FileManager.default.fileExists(atPath: url.path) else { continue }
        ClassNames.noteModule(ofResource: url)
        return try ManagedObjectModel(readFrom: url)
      }
    }
    throw PersistenceError(
      .invalidModel,
      "There is no \(name).xcdatamodeld or \(name).momd in \(folders.map(\.path).joined(separator: ", "))."
    )
  }

  /// Returns the source of a model: the file at a URL or, if the URL names a compiled model that does not exist, the
  /// source file with the same base name.
  static func source(of url: URL) -> URL {
    guard ["momd", "mom"].contains(url.pathExtension),
      !FileManager.default.fileExists(atPath: url.path)
    else { return url }
    let base = url.deletingPathExtension()
    let sources = ["xcdatamodeld", "xcdatamodel"].map { base.appendingPathExtension($0) }
    return sources.first { FileManager.default.fileExists(atPath: $0.path) } ?? url
  }

  private static func folders() -> [URL] {
    let main = Bundle.main
    var result = [main.resourceURL, main.bundleURL].compactMap { $0 }
    let beside = main.bundleURL
    let names = (try? FileManager.default.contentsOfDirectory(atPath: beside.path)) ?? []
    for name in names.sorted() where name.hasSuffix(".resources") || name.hasSuffix(".bundle") {
      result.append(beside.appending(path: name))
    }
    return result
  }
}
