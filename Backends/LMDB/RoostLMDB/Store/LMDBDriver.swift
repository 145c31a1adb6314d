// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostKeyValue
import RoostModel
import RoostStore

/// Opens LMDB stores, and does what concerns a file that is not open.
struct LMDBDriver: MetadataChangingDriver {
  var optionNames: Set<String>? {
    [
      LMDBOption.durability, LMDBOption.maximumSize, LMDBOption.initialSize, LMDBOption.checkedSize,
    ]
  }

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    try translating(description) {
      let engine = try LMDBEngine(LMDBLocation(description.url), LMDBSettings(description))
      return try KeyValueStore(
        engine: engine, description: description, storeType: LMDBStoreType.name,
        mayBeEmpty: false)
    }
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    try translating(description) {
      let location = try LMDBLocation(description.url)
      guard let status = try location.status(), !status.isRegular || status.size > 0 else {
        return nil
      }
      var readOnly = description
      readOnly.isReadOnly = true
      let engine = try LMDBEngine(location, LMDBSettings(readOnly))
      defer { engine.close() }
      return try metadata(engine)
    }
  }

  func changeMetadata(
    of description: PersistentStoreDescription, _ change: (inout StoreMetadata) throws -> Void
  ) throws {
    try translating(description) {
      let location = try LMDBLocation(description.url)
      guard let status = try location.status(), status.size > 0 else {
        throw PersistenceError(
          .persistentStoreOpen, "There is no store whose metadata could be set.")
      }
      guard !description.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store is described as read-only.")
      }
      let engine = try LMDBEngine(location, LMDBSettings(description))
      defer { engine.close() }
      try engine.write { snapshot, batch in
        try KeyValueStore.changeMetadata(in: snapshot, to: &batch, change)
      }
    }
  }

  /// The metadata of an open file.
  private func metadata(_ engine: LMDBEngine) throws -> StoreMetadata {
    guard let metadata = try engine.reading({ try KeyValueStore.metadata(in: $0) }) else {
      throw PersistenceError(.corruptStore, "The store's metadata is missing.")
    }
    guard metadata.storeType == LMDBStoreType.name else {
      throw PersistenceError(.persistentStoreTypeMismatch, "The file holds another type of store.")
    }
    return metadata
  }

  /// Runs `body` and maps the engine's errors to `PersistenceError`.
  func translating<Result>(
    _ description: PersistentStoreDescription, _ body: () throws -> Result
  ) throws -> Result {
    try translatingErrors(store: description.url?.lastPathComponent, body)
  }
}
