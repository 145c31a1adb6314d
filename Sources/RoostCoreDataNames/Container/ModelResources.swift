// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// Finds models among the resources of the program: its own, and those of its packages, which lie beside it.
enum ModelResources {
  /// Reads the model of a name.
  ///
  /// - Throws: `invalidModel` when there is none or it cannot be read.
  static func model(named name: String) throws -> ManagedObjectModel {
    let folders = folders()
    for folder in folders {
      for kind in ["xcdatamodeld", "xcdatamodel"] {
        let url = folder.appending(path: "\(name).\(kind)")
        guard FileManager.default.fileExists(atPath: url.path) else { continue }
        return try ManagedObjectModel(readFrom: url)
      }
    }
    throw PersistenceError(
      .invalidModel,
      "There is no \(name).xcdatamodeld in \(folders.map(\.path).joined(separator: ", ")).")
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
