// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The steps from a description to a store that is ready for requests. Whatever fails leaves nothing behind.
struct StoreOpening {
  let model: ManagedObjectModel
  let description: PersistentStoreDescription
  /// Whether the store is made to be filled with the records of another one.
  var isCopy = false

  /// What the steps end with.
  struct Opened {
    var store: any PersistentStore
    var schema: StoreSchema
  }

  /// Opens the store, compares it with the model and prepares it.
  func run() throws -> Opened {
    let entities = try model.storedEntities(ofConfiguration: description.configuration)
    try description.checkOptions()
    _ = try description.announcesWrites
    let wasMissing = isMissingFile
    let store = try withoutOutcome(.persistentStoreOpen, Self.failedWrite) {
      do {
        return try description.type.driver.open(description)
      } catch let error as PersistenceError where error.code == .persistentStoreOpen {
        throw description.namingFolder(in: error)
      }
    }
    // Only what this call has made may be removed again: the place was free, and the store has never seen a model.
    let isOurs = wasMissing && store.metadata.entityVersionHashes.isEmpty
    do {
      return try withoutOutcome(.persistentStoreOpen, Self.failedWrite) {
        try prepare(store, for: entities)
      }
    } catch {
      store.close()
      if isOurs { description.removeStore() }
      throw error
    }
  }

  private static let failedWrite =
    "The store could not be written while it was opened; open it again."

  private var isMissingFile: Bool {
    guard let url = description.url, url.isFileURL else { return false }
    return !FileManager.default.fileExists(atPath: url.path)
  }

  private func prepare(
    _ store: any PersistentStore, for entities: [EntityDescription]
  ) throws -> Opened {
    var metadata = store.metadata
    guard metadata.storeType == description.type.rawValue else {
      throw PersistenceError(
        .persistentStoreTypeMismatch,
        "The store is of type \(metadata.storeType), not \(description.type.rawValue).")
    }
    guard !metadata.isUnfinishedCopy else {
      throw PersistenceError.unfinishedCopy(
        StoreNaming.displayName(url: description.url, identifier: metadata.identifier))
    }
    metadata.isUnfinishedCopy = isCopy
    let hashes = model.entityVersionHashes(forConfigurationName: description.configuration) ?? [:]
    try checkVersion(metadata, hashes)
    let versions = IgnoredVersions(metadata: metadata, entities: entities, hashes: hashes)
    if versions.areDifferent { try versions.check() }
    let names = entities.compactMap(\.name)
    metadata.entityCodes = try EntityCodes.assign(known: metadata.entityCodes, names: names)
    let schema = try StoreSchema(
      identity: store.identity, model: model, configuration: description.configuration,
      codes: metadata.entityCodes)
    _ = try schema.derivations()
    if versions.areDifferent, versions.mayLackDefaults {
      // Of the old version until every record has what this one demands.
      try store.prepare(schema, metadata: metadata)
      try fill(store, schema, versions)
      note(hashes, entities, in: &metadata)
      if !store.isReadOnly { _ = try store.commit(StoreChangeSet(metadata: metadata)) }
    } else {
      note(hashes, entities, in: &metadata)
      try store.prepare(schema, metadata: metadata)
    }
    for note in model.readingNotes { description.log?.remark(note) }
    return Opened(store: store, schema: schema)
  }

  /// Writes down which version of the model the store is of.
  private func note(
    _ hashes: [String: Data], _ entities: [EntityDescription], in metadata: inout StoreMetadata
  ) {
    let stored = metadata.entityVersionHashes
    let changed = Set(hashes.keys.filter { stored[$0] != hashes[$0] })
    metadata.entityVersionHashes = hashes
    metadata.versionIdentifiers = model.versionIdentifiers.sorted()
    metadata.versionChecksum = ManagedObjectModel.versionChecksum(of: hashes)
    var shapes = metadata.entityShapes ?? [:]
    for entity in entities {
      guard let name = entity.name, shapes[name] == nil || changed.contains(name) else { continue }
      shapes[name] = EntityShape(entity).text
    }
    // A store of an earlier version that is only read has none.
    if metadata.entityShapes != nil || !description.isReadOnly { metadata.entityShapes = shapes }
  }

  private func fill(
    _ store: any PersistentStore, _ schema: StoreSchema, _ versions: IgnoredVersions
  ) throws {
    let log = description.log ?? StoreLog(storeName: store.identity.identifier)
    try versions.fill(
      AttachedStore(store: store, schema: schema, order: 0, log: log, clock: { 0 }))
  }

  /// Refuses a store that another version of the model wrote (B246, B247).
  private func checkVersion(_ metadata: StoreMetadata, _ hashes: [String: Data]) throws {
    let stored = metadata.entityVersionHashes
    guard !stored.isEmpty, !description.ignoresModelVersions, stored != hashes else { return }
    let names = Set(stored.keys).union(hashes.keys)
    let different = names.filter { stored[$0] != hashes[$0] }.sorted(by: UTF8Order.isLess)
    throw PersistenceError(
      .persistentStoreIncompatibleVersionHash,
      "The store was written with another version of the model; these entities differ: "
        + different.joined(separator: ", ") + ".", entityName: different.first)
  }
}

extension PersistentStoreDescription {
  /// The error of an opening that failed, which names the folder when that is what is missing.
  fileprivate func namingFolder(in error: PersistenceError) -> PersistenceError {
    guard let url, url.isFileURL else { return error }
    let folder = url.deletingLastPathComponent().path(percentEncoded: false)
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
    guard !isThere || !isFolder.boolValue else { return error }
    var error = error
    error.message =
      isThere
      ? "“\(folder)”, in which the store is to be, is no folder."
      : "The folder “\(folder)” does not exist: make it, and add the store again."
    return error
  }
}
