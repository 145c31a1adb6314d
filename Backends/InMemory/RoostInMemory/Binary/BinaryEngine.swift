// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostModel
import RoostStore
import Synchronization

/// The tables of a binary store: those of a store in memory, and a file that has them after each transaction.
final class BinaryEngine: KeyValueEngine {
  private let file: BinaryFile
  private let memory: MemoryEngine
  private let isReadOnly: Bool
  private let isClosed = Atomic<Bool>(false)

  init(_ file: BinaryFile, isReadOnly: Bool) {
    self.file = file
    self.isReadOnly = isReadOnly
    memory = MemoryEngine(tables: file.tables)
  }

  var longestEntryKey: Int { memory.longestEntryKey }

  func adopt(_ schema: StoreSchema) throws {
    try file.check()
    try file.unpack(schema)
    try memory.adopt(schema)
  }

  func read(_ body: (any KeyValueSnapshot) throws -> Void) throws {
    try file.check()
    try memory.read(body)
  }

  func write(
    _ cancellation: RequestCancellation?,
    _ body: (any KeyValueSnapshot, inout WriteBatch) throws -> Void
  ) throws {
    try writing(cancellation) { version in
      var batch = WriteBatch()
      try body(version, &batch)
      guard !batch.isEmpty else { return nil }
      guard !isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store is read-only.")
      }
      return version.applying(batch)
    }
  }

  /// Replaces the version and the file. A version whose file has its name is the one to read, even if the file might
  /// not survive a power failure.
  private func writing(
    _ cancellation: RequestCancellation?, _ body: (MemoryVersion) throws -> MemoryVersion?
  ) throws {
    var doubt: PersistenceError?
    try file.tables.write(cancellation) { version in
      try file.check()
      guard let next = try body(version) else { return nil }
      doubt = try file.save(next)
      return next
    }
    if let doubt { throw doubt }
  }

  func read(as schema: StoreSchema, _ body: (any KeyValueSnapshot) throws -> Void) throws {
    try file.check()
    try file.unpack(schema)
    try memory.read(as: schema, body)
  }

  func evolve(_ change: SchemaChange, by work: EvolutionWork) throws {
    guard !isReadOnly else { throw PersistenceError(.readOnlyStore, "The store is read-only.") }
    try file.check()
    try file.unpack(change.source)
    try writing(nil) { try $0.evolving(by: change, work) }
  }

  /// The content of the file was flushed before the file got its name.
  func makeDurable() throws { try file.makeNameDurable() }

  func writeCount() throws -> UInt64 { memory.writeCount() }

  var changeHints: (any StoreChangeHints)? { memory.changeHints }

  var canFreeze: Bool { true }

  func frozen() throws -> any KeyValueEngine {
    try file.check()
    return memory.frozen()
  }

  func close() {
    guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    memory.close()
    BinaryFiles.shared.release(file, isReadOnly: isReadOnly)
  }

  deinit {
    close()
  }
}
