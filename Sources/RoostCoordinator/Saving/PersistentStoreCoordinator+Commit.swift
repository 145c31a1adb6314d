// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

// The steps of a commit: split the save by store, commit each part and update its cache, then inform the observers.
extension PersistentStoreCoordinator {
  /// Writes all changes of one save; each store writes its part whole or not at all (B169).
  ///
  /// A request without changes writes pending metadata (B323).
  ///
  /// - Returns: A summary, or the conflicts that prevented the commit.
  /// - Throws: `externalRelationship` (B73), `readOnlyStore` (B236), `storeRemoved`, or the error of a store; nothing
  ///   was written then. With `commitOutcomeUnknown` it is unknown whether the named store has written.
  /// - Complexity: One transaction for each store; with several stores, one more round trip for each with updated or
  ///   deleted records.
  package func commit(_ request: CommitRequest) throws -> CommitResult {
    let list = route()
    var split = try ChangeSetSplit(request, stores: list)
    split.addPendingMetadata()
    do {
      return try commit(split.parts) { announce($0, from: request.sender) }
    } catch let error as PersistenceError where error.isOfRemovedForeignNumbers {
      for part in split.parts { part.store.foreign.forget() }
      throw error
    }
  }

  /// Commits a change set for each store, and then informs the observers.
  func commit(
    _ parts: [ChangeSetSplit.Part], announce: (CrossStoreCommit.Outcome) -> Void = { _ in }
  ) throws -> CommitResult {
    let number = remoteChanges.overlaps.begin(parts.compactMap(\.overlap))
    defer { if let number { remoteChanges.overlaps.end(number) } }
    let outcome = try CrossStoreCommit(coordinator: self, parts: parts).run()
    noteCommit()
    let summary = CommitSummary(outcome, parts: parts)
    announce(outcome)
    for (part, receipt) in outcome.committed where part.store.watch?.announces == true {
      remoteChanges.announce(part.store, of: self, at: receipt.position)
    }
    historyTicks.tick()
    for (part, _) in outcome.committed { HistoryTrimmer(part.store).noteCommit(self) }
    return try outcome.result(summary, of: parts)
  }

  /// Informs the observers which records were written.
  ///
  /// - Parameters:
  ///   - sender: The context that saved; nil for a batch request.
  ///   - isBatch: Whether it was a batch request.
  func announce(
    _ outcome: CrossStoreCommit.Outcome, from sender: ObjectIdentifier? = nil,
    isBatch: Bool = false
  ) {
    guard !outcome.committed.isEmpty else { return }
    let observers = [any CoordinatorObserver](hearingCommitsOf: self)
    guard !observers.isEmpty else { return }
    var changes = CommittedChanges()
    changes.sender = sender
    changes.isBatch = isBatch
    var properties = ChangedProperties()
    for (part, receipt) in outcome.committed {
      let store = part.store
      properties.add(part.changes)
      if !receipt.recomputed.isEmpty {
        for row in receipt.recomputed { properties.addDerived(of: row.layout.entity) }
        let written = Set(part.changes.writtenKeys)
        changes.updated += receipt.recomputed.filter { !written.contains($0.key) }
          .compactMap { store.objectID(forKey: $0.key) }
      }
      changes.inserted += part.changes.inserted.compactMap { store.objectID(forKey: $0.key) }
      changes.updated += part.changes.updated.compactMap { store.objectID(forKey: $0.row.key) }
      changes.deleted += part.changes.deleted.compactMap { store.objectID(forKey: $0.key) }
      for link in part.changes.links {
        changes.linked += [link.source, link.destination].compactMap {
          // Both ends were numbered for this commit.
          (try? store.destinationID(forKey: $0)) ?? nil
        }
      }
    }
    changes.properties = properties
    for observer in observers { observer.coordinator(self, didCommit: changes) }
  }
}

extension ChangeSetSplit.Part {
  /// The records to note while the part is committed; nil when nobody merges what others write to the store.
  fileprivate var overlap: OverlappingCommits.Part? {
    guard store.watch?.reader != nil else { return nil }
    return OverlappingCommits.Part(
      store: store.identity, keys: changes.inserted.map(\.key) + changes.deleted.map(\.key))
  }
}

extension CrossStoreCommit.Outcome {
  /// The token after the commit, for stores that report it with the commit.
  fileprivate var token: PersistentHistoryToken? {
    var positions: [String: StorePosition] = [:]
    for (part, receipt) in committed where receipt.position != nil {
      positions[part.store.identity.identifier] = receipt.position
    }
    return positions.isEmpty ? nil : PersistentHistoryToken(stores: positions)
  }

  /// Returns the result for the caller of the save.
  fileprivate func result(
    _ summary: CommitSummary, of parts: [ChangeSetSplit.Part]
  ) throws -> CommitResult {
    guard committed.isEmpty || summary.failedStores.isEmpty else {
      return .incomplete(
        summary, IncompleteSave(outcome: self, parts: parts, summary: summary).error)
    }
    if let (part, error) = failure {
      var error = error
      error.store = error.store ?? part.store.displayName
      throw error
    }
    return conflicts.isEmpty ? .committed(summary) : .conflicted(conflicts)
  }
}

extension CommitSummary {
  init(_ outcome: CrossStoreCommit.Outcome, parts: [ChangeSetSplit.Part]) {
    self.init()
    for (part, receipt) in outcome.committed {
      stores.append(part.store.identity)
      for row in receipt.recomputed {
        if let id = part.store.objectID(forKey: row.key) { recomputed.append((id, row)) }
      }
    }
    token = outcome.token
    failedStores = outcome.unwritten(of: parts).map(\.store.identity)
  }
}

extension AttachedStore {
  /// Updates the cache with a confirmed commit.
  ///
  /// - Parameter reading: A reading begun before the commit.
  func didCommit(_ changes: StoreChangeSet, _ receipt: CommitReceipt, of reading: CacheReading) {
    cache.commit(changes, recomputed: receipt.recomputed, of: reading)
    if changes.hasMetadata, let metadata = changes.metadata { metadataWasWritten(metadata) }
  }

  /// Updates the cache with the rows of conflicts: otherwise a refreshed object would get the outdated row again, and
  /// every further save would meet the same conflict.
  func learn(_ conflicts: [StoreConflict], of changes: StoreChangeSet, _ reading: CacheReading) {
    var written: Set<Int64>?
    for conflict in conflicts {
      switch conflict {
      case .version(let key, _, let current): cache.learn(current, ofKey: key, of: reading)
      case .uniqueness(_, _, _, let existing?):
        // A row that was sent with the same save is not in the store.
        let sent = written ?? Set(changes.writtenKeys)
        written = sent
        if !sent.contains(existing.key) {
          cache.learn(existing, ofKey: existing.key, of: reading)
        }
      case .uniqueness: break
      }
    }
  }

  /// Notes a commit with an unknown outcome: rows that it may have changed are dropped, and observers are told as soon
  /// as the store answers again.
  ///
  /// - Parameters:
  ///   - changes: The changes; nil when they are not known.
  ///   - save: The save over several stores that they belong to.
  func mayHaveWritten(_ changes: StoreChangeSet? = nil, of save: SaveID = SaveID()) {
    saves.add(.undecided, of: save)
    if let changes { forgetRows(writtenBy: changes) } else { cache.removeAll() }
  }

  /// Drops the rows that a commit with an unknown outcome may have changed.
  func forgetRows(writtenBy changes: StoreChangeSet) {
    // Derived values may have changed in records that the commit does not name.
    if schema.entities.contains(where: { $0.layout.hasDerivedSlots }) { return cache.removeAll() }
    cache.forget(changes.writtenKeys)
  }
}

extension StoreChangeSet {
  /// The records that the change set writes.
  var writtenKeys: [Int64] {
    inserted.map(\.key) + updated.map(\.row.key) + deleted.map(\.key) + locked.map(\.key)
  }

  /// The number of records in the change set.
  var recordCount: Int { inserted.count + updated.count + deleted.count + locked.count }
}
