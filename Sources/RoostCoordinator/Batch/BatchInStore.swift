// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// Batch requests that a store carries out by itself (X60): what concerns one store only, and what that store can do.
/// All others are made into change sets.
struct BatchInStore {
  let coordinator: PersistentStoreCoordinator

  /// Lets the only store that holds the entity update its records.
  ///
  /// - Returns: nil when that is not to be, or the store cannot, and nothing was written.
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

  /// Lets the only store that holds the entity remove its records.
  ///
  /// - Returns: nil when that is not to be, or the store cannot, and nothing was written.
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

  /// The store that a request concerns, unless they are several, or others may refer to its records.
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

  /// Runs a request in its store, beside the saves of it, and tells all who have to know of it.
  private func carryOut(
    in store: AttachedStore, of entity: EntityDescription, _ origin: StoreChangeSet.Origin,
    wantsIDs: Bool, _ properties: ChangedProperties,
    _ body: (any StoreBatches, BatchTerms) throws -> BatchReceipt?
  ) throws -> BatchOutcome? {
    guard store.store.batches != nil, !store.isReadOnly else { return nil }
    // Rows that nobody has need not be named to be forgotten.
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
      // Nobody knows what is written.
      if error.code == .commitOutcomeUnknown { store.cache.removeAll() }
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
    // Who came while the request was carried out is told of records that nobody has listed.
    if receipt.changed == nil { changes.outdatedStores = [store.identity] }
    changes.updated = (receipt.updated ?? []).compactMap { store.objectID(forKey: $0) }
    changes.deleted = (receipt.deleted ?? []).compactMap { store.objectID(forKey: $0) }
    // Which relationships a deletion has cleared, nobody has asked.
    changes.properties = receipt.deleted == nil ? properties : nil
    for observer in observers { observer.coordinator(coordinator, didCommit: changes) }
  }
}

extension BatchReceipt {
  /// The records that the request is about; nil when they were not listed.
  fileprivate var changed: [Int64]? { deleted ?? updated }
}

extension AttachedStore {
  /// Takes a batch request into the cache.
  fileprivate func didCommit(_ receipt: BatchReceipt) {
    if receipt.changed != nil {
      cache.forget((receipt.updated ?? []) + (receipt.deleted ?? []))
    } else {
      // What has come into the cache since it was looked at.
      cache.removeAll()
    }
    noteCommit()
    watch?.catchUp(self)
  }
}
