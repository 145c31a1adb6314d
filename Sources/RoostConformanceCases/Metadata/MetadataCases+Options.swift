// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

// Options of a description: an unknown option is an error.
extension MetadataCases {
  static let options: [ConformanceCase] = [
    ConformanceCase(
      .metadata, "unknown-option",
      "an option that the store does not know is refused by its name (B229)"
    ) { stage in
      let place = try stage.makeStore()
      guard place.type.driver.optionNames != nil else { return }
      for name in ["NSReadOnlyPersistentStoreOptions", "RoostNoSuchOption", ""] {
        var description = place
        description.options[name] = .boolean(true)
        let error = try expectError(.invalidValue, name) {
          _ = try stage.open(CompanyModel.make(), on: [description])
        }
        try expect(error.message.contains("“\(name)”"), "the error names it: \(error.message)")
        try expect(
          error.message.contains(StoreOption.readOnly), "and those there are: \(error.message)")
      }
      try expect(
        try place.type.driver.metadata(of: place)?.entityVersionHashes.isEmpty != false,
        "no store is made")
      try stage.open(CompanyModel.make(), on: [place]).close()
    },
    ConformanceCase(
      .metadata, "property-option",
      "an option that a property stands for is refused where it would have no effect (B229, B236)"
    ) { stage in
      var description = try stage.makeStore()
      guard description.type.driver.optionNames != nil else { return }
      description.options[StoreOption.readOnly] = .boolean(true)
      let error = try expectError(.invalidValue) {
        _ = try stage.open(CompanyModel.make(), on: [description])
      }
      try expect(error.message.contains("isReadOnly"), "it names the property: \(error.message)")
      description.options = [:]
      try description.setOption(.boolean(false), forKey: StoreOption.readOnly)
      try stage.open(CompanyModel.make(), on: [description]).close()
    },
    ConformanceCase(
      .metadata, "missing-folder", "a folder that is missing is named, and can be made (B241)"
    ) { stage in
      let place = try stage.makeStore()
      guard let url = place.url, url.isFileURL, url.path != "/dev/null" else { return }
      let folder = url.deletingLastPathComponent().appending(path: "no-\(UUID().uuidString)")
      var description = place
      description.url = folder.appending(path: "store")
      let error = try expectError(.persistentStoreOpen) {
        _ = try stage.open(CompanyModel.make(), on: [description])
      }
      try expect(
        error.message.contains(folder.lastPathComponent), "the folder: \(error.message)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try stage.open(CompanyModel.make(), on: [description]).close()
    },
  ]
}
