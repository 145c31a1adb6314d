// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostSQLite

/// Where things are kept: the only place that names a backend.
enum Stores {
  static func reference(in folder: URL) -> PersistentStoreDescription {
    .sqlite(at: folder.appending(path: "atlas.sqlite"), configuration: Configuration.reference)
  }

  static func travel() -> PersistentStoreDescription {
    .inMemory(configuration: Configuration.travel)
  }

  /// A container with both stores, opened.
  static func open(in folder: URL) throws -> PersistentContainer {
    let container = try PersistentContainer(
      name: "Atlas", model: .atlas(), stores: [reference(in: folder), travel()])
    try container.loadPersistentStores()
    return container
  }
}
