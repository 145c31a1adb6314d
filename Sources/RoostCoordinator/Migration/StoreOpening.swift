// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The steps from a description to a store that is ready for requests. A failure leaves nothing behind.
struct StoreOpening {
  let model: ManagedObjectModel
  let description: PersistentStoreDescription
  /// Whether the store will be filled with the records of another one.
  var isCopy = false
  /// The entity codes for a new store; empty for any.
  var entityCodes: [String: Int] = [:]
  /// The monitor of migrations.
  let monitor: MigrationMonitor
  /// The coordinator whose stores may decide saves of which this store holds parts.
  var coordinator: PersistentStoreCoordinator?

  /// The result of opening.
  struct Opened {
    var store: any PersistentStore
    var schema: StoreSchema
  }

  /// Opens the store, migrates it to the model if it has another version, and prepares it, as an operation that
  /// instruments observe.
  func run() throws -> Opened {
    guard let log = description.log, let instruments = log.instruments, instruments.isOn else {
      return try runSteps()
    }
    let operation = StoreOperation(
      .opening, storeName: log.storeName, storeType: description.type.rawValue)
    return try instruments.tell(operation, report: { _, _ in }, runSteps)
  }

  private func runSteps() throws -> Opened {
    let version = try StoreVersion(model, configuration: description.configuration)
    try description.checkOptions()
    _ = try description.announcesWrites
    _ = try HistoryLimits(description.options[HistoryLimits.option])
    let keepsValues = try description.wantsPreviousValues
    let beginsHistory = try description.isOn(StoreOption.historyTracking) || keepsValues
    let wasMissing = isMissingFile
    var attempt = 0
    while true {
      attempt += 1
      let (store, isChanged) = try openOfVersion(version)
      // Only a store that this call created may be removed again: the file did not exist, and the store has never had
      // a model.
      let isOurs = wasMissing && store.metadata.entityVersionHashes.isEmpty
      do {
        let opened = try withoutOutcome(.persistentStoreOpen, Self.failedWrite) {
          try prepare(store, version, beginsHistory: beginsHistory, keepsValues: keepsValues)
        }
        // The next opening does the steps that a migration of this one could not finish.
        if !isChanged { finishOverdue(store) }
        return opened
      } catch let error as PersistenceError
        where error.code == .persistentStoreIncompatibleVersionHash && beginsHistory
        && attempt < Self.attempts
      {
        // Another process enabled the history between opening and preparing.
        store.close()
      } catch {
        store.close()
        if isOurs { description.removeStore() }
        throw error
      }
    }
  }

  private func open() throws -> any PersistentStore {
    try withoutOutcome(.persistentStoreOpen, Self.failedWrite) {
      do {
        return try description.type.driver.open(description)
      } catch let error as PersistenceError where error.code == .persistentStoreOpen {
        throw description.namingFolder(in: error)
      }
    }
  }

  /// The maximum number of times that a store is reopened because another process changed its version.
  private static let attempts = 8

  /// Opens the store, after migrating it if it has another version.
  ///
  /// - Returns: The store, and whether it was migrated or reopened.
  private func openOfVersion(
    _ version: StoreVersion
  ) throws -> (store: any PersistentStore, isChanged: Bool) {
    var asksMigration = true
    for attempt in 0..<Self.attempts {
      let store = try open()
      do {
        try checkIsStore(store.metadata)
        let evolver = StoreEvolver(version: version, description: description, monitor: monitor)
        switch try settle(store, evolver) {
        case .asOne: break
        case .asSecond: return (store, attempt > 0)
        case .reopen:
          store.close()
          continue
        }
        let isOfVersion = version.matches(store.metadata) && !hasPendingStage(store)
        guard !isOfVersion, !description.ignoresModelVersions else {
          if attempt == 0 { removeBackup(of: store) }
          if !isOfVersion { try finishDeferred(store) }
          return (store, attempt > 0)
        }
        if try settleParts(of: store, evolver) {
          store.close()
          continue
        }
        let outcome = try withoutOutcome(.persistentStoreOpen, Self.failedWrite) {
          try evolver.run(store, asksMigration: asksMigration)
        }
        if case .custom(let migration, let source) = outcome {
          asksMigration = try migrate(store, by: migration, from: source)
        }
        store.close()
      } catch {
        store.close()
        throw error
      }
    }
    throw PersistenceError(
      .storeBusy, "Other processes changed the version of the store again and again.")
  }

  private func settle(
    _ store: any PersistentStore, _ evolver: StoreEvolver
  ) throws -> LiveVersions.Outcome {
    try withoutOutcome(.persistentStoreOpen, Self.failedWrite) {
      try LiveVersions(evolver: evolver).settle(store)
    }
  }

  /// Ends the store's parts of saves over several stores, before its records are migrated.
  ///
  /// - Returns: Whether the store must be reopened.
  private func settleParts(of store: any PersistentStore, _ evolver: StoreEvolver) throws -> Bool {
    guard !store.isReadOnly, let preparation = store.preparation, let coordinator else {
      return false
    }
    return try withoutOutcome(.persistentStoreOpen, Self.failedWrite) {
      try PartsOfOldVersion(coordinator: coordinator, store: store, preparation: preparation)
        .settle {
          let source = try evolver.sourceModel(of: store)
          let metadata = store.metadata
          return StoreSchema(
            identity: store.identity, model: source,
            entities: source.entities.filter {
              metadata.entityVersionHashes[$0.name ?? ""] != nil
            }, codes: metadata.entityCodes,
            modelText: { try CanonicalModel(source).bytes })
        }
    }
  }

  /// Whether the program's own migration was interrupted after it had changed the version.
  private func hasPendingStage(_ store: any PersistentStore) -> Bool {
    !store.isReadOnly && description.migration?.isPending(in: store.metadata) ?? false
  }

  /// Performs the deferred steps of a migration, before a model of another version reuses names and codes.
  ///
  /// - Throws: `readOnlyStore`, or the error of a step.
  private func finishDeferred(_ store: any PersistentStore) throws {
    guard store.metadata.hasDeferredRemovals, let evolution = store.evolution else { return }
    try withoutOutcome(.persistentStoreOpen, Self.failedWrite) {
      try StoreEvolver.finishDeferred(evolution)
    }
  }

  /// Performs the steps that an earlier migration has not deferred, but has not come to, and builds new indexes of a
  /// large store. What fails or is cancelled stays for the next opening: the store can be used without them.
  private func finishOverdue(_ store: any PersistentStore) {
    let steps = store.metadata.overdueStepCount
    guard steps > 0, !store.isReadOnly, !description.evolution.defersLightweightMigration else {
      return
    }
    do {
      try monitor.reporting(on: description, stepCount: steps) { reporter in
        let answering = reporter.cancellation.map { store.cancellable(by: $0).evolution } ?? nil
        guard let evolution = answering ?? store.evolution else { return }
        var left = steps + 1
        while store.metadata.hasDeferredMigration {
          let now = store.metadata.overdueStepCount
          if now < left { try reporter.begin("finish what an earlier opening has left") }
          left = now
          guard try evolution.finishDeferredStep(isEvolving: false) else { break }
          try reporter.advance(by: 0)
        }
      }
      monitor.finish()
    } catch {
      description.log?.remark(
        "The store can be used, but steps are left that free space or build indexes: \(error)")
    }
  }

  /// Removes the backup of an earlier migration, after the store was opened successfully again.
  private func removeBackup(of store: any PersistentStore) {
    guard let former = store.metadata.formerVersions?.last, !store.isReadOnly,
      description.evolution.backup == .beforeRewrite
    else { return }
    // The suffix after the checksum tells versions with the same hashes apart.
    let checksum = String(former.prefix { $0 != " " })
    StoreBackup(description: description, checksum: checksum).remove()
  }

  /// Runs the program's own migration.
  ///
  /// - Returns: Whether to ask it again if the store still has another version.
  private func migrate(
    _ store: any PersistentStore, by migration: any StoreMigration, from source: ManagedObjectModel
  ) throws -> Bool {
    let metadata = store.metadata
    store.close()
    let isDone = try monitor.reporting(on: description, stepCount: 0) {
      try migration.migrate(
        description, from: source, metadata: metadata, to: model, reporter: $0)
    }
    if isDone { monitor.finish() }
    return isDone
  }

  private static let failedWrite =
    "The store could not be written while it was opened; open it again."

  private var isMissingFile: Bool {
    guard let url = description.url, url.isFileURL else { return false }
    return !FileManager.default.fileExists(atPath: url.path)
  }

  private func checkIsStore(_ metadata: StoreMetadata) throws {
    guard metadata.storeType == description.type.rawValue else {
      throw PersistenceError(
        .persistentStoreTypeMismatch,
        "The store is of type \(metadata.storeType), not \(description.type.rawValue).")
    }
    guard !metadata.isUnfinishedCopy else {
      throw PersistenceError.unfinishedCopy(
        StoreNaming.displayName(url: description.url, identifier: metadata.identifier))
    }
  }

  private func prepare(
    _ store: any PersistentStore, _ version: StoreVersion, beginsHistory: Bool, keepsValues: Bool
  ) throws -> Opened {
    var metadata = store.metadata
    if beginsHistory, !store.isReadOnly {
      let isNew = metadata.entityVersionHashes.isEmpty && !isCopy
      if isNew { metadata.historyFromStart = true }
      metadata.keepHistory(withValues: keepsValues)
    }
    if let retention = description.options[HistoryLimits.option], !store.isReadOnly,
      metadata.keepsHistory, retention != HistoryLimits.unchanged
    {
      metadata.historyRetention = try HistoryLimits(retention).value
    }
    metadata.isUnfinishedCopy = isCopy
    let versions = IgnoredVersions(
      metadata: metadata, entities: version.entities, hashes: version.hashes)
    if versions.areDifferent {
      let source = SourceModel(
        metadata: metadata, migration: description.migration, places: description.earlierModels)
      try versions.check(try? source.find(store.evolution))
    }
    metadata.entityCodes = try EntityCodes.assign(
      known: metadata.entityCodes.isEmpty ? entityCodes : metadata.entityCodes,
      names: version.entities.compactMap(\.name))
    if store.evolution != nil, !store.isReadOnly { metadata.keepsModel = true }
    let schema = StoreSchema(
      identity: store.identity, model: model, inOrder: version.entities,
      codes: metadata.entityCodes, modelText: { [model] in try CanonicalModel(model).bytes })
    _ = try schema.derivations()
    if versions.areDifferent, versions.mayLackDefaults {
      // Keeps the old version until every record has the required values.
      try store.prepare(schema, metadata: metadata)
      // A value of another program that is in the store by now would be removed as one that was known.
      metadata.userValues = store.metadata.userValues
      metadata.goOnWithHistory(of: store.metadata)
      try fill(store, schema, versions)
      version.note(in: &metadata, isReadOnly: description.isReadOnly)
      if !store.isReadOnly { _ = try store.commit(StoreChangeSet(metadata: metadata)) }
    } else {
      version.note(in: &metadata, isReadOnly: description.isReadOnly)
      try store.prepare(schema, metadata: metadata)
    }
    guard !beginsHistory || store.isReadOnly || store.history != nil else {
      throw PersistenceError(
        .persistentStoreUnsupportedRequestType,
        "Stores of the type \(description.type.rawValue) keep no history.",
        key: StoreOption.historyTracking)
    }
    for note in model.readingNotes { description.log?.remark(note) }
    return Opened(store: store, schema: schema)
  }

  private func fill(
    _ store: any PersistentStore, _ schema: StoreSchema, _ versions: IgnoredVersions
  ) throws {
    let log = description.log ?? StoreLog(storeName: store.identity.identifier)
    try versions.fill(
      AttachedStore(store: store, schema: schema, order: 0, log: log, clock: { 0 }))
  }
}

extension PersistentStoreDescription {
  /// Returns the error of a failed opening, which names the folder if that does not exist.
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
