// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// Runs batch requests inside a store (X60), when they concern only that store and the store supports them. All
/// others are turned into change sets.
struct BatchInStore {
  let coordinator: PersistentStoreCoordinator

  /// Updates records in the only store that holds the entity.
  ///
  /// - Returns: nil when the request concerns several stores, or the store does not support it; nothing was written
  ///   then.
  func update(_ batch: BatchUpdate) throws -> BatchOutcome? {
    let fetch = batch.fetch.fetch
    guard
      let store = try onlyStore(of: fetch.entities, fetch.entity, batch.fetch.affectedStores)
    else { return nil }
    var names = ChangedProperties()
    let slots = batch.values.map(\.slot.index) + batch.computed.map(\.slot.index)
    for entity in fetch.entities {
      names.add(entity.layout.propertyNames(ofSlots: slots), of: entity)
    }
    return try carryOut(
      in: store, of: fetch.entity, batch.origin, wantsIDs: batch.wantsIDs, names
    ) { batches, terms in
      try batches.update(
        StoreBatchUpdate(
          fetch: fetch, values: batch.values, computed: batch.computed, terms: terms))
    }
  }

  /// Deletes records in the only store that holds the entity.
  ///
  /// - Returns: nil when the request concerns several stores, or the store does not support it; nothing was written
  ///   then.
  func delete(_ batch: BatchDelete) throws -> BatchOutcome? {
    let store: AttachedStore?
    let target: StoreBatchDelete.Target
    let entity: EntityDescription
    switch batch.target {
    case .matching(let request):
      entity = request.fetch.entity
      store = try onlyStore(of: request.fetch.entities, entity, request.affectedStores)
      target = .matching(request.fetch)
    case .objects(let ids):
      guard let first = ids.first else { return nil }
      entity = first.entity
      let list = coordinator.route()
      let groups = try StoreGroups(ids, in: list).groups
      store = groups.count == 1 && !leadsAcross(list) ? groups[0].store : nil
      target = .keys(Array(Set(groups.flatMap(\.keys))).sorted())
    }
    guard let store else { return nil }
    return try carryOut(
      in: store, of: entity, batch.origin, wantsIDs: batch.wantsIDs, ChangedProperties()
    ) { batches, terms in
      try batches.delete(StoreBatchDelete(target, terms: terms))
    }
  }

  private func leadsAcross(_ list: StoreList) -> Bool {
    list.stores.count > 1 && coordinator.managedObjectModel.hasRelationshipsAcrossStores
  }

  /// Returns the only store that a request concerns; nil when there are several, or other stores may refer to its
  /// records.
  private func onlyStore(
    of entities: [EntityDescription], _ entity: EntityDescription, _ affected: [StoreIdentity]?
  ) throws -> AttachedStore? {
    let list = coordinator.route()
    guard !leadsAcross(list) else { return nil }
    let holders = try list.router.storesForFetch(
      of: entities, named: entity.name, affected: affected)
    guard holders.count == 1 else { return nil }
    return list.stores[holders[0]]
  }

  /// Runs a request in its store, concurrently with saves, and informs the cache, the history and the observers.
  private func carryOut(
    in store: AttachedStore, of entity: EntityDescription, _ origin: StoreChangeSet.Origin,
    wantsIDs: Bool, _ properties: ChangedProperties,
    _ body: (any StoreBatches, BatchTerms) throws -> BatchReceipt?
  ) throws -> BatchOutcome? {
    guard store.store.batches != nil, !store.isReadOnly else { return nil }
    // Without observers or cached rows, no keys are needed to invalidate them.
    let wantsKeys =
      wantsIDs || ![any CoordinatorObserver](hearingCommitsOf: coordinator).isEmpty
      || store.cache.count > 0
    let receipt: BatchReceipt? = try store.commitLock.sharing(RequestScope.cancellation) {
      store.watch?.commitBegins()
      defer { store.watch?.commitEnds() }
      var terms = BatchTerms(origin: origin, wantsKeys: wantsKeys)
      if store.keepsHistory {
        var notes = HistoryNotes(time: coordinator.historyTicks.clock())
        notes.writer = coordinator.remoteChanges.writer
        terms.notes = notes
      }
      guard let receipt = try ask(store, entity, { try body($0, terms) }) else { return nil }
      if receipt.count > 0 { store.didCommit(receipt) }
      return receipt
    }
    return try receipt.map { try told($0, store, properties, wantsIDs: wantsIDs) }
  }

  private func ask(
    _ store: AttachedStore, _ entity: EntityDescription,
    _ body: (any StoreBatches) throws -> BatchReceipt?
  ) throws -> BatchReceipt? {
    do {
      return try store.asking(
        .commit, OperationSubject(entityName: entity.name, detail: "a batch request"),
        report: { $1.rows = $0?.count ?? 0 }
      ) { backend in
        try SaveRecovery(coordinator: coordinator).settling([store]) {
          guard let batches = backend.batches else { return nil }
          return try store.commits.sharing { try body(batches) }
        }
      }
    } catch {
      var error = PersistenceError.wrapping(error, .persistentStoreSave)
      if error.code == .commitOutcomeUnknown { store.mayHaveWritten() }
      error.store = error.store ?? store.displayName
      throw error
    }
  }

  private func told(
    _ receipt: BatchReceipt, _ store: AttachedStore, _ properties: ChangedProperties,
    wantsIDs: Bool
  ) throws -> BatchOutcome {
    if receipt.count > 0 {
      coordinator.noteCommit()
      tell(receipt, of: store, properties)
      if store.watch?.announces == true {
        coordinator.remoteChanges.announce(store, of: coordinator, at: receipt.position)
      }
      coordinator.historyTicks.tick()
      HistoryTrimmer(store).noteCommit(coordinator)
    }
    guard wantsIDs else { return .counted(receipt.count) }
    return .done(try store.objectIDs(forKeys: receipt.changed ?? []))
  }

  private func tell(
    _ receipt: BatchReceipt, of store: AttachedStore, _ properties: ChangedProperties
  ) {
    let observers = [any CoordinatorObserver](hearingCommitsOf: coordinator)
    guard !observers.isEmpty else { return }
    var changes = CommittedChanges()
    changes.isBatch = true
    // An observer that was added while the request ran is told that the whole store may be out of date.
    if receipt.changed == nil { changes.outdatedStores = [store.identity] }
    changes.updated = (receipt.updated ?? []).compactMap { store.objectID(forKey: $0) }
    changes.deleted = (receipt.deleted ?? []).compactMap { store.objectID(forKey: $0) }
    // It is unknown which relationships a deletion has cleared.
    changes.properties = receipt.deleted == nil ? properties : nil
    for observer in observers { observer.coordinator(coordinator, didCommit: changes) }
  }
}

extension BatchReceipt {
  /// The records that the request changed; nil when they were not listed.
  fileprivate var changed: [Int64]? { deleted ?? updated }
}

extension AttachedStore {
  /// Updates the cache after a batch request.
  fileprivate func didCommit(_ receipt: BatchReceipt) {
    if receipt.changed != nil {
      cache.forget((receipt.updated ?? []) + (receipt.deleted ?? []))
    } else {
      // Rows may have entered the cache since it was checked to be empty.
      cache.removeAll()
    }
    noteCommit()
    watch?.catchUp(self)
  }
}
