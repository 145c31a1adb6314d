// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore

extension LMDBDriver {
  /// Empties the file and removes its lock file, unless it is open elsewhere (B239, B341).
  func destroy(_ description: PersistentStoreDescription) throws {
    try translating(description) {
      let location = try LMDBLocation(description.url)
      // An empty file holds no data, so it is no store.
      guard let status = try location.status(), !status.isRegular || status.size > 0 else { return }
      try alone(location, description) { descriptor in
        // While the file has something in it, an opening process waits. After that, a lock file is a new one's.
        try DurableFiles.remove(location.lockPath)
        if let descriptor {
          try DurableFiles.empty(location.path, descriptor)
        } else {
          // Other processes may still use the unlinked file; a mapped file must not be truncated.
          try DurableFiles.remove(location.path)
          DurableFiles.make(location.path)
        }
        try DurableFiles.synchronizeFolder(of: location.path)
      }
    }
  }

  /// Copies one store over another, or to where there is none (B240). The copy takes the place at once, and whole.
  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    _ = try replace(destination, with: source) { _ in true }
  }

  /// Replaces a store if its file, which nobody else can use then, is as expected.
  ///
  /// - Parameter isExpected: Gets the locked file; nil when there is none, or its use is forced.
  /// - Returns: Whether it is as expected, and was replaced.
  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription,
    if isExpected: (_ descriptor: Int32?) throws -> Bool
  ) throws -> Bool {
    try translating(destination) {
      let from = try LMDBLocation(source.url)
      let to = try LMDBLocation(destination.url)
      guard let original = try from.status(), original.size > 0 else {
        throw PersistenceError(.persistentStoreOpen, "There is no store to copy.")
      }
      guard try to.status()?.identity != original.identity else {
        throw PersistenceError(.persistentStoreOperation, "A store cannot replace itself.")
      }
      let temporary = to.temporaryPath()
      defer { unlink(temporary) }
      try copy(from, source, to: temporary)
      var isReplaced = false
      try alone(to, destination) { descriptor in
        guard try isExpected(descriptor) else { return }
        try DurableFiles.remove(to.lockPath)
        try DurableFiles.move(temporary, to: to.path)
        try DurableFiles.synchronizeFolder(of: to.path)
        isReplaced = true
      }
      return isReplaced
    }
  }

  private func copy(
    _ location: LMDBLocation, _ description: PersistentStoreDescription, to path: String
  ) throws {
    var readOnly = description
    readOnly.isReadOnly = true
    let settings = try LMDBSettings(readOnly)
    let environment = try OpenEnvironments.shared.open(location, settings)
    defer { OpenEnvironments.shared.release(environment) }
    try LMDBLocation.withDescriptor(path, O_CREAT | O_EXCL | O_WRONLY) { descriptor in
      try environment.copy(to: descriptor)
      guard fsync(descriptor) == 0 else { throw LMDBError.system("flush the copy") }
      DurableFiles.note(DurableFiles.Step.synchronizeFile, path)
    }
  }

  /// Calls `body` when a file is Roost's, or empty, or missing, and not open elsewhere. The force option ignores
  /// locks, but not another program's file.
  ///
  /// - Parameter body: Gets the locked file; nil when there is none, or its use is forced.
  private func alone(
    _ location: LMDBLocation, _ description: PersistentStoreDescription,
    _ body: (_ descriptor: Int32?) throws -> Void
  ) throws {
    let isForced = try description.isOn(StoreOption.forceDestroy)
    let status = try location.status()
    if let status, !status.isRegular {
      throw PersistenceError(.persistentStoreTypeMismatch, "There is something else than a file.")
    }
    if let status, status.size > 0 { try checkKind(location, description) }
    try OpenEnvironments.shared.withFile(
      at: location, status?.identity, timeout: description.timeout
    ) { isOpen in
      guard isForced || !isOpen else {
        throw PersistenceError(.storeBusy, "The store is open in this process.")
      }
      guard !isForced else { return try body(nil) }
      let timeout = min(description.timeout, 1)
      // The folder lock keeps others from creating a file where there was none.
      try location.withFolderLocked(timeout: timeout) {
        guard try location.status()?.identity == status?.identity else {
          throw PersistenceError(.storeBusy, "Others remove or make the file at the same time.")
        }
        guard status != nil else { return try body(nil) }
        try LMDBLocation.withDescriptor(location.path, O_RDONLY) { descriptor in
          try FileLock.take(descriptor, LOCK_EX, timeout: timeout)
          try body(descriptor)
        }
      }
    }
  }

  /// Throws for a file that is not Roost's. A damaged Roost file may be removed all the same.
  private func checkKind(
    _ location: LMDBLocation, _ description: PersistentStoreDescription
  ) throws {
    var readOnly = description
    readOnly.isReadOnly = true
    do {
      let environment = try OpenEnvironments.shared.open(location, LMDBSettings(readOnly))
      OpenEnvironments.shared.release(environment)
    } catch let error as PersistenceError where error.code == .corruptStore {
      return
    }
  }
}
