// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A driver that reads and writes the metadata of a store in one transaction, so that nothing is lost that another
/// program writes to them at the same time: neither its values nor the version to which it brings the store.
package protocol MetadataChangingDriver: PersistentStoreDriver {
  /// Changes the metadata of a store, which others may have open.
  ///
  /// - Parameters:
  ///   - description: Where the store is.
  ///   - change: Changes what is stored now; what it throws leaves that as it is.
  /// - Throws: `persistentStoreOpen` when there is none, `storeBusy`, `readOnlyStore`, `invalidValue` when the type or
  ///   the entity codes are others.
  func changeMetadata(
    of description: PersistentStoreDescription, _ change: (inout StoreMetadata) throws -> Void
  ) throws
}

extension MetadataChangingDriver {
  /// Replaces the metadata, unless they are of another version of the store.
  package func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    try changeMetadata(of: description) { stored in
      guard stored.epoch == metadata.epoch else {
        throw PersistenceError(
          .invalidValue,
          "The version of a store cannot be changed: another program has brought it to another one.",
          store: description.url?.lastPathComponent)
      }
      stored = metadata
    }
  }
}

extension StoreMetadata {
  /// Applies a change to metadata that stand in a store.
  ///
  /// - Throws: `invalidValue` when the type or the entity codes would be others, and what the change throws.
  package func changed(by change: (inout Self) throws -> Void) throws -> Self {
    var result = self
    try change(&result)
    guard result.storeType == storeType, result.entityCodes == entityCodes else {
      throw PersistenceError(
        .invalidValue, "The type of a store and its codes of entities cannot be changed.")
    }
    return result
  }
}

extension PersistentStoreDescription {
  /// Changes the metadata of the store, which others may have open; a driver without this ability reads and writes
  /// them one after the other.
  package func changeMetadata(_ change: (inout StoreMetadata) throws -> Void) throws {
    if let driver = type.driver as? any MetadataChangingDriver {
      return try driver.changeMetadata(of: self, change)
    }
    guard var metadata = try type.driver.metadata(of: self) else {
      throw PersistenceError(.persistentStoreOpen, "There is no store whose metadata could be set.")
    }
    try change(&metadata)
    try type.driver.setMetadata(metadata, of: self)
  }
}
