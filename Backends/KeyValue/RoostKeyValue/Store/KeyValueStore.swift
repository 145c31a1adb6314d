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
  /// Who can cancel its requests; nil when nobody can.
  let cancellation: RequestCancellation?
  private let state: CommonState<State>

  private struct State {
    var metadata: StoreMetadata
    /// The metadata as they were written when the store was opened or brought to another version of its model; nil in a
    /// new one.
    var openedMetadata: [UInt8]?
    /// The schema of a store that is prepared, with the plans of requests that come again.
    var plans: CompiledPlans?
    var isClosed = false

    var schema: KeyValueSchema? {
      get { plans?.schema }
      set { plans = newValue.map { CompiledPlans($0) } }
    }
  }

  /// Makes a store of what an engine holds.
  ///
  /// - Parameters:
  ///   - engine: The tables.
  ///   - description: How the store was asked for.
  ///   - storeType: The type that stands in the metadata of a new store.
  ///   - mayBeEmpty: Whether the metadata of a new store are yet to be written.
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

  /// What stands for a store in requests that can be cancelled.
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

  /// The same with the plans of requests.
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

  /// The metadata as they were written when the store was opened; nil in a new one.
  var openedMetadata: [UInt8]? { state.withLock { $0.openedMetadata } }

  /// Remembers that the store was brought to another version of its model.
  func remember(evolved metadata: StoreMetadata, as bytes: [UInt8]) {
    state.withLock { state in
      state.metadata = metadata
      state.openedMetadata = bytes
      state.schema = nil
    }
  }

  /// Remembers what a transaction wrote.
  func remember(metadata: StoreMetadata, schema: KeyValueSchema? = nil) {
    state.withLock { state in
      state.metadata = metadata
      if let schema { state.schema = schema }
    }
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

  /// Adds the metadata of a snapshot, with a change, to what a transaction writes.
  ///
  /// - Throws: `persistentStoreOpen` when the snapshot has none, `invalidValue` when the type or the entity codes would
  ///   be others.
  package static func changeMetadata(
    in snapshot: any KeyValueSnapshot, to batch: inout WriteBatch,
    _ change: (inout StoreMetadata) throws -> Void
  ) throws {
    guard let stored = try metadata(in: snapshot) else {
      throw PersistenceError(.persistentStoreOpen, "There is no store whose metadata could be set.")
    }
    try write(stored.changed(by: change), to: &batch)
  }

  /// Adds metadata to what a transaction writes.
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

  /// A store that shows the state of now, and cannot be written.
  public func takeSnapshot() throws -> any PersistentStore {
    try checkOpen()
    return KeyValueStore(self, frozen: try engine.frozen())
  }
}
