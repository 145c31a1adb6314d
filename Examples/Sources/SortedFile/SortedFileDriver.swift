// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostKeyValue
import RoostModel
public import RoostStore

/// Opens sorted files, and handles requests for files that are not open.
struct SortedFileDriver: PersistentStoreDriver {
  /// It has no options of its own.
  var optionNames: Set<String>? { [] }

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    let engine = try SortedFileEngine(description)
    do {
      return try KeyValueStore(
        engine: engine, description: description, storeType: description.type.rawValue,
        mayBeEmpty: engine.isNew)
    } catch {
      engine.close()
      throw error
    }
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    guard let contents = try SortedFile(description.url).contents() else { return nil }
    guard let metadata = try KeyValueStore.metadata(in: contents.state(in: nil).state) else {
      throw SortedFileContents.damaged
    }
    return metadata
  }

  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    guard let old = try self.metadata(of: description) else {
      throw PersistenceError(.persistentStoreOpen, "There is no store whose metadata could be set.")
    }
    guard old.storeType == metadata.storeType, old.entityCodes == metadata.entityCodes else {
      throw PersistenceError(
        .invalidValue, "The type of a store and its codes of entities cannot be changed.")
    }
    guard metadata.isOfSameVersion(as: old) else {
      throw PersistenceError(
        .invalidValue, "The version of a store is not changed by setting its metadata.")
    }
    guard !description.isReadOnly else {
      throw PersistenceError(.readOnlyStore, "The store is described as read-only.")
    }
    let engine = try SortedFileEngine(description)
    defer { engine.close() }
    try engine.write(nil) { _, batch in try KeyValueStore.write(metadata, to: &batch) }
  }

  func destroy(_ description: PersistentStoreDescription) throws {
    let file = try SortedFile(description.url)
    try withPlace(of: file, description) { try file.destroy() }
  }

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    let (from, to) = (try SortedFile(source.url), try SortedFile(destination.url))
    guard from.path != to.path else {
      throw PersistenceError(.persistentStoreOperation, "A store cannot replace itself.")
    }
    guard let contents = try from.contents() else {
      throw PersistenceError(.persistentStoreOpen, "There is no store to copy.")
    }
    try withPlace(of: to, destination) { try to.write(contents.file()) }
  }

  /// Calls `body` while the store is not open elsewhere, unless the description forces it.
  ///
  /// - Throws: `persistentStoreTypeMismatch` when the file belongs to another program, whatever its name.
  private func withPlace(
    of file: SortedFile, _ description: PersistentStoreDescription, _ body: () throws -> Void
  ) throws {
    do {
      _ = try file.contents()
    } catch let error as PersistenceError where error.code == .corruptStore {
      // A damaged store may go.
    }
    guard description.options[StoreOption.forceDestroy] != .boolean(true) else {
      return try body()
    }
    let lock = try file.lock(timeout: min(description.timeout, 1))
    defer { SortedFile.unlock(lock) }
    try body()
  }
}

extension PersistentStoreType {
  /// Stores that are one sorted file, which each save replaces as a whole.
  public static let sortedFile = PersistentStoreType(
    rawValue: "SortedFile", driver: SortedFileDriver())
}

extension PersistentStoreDescription {
  /// Describes a store that is one sorted file.
  public static func sortedFile(at url: URL) -> PersistentStoreDescription {
    PersistentStoreDescription(type: .sortedFile, url: url)
  }
}
