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
  ///
  /// - Parameter isLogged: Whether every statement is printed.
  static func open(in folder: URL, isLogged: Bool) throws -> PersistentContainer {
    let container = try PersistentContainer(
      name: "Atlas", model: .atlas(), stores: [reference(in: folder), travel()])
    if isLogged {
      container.persistentStoreCoordinator.setLog { line in print("    | \(line)") }
    }
    try container.loadPersistentStores()
    return container
  }
}
