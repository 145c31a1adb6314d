// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostKeyValue
import RoostModel
import RoostStore
import Synchronization

/// The tables of a store in memory, shared by all stores that are open at one URL.
///
/// A reader takes the current version, which is immutable while it is shared, and never waits for a writer's request.
/// Writers are serialised: each replaces the version, or changes a little of it in place when it has no readers.
final class MemoryTables: Sendable {
  private let current: SharedState<MemoryVersion>
  private let writing = NSLock()
  private let openCount = Atomic<Int>(0)
  private let preparedCount = Atomic<Int>(0)
  private let writes = Atomic<UInt64>(0)
  /// The receivers of a hint for each write.
  let hints = StoreHintReceivers()

  init(_ version: MemoryVersion = MemoryVersion()) {
    current = SharedState(version)
  }

  /// Whether stores are open on the tables.
  func isOpen() -> Bool {
    openCount.load(ordering: .acquiring) > 0
  }

  /// Whether other stores that know the layouts of the rows are open on the tables; `mine` is the number of the
  /// caller's own.
  fileprivate func isPrepared(besides mine: Int) -> Bool {
    preparedCount.load(ordering: .acquiring) > mine
  }

  fileprivate func countOpen(_ change: Int) {
    openCount.wrappingAdd(change, ordering: .acquiringAndReleasing)
  }

  fileprivate func countPrepared(_ change: Int) {
    preparedCount.wrappingAdd(change, ordering: .acquiringAndReleasing)
  }

  /// The number of writes so far.
  var writeCount: UInt64 { writes.load(ordering: .acquiring) }

  /// The current version.
  var version: MemoryVersion { current.withLock { $0 } }

  /// Replaces the version while other writers are excluded.
  ///
  /// - Parameters:
  ///   - cancellation: Ends the wait for other writers.
  ///   - body: Makes the next version from the current one; nil keeps the current one.
  func write(
    _ cancellation: RequestCancellation? = nil, _ body: (MemoryVersion) throws -> MemoryVersion?
  ) throws {
    try lockWriting(cancellation)
    let before = writeCount
    // Hints are sent outside the lock.
    defer { if writeCount != before { hints.send(.written) } }
    defer { writing.unlock() }
    let base = version
    // `base` lives to the end of this call: what becomes unused is released outside the readers' lock.
    try withExtendedLifetime(base) {
      guard let next = try body(base) else { return }
      current.withLock { $0 = next }
      writes.wrappingAdd(1, ordering: .releasing)
    }
  }

  /// Excludes other writers until `writing` is unlocked.
  private func lockWriting(_ cancellation: RequestCancellation?) throws {
    guard let cancellation else { return writing.lock() }
    while try !writing.lock(until: Deadline(after: 60), cancellation) {}
  }

  /// Applies a batch to the version while other writers are excluded.
  ///
  /// - Parameters:
  ///   - cancellation: Ends the wait for other writers.
  ///   - body: Makes the batch for the current version, and releases the version.
  func commit(
    _ cancellation: RequestCancellation?, _ body: (MemoryVersion) throws -> WriteBatch
  ) throws {
    try lockWriting(cancellation)
    let before = writeCount
    defer { if writeCount != before { hints.send(.written) } }
    defer { writing.unlock() }
    let batch = try body(version)
    guard !batch.isEmpty else { return }
    if !(batch.isSmall && changeUnread(batch)) {
      let base = version
      let next = base.applying(batch)
      withExtendedLifetime(base) { current.withLock { $0 = next } }
    }
    writes.wrappingAdd(1, ordering: .releasing)
  }

  /// Changes the version itself.
  ///
  /// - Returns: false when a reader has it, so that it was not changed.
  private func changeUnread(_ batch: WriteBatch) -> Bool {
    current.withLock { version in
      // References are taken under this lock, so no other reference appears before the change is complete.
      guard isKnownUniquelyReferenced(&version) else { return false }
      version.change(batch)
      return true
    }
  }
}

/// One store's way to ``MemoryTables``.
final class MemoryEngine: KeyValueEngine {
  let isDurable = false
  let longestEntryKey: Int
  private let tables: MemoryTables
  private let isClosed = Atomic<Bool>(false)
  private let isPrepared = Atomic<Bool>(false)

  /// Opens tables, until ``close()``.
  ///
  /// - Parameters:
  ///   - tables: The tables to read and write.
  ///   - longestEntryKey: The longest key of an entry; tests make it short.
  init(tables: MemoryTables = MemoryTables(), longestEntryKey: Int = .max) {
    self.tables = tables
    self.longestEntryKey = longestEntryKey
    tables.countOpen(1)
  }

  func adopt(_ schema: StoreSchema) throws {
    try tables.write { version in
      let mine = isPrepared.load(ordering: .acquiring) ? 1 : 0
      // A store that was only opened, for example to read its version, reads no rows.
      guard version.hasLayouts(of: schema) || !tables.isPrepared(besides: mine) else {
        throw PersistenceError(
          .persistentStoreIncompatibleSchema,
          "The store in memory is open with another instance of the model.",
          store: schema.identity.identifier)
      }
      let next = try version.adopting(schema)
      if !isPrepared.exchange(true, ordering: .acquiringAndReleasing) { tables.countPrepared(1) }
      return next
    }
  }

  func read(_ body: (any KeyValueSnapshot) throws -> Void) throws {
    try body(tables.version)
  }

  func write(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    try tables.commit(cancellation) { base in
      var batch = WriteBatch()
      try body(base, &batch)
      return batch
    }
  }

  /// Other stores that are open on the tables continue with the layouts that they know.
  func read(as schema: StoreSchema, _ body: (any KeyValueSnapshot) throws -> Void) throws {
    try body(tables.version.adopting(schema))
  }

  /// Other stores that are open on the tables find another catalog with their next request.
  func evolve(_ change: SchemaChange, by work: EvolutionWork) throws {
    try tables.write { try $0.evolving(by: change, work) }
  }

  func writeCount() -> UInt64 { tables.writeCount }

  var changeHints: (any StoreChangeHints)? { tables.hints }

  var canFreeze: Bool { true }

  func frozen() -> any KeyValueEngine {
    // A version is never changed while it is referenced.
    MemoryEngine(tables: MemoryTables(tables.version), longestEntryKey: longestEntryKey)
  }

  func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    if isPrepared.load(ordering: .acquiring) { tables.countPrepared(-1) }
    tables.countOpen(-1)
  }

  deinit {
    close()
  }
}
