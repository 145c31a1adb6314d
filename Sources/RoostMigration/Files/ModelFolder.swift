// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// The models in a folder of resources.
enum ModelFolder {
  private static let suffixes: Set<String> = ["xcdatamodeld", "xcdatamodel", "momd", "mom"]

  /// The files of the models, by name.
  static func models(in folder: URL?) -> [URL] {
    guard let folder,
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
    else { return [] }
    return names.sorted().map { folder.appending(path: $0) }
      .filter { suffixes.contains($0.pathExtension) }
  }

  /// All versions of a model.
  ///
  /// - Throws: `invalidModel`, `limitExceeded`.
  static func versions(at url: URL) throws -> [ManagedObjectModel] {
    try ManagedObjectModel.versionNames(at: url).map {
      try ManagedObjectModel(contentsOf: url, version: $0)
    }
  }
}
