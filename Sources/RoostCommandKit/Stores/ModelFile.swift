// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// A file that describes a model, in one version or several.
struct ModelFile {
  let url: URL

  init(_ path: String) {
    url = URL(filePath: path)
  }

  /// The current version.
  ///
  /// - Throws: `invalidModel`, which names the place of the fault.
  func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(contentsOf: url)
  }

  /// The version that a store was written with; the current one when none of them fits.
  ///
  /// - Throws: `invalidModel`.
  func model(fitting hashes: [String: Data]) throws -> ManagedObjectModel {
    let current = try model()
    guard !Self.fits(current, hashes) else { return current }
    for name in try ManagedObjectModel.versionNames(at: url) {
      let model = try ManagedObjectModel(contentsOf: url, version: name)
      if Self.fits(model, hashes) { return model }
    }
    return current
  }

  private static func fits(_ model: ManagedObjectModel, _ hashes: [String: Data]) -> Bool {
    model.configuration(fitting: hashes) != nil
  }
}

extension ManagedObjectModel {
  /// The configuration of which a store is that has the hashes of some entities; nil when none fits. The inner nil
  /// stands for all entities.
  func configuration(fitting hashes: [String: Data]) -> String?? {
    let names: [String?] = [nil] + configurations.map { $0 }
    for name in names
    where isConfiguration(withName: name, compatibleWithStoreMetadata: hashes)
      && entityVersionHashes(forConfigurationName: name) == hashes
    {
      return .some(name)
    }
    return nil
  }
}
