// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore

extension LMDBDriver {
  /// Removes the file and its lock file, unless somebody has it open (B239).
  func destroy(_ description: PersistentStoreDescription) throws {
    try translating(description) {
      let location = try LMDBLocation(description.url)
      guard try location.status() != nil else { return }
      try alone(location, description) {
        // While the file is there, whoever wants to open it waits. After that, a lock file is that of a new one.
        unlink(location.lockPath)
        guard unlink(location.path) == 0 else { throw LMDBError.system("remove the file") }
        try location.synchronizeFolder()
      }
    }
  }

  /// Copies one store over another, or to where there is none (B240). The copy takes the place at once, and whole.
  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
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
      try alone(to, destination) {
        unlink(to.lockPath)
        guard rename(temporary, to.path) == 0 else { throw LMDBError.system("rename the copy") }
        try to.synchronizeFolder()
      }
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
    }
  }

  /// Calls `body` when a file is Roost's, or empty, or not there, and nobody has it open. The option to force it lets
  /// locks be, but not another program's file.
  private func alone(
    _ location: LMDBLocation, _ description: PersistentStoreDescription, _ body: () throws -> Void
  ) throws {
    let isForced = description.options[StoreOption.forceDestroy] == .boolean(true)
    let status = try location.status()
    if let status, !status.isRegular {
      throw PersistenceError(.persistentStoreTypeMismatch, "There is something else than a file.")
    }
    if let status, status.size > 0 { try checkKind(location, description) }
    try OpenEnvironments.shared.withFile(status?.identity) { isOpen in
      guard isForced || !isOpen else {
        throw PersistenceError(.storeBusy, "The store is open in this process.")
      }
      guard !isForced else { return try body() }
      let timeout = min(description.timeout, 1)
      // Nobody makes a file meanwhile where there was none.
      try location.withFolderLocked(timeout: timeout) {
        guard try location.status()?.identity == status?.identity else {
          throw PersistenceError(.storeBusy, "Others remove or make the file at the same time.")
        }
        guard status != nil else { return try body() }
        try LMDBLocation.withDescriptor(location.path, O_RDONLY) { descriptor in
          try FileLock.take(descriptor, LOCK_EX, timeout: timeout)
          try body()
        }
      }
    }
  }

  /// Throws for a file that is not Roost's. One that is damaged may be removed all the same.
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
