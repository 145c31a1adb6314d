// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore

/// How large a store's file is, and how much room there is beside it.
struct StoreSpace {
  /// The size of the file; nil for a store that is none.
  let fileBytes: Int64?
  /// How many bytes are free; nil where that cannot be told.
  let freeBytes: Int64?

  init(of description: PersistentStoreDescription) {
    guard let url = description.url, url.isFileURL,
      let file = try? FileManager.default.attributesOfItem(atPath: url.path),
      let size = (file[.size] as? NSNumber)?.int64Value
    else {
      fileBytes = nil
      freeBytes = nil
      return
    }
    let folder = url.deletingLastPathComponent().path
    let system = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    fileBytes = size
    freeBytes = (system?[.systemFreeSize] as? NSNumber)?.int64Value
  }
}
