// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostCoordinator
import RoostModel
import RoostStore

/// A store that is open with its model.
struct StoreSession {
  let title: String
  let model: ManagedObjectModel
  let coordinator: PersistentStoreCoordinator
  let attached: AttachedStore
  /// Whether the model is a program's, with its validation rules, and not the one in the store.
  let knowsValidationRules: Bool

  var store: any PersistentStore { attached.store }

  /// The entities of the store's configuration, sorted by name.
  var entities: [EntityDescription] {
    attached.schema.entities.sorted { UTF8Order.isLess($0.name ?? "", $1.name ?? "") }
  }

  /// The entities that can have records, sorted by name.
  var concreteEntities: [EntityDescription] { entities.filter { !$0.isAbstract } }

  /// Opens a store for reading, even while other processes write it.
  ///
  /// - Parameters:
  ///   - address: The store.
  ///   - modelPath: A file with its model; nil for the model in the store.
  ///   - options: Options of the backend.
  ///   - timeout: The timeout for a busy store, in seconds; nil for the default.
  /// - Throws: `persistentStoreIncompatibleVersionHash` when the model is another version,
  ///   `migrationMissingSourceModel` when there is none, and the errors of opening the store.
  init(
    reading address: StoreAddress, modelPath: String?, options: [String: MetadataValue] = [:],
    timeout: Double? = nil
  ) throws {
    var description = try address.existing()
    if let timeout { description.timeout = timeout }
    description.options.merge(options) { _, new in new }
    let found = try StoredModel(of: description, title: address.title)
    let model = try found.model(from: modelPath)
    try self.init(
      found, model, title: address.title, isReadOnly: true,
      hasRules: modelPath.map { ModelFile($0).hasValidationRules } ?? false)
  }

  /// Opens a store to change it.
  ///
  /// - Parameters:
  ///   - address: The store.
  ///   - modelPath: A file with its model; nil for the model in the store.
  ///   - timeout: The timeout for a busy store, in seconds; nil for the default.
  /// - Throws: As ``init(reading:modelPath:options:timeout:)``.
  init(writing address: StoreAddress, modelPath: String?, timeout: Double? = nil) throws {
    var description = try address.existing()
    if let timeout { description.timeout = timeout }
    let found = try StoredModel(of: description, title: address.title)
    try self.init(
      found, found.model(from: modelPath), title: address.title, isReadOnly: false,
      hasRules: modelPath.map { ModelFile($0).hasValidationRules } ?? false)
  }

  private init(
    _ found: StoredModel, _ model: ManagedObjectModel, title: String, isReadOnly: Bool,
    hasRules: Bool
  ) throws {
    var description = found.description
    guard let configuration = model.configuration(fitting: found.metadata.entityVersionHashes)
    else {
      throw found.mismatch(model)
    }
    description.configuration = configuration
    description.isReadOnly = isReadOnly
    description.shouldMigrateStoreAutomatically = false
    self.title = title
    self.model = model
    knowsValidationRules = hasRules
    coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(with: description)
    guard let attached = coordinator.attachedStore(for: store) else {
      throw PersistenceError(.storeRemoved, "The store was removed while it was opened.")
    }
    self.attached = attached
  }

  /// Closes the store.
  func close() {
    // The command ends anyway, and its output is already printed.
    try? coordinator.detach(store)
  }

  /// Finds an entity by its name.
  ///
  /// - Throws: `unknownEntity`, which suggests similar names.
  func entity(named name: String) throws -> EntityDescription {
    if let entity = attached.schema.entities.first(where: { $0.name == name }) { return entity }
    let names = entities.compactMap(\.name)
    let near = NearNames.of(name, among: names)
    let hint =
      near.isEmpty
      ? "There are \(names.joined(separator: ", "))."
      : "Is \(near.joined(separator: " or ")) meant?"
    throw PersistenceError(.unknownEntity, "The store has no entity “\(name)”. \(hint)")
  }
}

/// The metadata of a store, and the model in it, before the store is opened with a model.
struct StoredModel {
  let description: PersistentStoreDescription
  let metadata: StoreMetadata
  /// The text of the model in the store; nil for a store without one.
  let text: [UInt8]?
  private let title: String

  /// Reads the metadata, and the model in the store.
  ///
  /// - Throws: `persistentStoreOpen` when there is no store, `corruptStore`, or the error of the engine.
  init(of description: PersistentStoreDescription, title: String) throws {
    var description = description
    description.isReadOnly = true
    guard let metadata = try description.type.driver.metadata(of: description) else {
      throw PersistenceError(.persistentStoreOpen, "There is no store at \(title).")
    }
    let store = try description.type.driver.open(description)
    defer { store.close() }
    let text = try store.evolution?.storedModel()
    self.description = description
    self.metadata = metadata
    self.text = text?.isEmpty == false ? text : nil
    self.title = title
  }

  /// Whether the store was opened with a model before.
  var hasModel: Bool { !metadata.entityVersionHashes.isEmpty }

  /// Returns the model to open the store with.
  ///
  /// - Parameter path: A file with the model; nil for the model in the store.
  /// - Throws: `migrationMissingSourceModel` when there is none, `corruptStore`, `invalidModel`.
  func model(from path: String?) throws -> ManagedObjectModel {
    guard hasModel else {
      throw PersistenceError(
        .persistentStoreOpen, "The store at \(title) is new: no program has opened it with a model."
      )
    }
    if let path { return try ModelFile(path).model(fitting: metadata.entityVersionHashes) }
    guard let text else {
      throw PersistenceError(
        .persistentStoreOpen,
        "The store keeps no model, because an earlier version of Roost wrote it: give the model with "
          + "--model FILE, or open the store once with a program of this version.")
    }
    return try CanonicalModel(bytes: text).model()
  }

  /// The error of a store that is of another version than a model.
  func mismatch(_ model: ManagedObjectModel) -> PersistenceError {
    let hashes = model.entityVersionHashesByName
    let stored = metadata.entityVersionHashes
    let changed = stored.keys.filter { hashes[$0] != nil && hashes[$0] != stored[$0] }
    let missing = stored.keys.filter { hashes[$0] == nil }
    let added = hashes.keys.filter { stored[$0] == nil }
    let parts = [
      (changed, "differ"), (missing, "are in the store only"), (added, "are in the model only"),
    ].filter { !$0.0.isEmpty }.map { names, what in
      names.sorted(by: UTF8Order.isLess).joined(separator: ", ") + " " + what
    }
    return PersistenceError(
      .persistentStoreIncompatibleVersionHash,
      "The store was written with another version of the model: \(parts.joined(separator: "; ")). "
        + "Without --model, the model is used that the store keeps.")
  }
}
