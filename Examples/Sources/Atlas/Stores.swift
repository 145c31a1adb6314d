// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostSQLite

/// The stores of the program.
@MainActor enum Stores {
  /// One model for all containers, because an in-memory store is open with one model.
  static let model = Result { try ManagedObjectModel.atlas() }

  /// Describes the store of the codes.
  static func reference(in folder: URL) throws -> PersistentStoreDescription {
    // This is the line to change: another kind of store keeps the same codes and gives the same answers.
    let kind = StoreKind.sqlite
    return try (StoreKind.asked ?? kind).description(in: folder)
  }

  static func travel() -> PersistentStoreDescription {
    .inMemory(configuration: Configuration.travel)
  }

  /// Describes the store of a journal of trips, a file.
  static func journal(in folder: URL) -> PersistentStoreDescription {
    .sqlite(at: folder.appending(path: "journal.sqlite"), configuration: Configuration.travel)
  }

  /// Opens a container with both stores.
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
