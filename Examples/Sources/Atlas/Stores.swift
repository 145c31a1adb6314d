// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostSQLite

/// Where things are kept.
@MainActor enum Stores {
  /// One model for all containers: a store in memory is open for one.
  static let model = Result { try ManagedObjectModel.atlas() }

  /// The store of the codes.
  static func reference(in folder: URL) throws -> PersistentStoreDescription {
    // This is the line to change: another kind of store keeps the same codes and gives the same answers.
    let kind = StoreKind.sqlite
    return try (StoreKind.asked ?? kind).description(in: folder)
  }

  static func travel() -> PersistentStoreDescription {
    .inMemory(configuration: Configuration.travel)
  }

  /// A journal of trips in a file.
  static func journal(in folder: URL) -> PersistentStoreDescription {
    .sqlite(at: folder.appending(path: "journal.sqlite"), configuration: Configuration.travel)
  }

  /// A container with both stores, opened.
  ///
  /// - Parameter isLogged: Whether every statement is printed.
  static func open(in folder: URL, isLogged: Bool) throws -> PersistentContainer {
    let container = try PersistentContainer(
      name: "Atlas", model: model.get(), stores: [reference(in: folder), travel()])
    if isLogged {
      container.persistentStoreCoordinator.setLog { line in print("    | \(line)") }
    }
    try container.loadPersistentStores()
    return container
  }
}
