// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostKeyValue
import RoostModel
import RoostStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Opens binary stores, and does what concerns a file that is not open.
struct BinaryStoreDriver: MetadataChangingDriver, ReplacementDriver {
  /// The name of the type in metadata.
  static let typeName = "Binary"

  /// It has no options of its own.
  var optionNames: Set<String>? { [] }

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    let location = try BinaryLocation(description.url)
    let file = try BinaryFiles.shared.take(
      location, isReadOnly: description.isReadOnly, timeout: description.timeout)
    let engine = BinaryEngine(file, isReadOnly: description.isReadOnly)
    do {
      return try KeyValueStore(
        engine: engine, description: description, storeType: BinaryStoreDriver.typeName,
        mayBeEmpty: file.isNew)
    } catch {
      engine.close()
      throw error
    }
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    let location = try BinaryLocation(description.url)
    if let version = BinaryFiles.shared.version(at: location) {
      return try KeyValueStore.metadata(in: version)
    }
    guard let bytes = try location.bytes() else { return nil }
    let version = try BinaryContents(file: bytes).tablesWithoutRecords()
    guard let metadata = try KeyValueStore.metadata(in: version) else {
      throw PersistenceError(.corruptStore, "The store's metadata is missing.")
    }
    return metadata
  }

  func changeMetadata(
    of description: PersistentStoreDescription, _ change: (inout StoreMetadata) throws -> Void
  ) throws {
    let location = try BinaryLocation(description.url)
    guard try location.bytes() != nil else {
      throw PersistenceError(.persistentStoreOpen, "There is no store whose metadata could be set.")
    }
    guard !description.isReadOnly else {
      throw PersistenceError(.readOnlyStore, "The store is described as read-only.")
    }
    let file = try BinaryFiles.shared.take(
      location, isReadOnly: false, timeout: description.timeout)
    let engine = BinaryEngine(file, isReadOnly: false)
    defer { engine.close() }
    try engine.write { snapshot, batch in
      try KeyValueStore.changeMetadata(in: snapshot, to: &batch, change)
    }
  }

  /// Empties the file, unless it is open elsewhere (B239, B341). Another program's file is refused.
  func destroy(_ description: PersistentStoreDescription) throws {
    let location = try BinaryLocation(description.url)
    let isForced = description.forcesDestruction
    guard let bytes = try location.bytes() else { return }
    guard BinaryContents.isOwn(bytes) else { throw foreign }
    try BinaryFiles.shared.alone(location, isForced: isForced) {
      if isForced {
        try DurableFiles.remove(location.path)
        DurableFiles.make(location.path)
      } else {
        let file = try locked(location, description)
        defer { close(file) }
        try DurableFiles.empty(location.path, file)
      }
      try DurableFiles.synchronizeFolder(of: location.path)
    }
  }

  /// Copies one store over another, or to where there is none (B240). The copy takes the place at once, and whole.
  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    _ = try replace(destination, with: source) { _ in true }
  }

  func beginReplacement(
    of description: PersistentStoreDescription
  ) throws -> (any StoreReplacement)? {
    try BinaryReplacement(of: description, by: self)
  }

  /// Replaces a store if its file, which nobody else can use then, is as expected.
  ///
  /// - Parameter isExpected: Gets what is in the file; nil when there is none.
  /// - Returns: Whether it is as expected, and was replaced.
  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription,
    if isExpected: ([UInt8]?) throws -> Bool
  ) throws -> Bool {
    let (from, to) = (try BinaryLocation(source.url), try BinaryLocation(destination.url))
    guard from.path != to.path else {
      throw PersistenceError(.persistentStoreOperation, "A store cannot replace itself.")
    }
    guard let bytes = try BinaryFiles.shared.bytes(at: from) ?? from.bytes() else {
      throw PersistenceError(.persistentStoreOpen, "There is no store to copy.")
    }
    // A damaged one is not copied.
    _ = try BinaryContents(file: bytes)
    if let old = try to.bytes(), !BinaryContents.isOwn(old) { throw foreign }
    let isForced = destination.forcesDestruction
    var isReplaced = false
    try BinaryFiles.shared.alone(to, isForced: isForced) {
      var lock: Int32 = -1
      if !isForced, try to.bytes() != nil { lock = try locked(to, destination) }
      defer { if lock >= 0 { close(lock) } }
      guard try isExpected(to.bytes()) else { return }
      close(try BinaryFile.put(bytes, at: to, like: lock >= 0 ? lock : nil))
      try DurableFiles.synchronizeFolder(of: to.path)
      isReplaced = true
    }
    return isReplaced
  }

  /// Opens the file and keeps other processes away until it is closed.
  private func locked(
    _ location: BinaryLocation, _ description: PersistentStoreDescription
  ) throws -> Int32 {
    try BinaryFile.open(location, .alone, false, min(description.timeout, 1))
  }

  private var foreign: PersistenceError {
    PersistenceError(
      .persistentStoreTypeMismatch, "The file is no binary store, but another program's.")
  }
}

extension PersistentStoreDescription {
  fileprivate var forcesDestruction: Bool { options[StoreOption.forceDestroy] == .boolean(true) }
}
