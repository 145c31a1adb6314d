// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostKeyValue
import RoostModel
import RoostStore
import Synchronization

/// The tables of a store, in memory, and the file to which each transaction writes them.
///
/// A reader takes the current snapshot and keeps it; a writer makes the next one, writes it to the file, and then
/// makes it the current one.
final class SortedFileEngine: KeyValueEngine {
  /// nil for a state that was frozen.
  private let file: SortedFile?
  private let lock: Int32
  private let timeout: TimeInterval
  private let writing = NSLock()
  private let current: Mutex<Current>
  /// Whether there was no file when it was opened.
  let isNew: Bool

  private struct Current {
    var state = SortedFileState()
    /// The records of entities that the model does not have.
    var others: [Int: SortedFileContents.PackedRecords] = [:]
    /// Rows have the layouts of its model, and need it to be alive.
    var schema: StoreSchema?
    var writeCount: UInt64 = 0
    var fileIdentity: UInt64?
    var isClosed = false
  }

  /// Opens the file, or prepares to create it.
  ///
  /// - Throws: `storeBusy` when it is open elsewhere, and the errors of decoding the file.
  init(_ description: PersistentStoreDescription) throws {
    let file = try SortedFile(description.url)
    // A reader needs no lock: the file it has read is never changed in place, only replaced.
    let lock = description.isReadOnly ? -1 : try file.lock(timeout: description.timeout)
    do {
      var start = Current()
      start.fileIdentity = file.identity
      let contents = try file.contents()
      guard contents != nil || !description.isReadOnly else {
        throw PersistenceError(.persistentStoreOpen, "There is no file, and none may be made.")
      }
      if let contents { (start.state, start.others) = try contents.state(in: nil) }
      isNew = contents == nil
      self.file = description.isReadOnly ? nil : file
      self.lock = lock
      timeout = description.timeout
      current = Mutex(start)
    } catch {
      if lock >= 0 { SortedFile.unlock(lock) }
      throw error
    }
  }

  private init(frozen start: Current) {
    (file, lock, timeout, isNew) = (nil, -1, 0, false)
    current = Mutex(start)
  }

  let longestEntryKey = Int.max

  func adopt(_ schema: StoreSchema) throws {
    writing.lock()
    defer { writing.unlock() }
    var next = try open()
    // By way of the bytes, as when the file is read: the layouts may be other ones.
    let contents = try SortedFileContents(next.state, besides: next.others)
    (next.state, next.others) = try contents.state(in: schema)
    next.schema = schema
    current.withLock { [next] in $0 = next }
  }

  func read(_ body: (any KeyValueSnapshot) throws -> Void) throws {
    let now = try open()
    try withExtendedLifetime(now.schema) { try body(now.state) }
  }

  func write(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    let deadline = Date(timeIntervalSinceNow: timeout)
    while !writing.lock(before: Date(timeIntervalSinceNow: 0.02)) {
      try cancellation?.check()
      guard Date() < deadline else {
        throw PersistenceError(.storeBusy, "Another thread wrote until the time was over.")
      }
    }
    defer { writing.unlock() }
    var next = try open()
    var batch = WriteBatch()
    try body(next.state, &batch)
    guard !batch.isEmpty else { return }
    guard let file else { throw PersistenceError(.readOnlyStore, "The store is read-only.") }
    guard file.identity == next.fileIdentity else {
      throw PersistenceError(
        .persistentStoreOperation, "The file was removed or replaced while it was open.")
    }
    next.state = next.state.applying(batch)
    next.writeCount += 1
    // After an unknown outcome, readers see the new state if the file was replaced: no write may build on the old
    // one.
    defer {
      next.fileIdentity = file.identity
      if next.fileIdentity != current.withLock({ $0.fileIdentity }) {
        current.withLock { [next] in $0 = next }
      }
    }
    try file.write(SortedFileContents(next.state, besides: next.others).file())
  }

  func writeCount() throws -> UInt64 { try open().writeCount }

  var canFreeze: Bool { true }

  func frozen() throws -> any KeyValueEngine { SortedFileEngine(frozen: try open()) }

  func close() {
    writing.lock()
    defer { writing.unlock() }
    let wasClosed = current.withLock { current in
      defer { current.isClosed = true }
      return current.isClosed
    }
    if !wasClosed, lock >= 0 { SortedFile.unlock(lock) }
  }

  deinit { close() }

  /// Returns the current state.
  ///
  /// - Throws: `storeRemoved` after ``close()``.
  private func open() throws -> Current {
    let now = current.withLock { $0 }
    guard !now.isClosed else {
      throw PersistenceError(.storeRemoved, "The store was removed from its coordinator.")
    }
    return now
  }
}
