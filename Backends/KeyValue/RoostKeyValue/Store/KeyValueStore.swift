// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel
import RoostQuery
public import RoostStore

/// A store over a ``KeyValueEngine``: everything but the bytes themselves.
///
/// It keeps the indexes of the model, plans fetches, follows relationships, and checks versions and uniqueness when it
/// commits. It answers every request completely, so nothing is left to the coordinator.
///
/// ```swift
/// func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
///   try KeyValueStore(
///     engine: SortedFileEngine(description), description: description, storeType: "SortedFile")
/// }
/// ```
public final class KeyValueStore: PersistentStore {
  public let identity: StoreIdentity
  public let description: PersistentStoreDescription
  let engine: any KeyValueEngine
  /// The cancellation of its requests; nil when they cannot be cancelled.
  let cancellation: RequestCancellation?
  private let state: CommonState<State>

  private struct State {
    var metadata: StoreMetadata
    /// The encoded metadata from when the store was opened or migrated; nil in a new store.
    var openedMetadata: [UInt8]?
    /// The schema of a prepared store, with cached plans of requests.
    var plans: CompiledPlans?
    var isClosed = false

    var schema: KeyValueSchema? {
      get { plans?.schema }
      set { plans = newValue.map { CompiledPlans($0) } }
    }
  }

  /// Makes a store over the data of an engine.
  ///
  /// - Parameters:
  ///   - engine: The tables.
  ///   - description: The description with which the store is opened.
  ///   - storeType: The store type for the metadata of a new store.
  ///   - mayBeEmpty: Whether the metadata may be missing, as in a new store.
  /// - Throws: `corruptStore` when the metadata cannot be read, `persistentStoreTypeMismatch` when they are of another
  ///   type of store, or what the engine throws.
  public init(
    engine: any KeyValueEngine, description: PersistentStoreDescription, storeType: String,
    mayBeEmpty: Bool = true
  ) throws {
    let bytes = try engine.reading { try $0.blob(named: KeyValueStore.metadataName) }
    guard bytes != nil || mayBeEmpty else {
      throw PersistenceError(.corruptStore, "The store's metadata is missing.")
    }
    let metadata =
      try bytes.map { try StoreMetadata(json: Data($0)) } ?? StoreMetadata(storeType: storeType)
    guard metadata.storeType == storeType else {
      throw PersistenceError(.persistentStoreTypeMismatch, "The file holds another type of store.")
    }
    self.engine = engine
    self.description = description
    identity = StoreIdentity(identifier: metadata.identifier, type: storeType)
    cancellation = nil
    state = CommonState(State(metadata: metadata, openedMetadata: bytes))
  }

  /// A snapshot of another store.
  private init(_ original: KeyValueStore, frozen engine: any KeyValueEngine) {
    self.engine = engine
    var description = original.description
    description.isReadOnly = true
    self.description = description
    identity = original.identity
    let (metadata, plans) = original.state.withLock { ($0.metadata, $0.plans) }
    cancellation = nil
    state = CommonState(State(metadata: metadata, plans: plans))
  }

  /// The same store, for requests that can be cancelled.
  private init(_ store: KeyValueStore, _ cancellation: RequestCancellation) {
    engine = store.engine
    description = store.description
    identity = store.identity
    state = store.state
    self.cancellation = cancellation
  }

  /// This store, for a request that can be cancelled.
  public func cancellable(by cancellation: RequestCancellation) -> any PersistentStore {
    KeyValueStore(self, cancellation)
  }

  public var metadata: StoreMetadata { state.withLock { $0.metadata } }
  public var isReadOnly: Bool { description.isReadOnly }

  public func close() {
    let wasOpen = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if wasOpen { engine.close() }
  }

  /// The schema of a store that is open and prepared.
  func preparedSchema() throws -> KeyValueSchema { try preparedPlans().schema }

  /// The schema with the cached plans of requests.
  func preparedPlans() throws -> CompiledPlans {
    let plans = try state.withLock { state in
      if state.isClosed { throw storeRemoved() }
      return state.plans
    }
    guard let plans else {
      throw PersistenceError(
        .persistentStoreOperation, "The store was not prepared for a model yet.",
        store: identity.identifier)
    }
    return plans
  }

  /// The encoded metadata from when the store was opened or migrated; nil in a new store.
  var openedMetadata: [UInt8]? { state.withLock { $0.openedMetadata } }

  /// Remembers the metadata of a migrated store, and drops its schema.
  func remember(evolved metadata: StoreMetadata, as bytes: [UInt8]) {
    state.withLock { state in
      state.metadata = metadata
      state.openedMetadata = bytes
      state.schema = nil
    }
  }

  /// Remembers the metadata and the schema that a transaction wrote.
  func remember(metadata: StoreMetadata, schema: KeyValueSchema? = nil) {
    state.withLock { state in
      state.metadata = metadata
      if let schema { state.schema = schema }
    }
  }

  /// Remembers the metadata that a change set has written. What only the engine knows of, values of other programs, is
  /// not known here.
  func remember(metadataOf changes: StoreChangeSet) {
    guard changes.hasMetadata else { return }
    state.withLock { $0.metadata = changes.metadata(after: $0.metadata) ?? $0.metadata }
  }

  func checkOpen() throws {
    if state.withLock({ $0.isClosed }) { throw storeRemoved() }
  }

  private func storeRemoved() -> PersistenceError {
    PersistenceError(
      .storeRemoved, "The store was removed from its coordinator.", store: identity.identifier)
  }
}

// MARK: - Metadata

extension KeyValueStore {
  static let metadataName = "metadata"
  /// The canonical text of the model that the store was last written with (M5).
  static let modelName = "model"

  /// The metadata in a snapshot; nil in a store that was never prepared.
  public static func metadata(in snapshot: any KeyValueSnapshot) throws -> StoreMetadata? {
    guard let bytes = try snapshot.blob(named: metadataName) else { return nil }
    return try StoreMetadata(json: Data(bytes))
  }

  /// Adds the changed metadata of a snapshot to a transaction's batch.
  ///
  /// - Throws: `persistentStoreOpen` when the snapshot has no metadata, `invalidValue` when the change alters the type
  ///   or the entity codes.
  package static func changeMetadata(
    in snapshot: any KeyValueSnapshot, to batch: inout WriteBatch,
    _ change: (inout StoreMetadata) throws -> Void
  ) throws {
    guard let stored = try metadata(in: snapshot) else {
      throw PersistenceError(.persistentStoreOpen, "There is no store whose metadata could be set.")
    }
    try write(stored.changed(by: change), to: &batch)
  }

  /// Adds metadata to a transaction's batch.
  public static func write(_ metadata: StoreMetadata, to batch: inout WriteBatch) throws {
    batch.setBlob([UInt8](try metadata.json()), named: metadataName)
  }
}

extension KeyValueStore: StoreChangeMarks {
  /// The store itself: it can be asked for its change mark.
  public var changeMarks: (any StoreChangeMarks)? { self }

  /// The engine's notifications of writes.
  public var changeHints: (any StoreChangeHints)? { engine.changeHints }

  /// How often the engine was written, as text.
  public func changeMark() throws -> String {
    try checkOpen()
    return String(try engine.writeCount())
  }
}

extension KeyValueStore: StoreSnapshots {
  /// The store itself; nil when the engine cannot freeze a state.
  public var snapshots: (any StoreSnapshots)? { engine.canFreeze ? self : nil }

  /// Returns a read-only store over the current state.
  public func takeSnapshot() throws -> any PersistentStore {
    try checkOpen()
    return KeyValueStore(self, frozen: try engine.frozen())
  }
}
