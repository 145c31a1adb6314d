// SPDX-License-Identifier: Apache-2.0

extension StoreMetadata {
  /// These metadata as they are to be written over what is stored: what other programs have added to that stays, and so
  /// do what is left of a migration, moves of records, identifiers of versions, limits of the history, and saves that
  /// were ended by hand.
  ///
  /// - Parameters:
  ///   - stored: What is stored now, read in the transaction that writes.
  ///   - known: The metadata that the program knew, from which it made these.
  package func keepingOthers(in stored: Self, since known: Self) -> Self {
    var result = self
    result.userValues = stored.userValues.applying(
      changesTo: userValues, since: known.userValues)
    result.deferredSteps = stored.deferredSteps
    if successor == known.successor { result.successor = stored.successor }
    if historyRetention == known.historyRetention {
      result.historyRetention = stored.historyRetention
    }
    let moves = (stored.predecessors ?? []).applying(
      changesTo: predecessors ?? [], since: known.predecessors ?? [])
    result.predecessors = moves.isEmpty ? nil : moves
    let ended = stored.savesEndedByHand.applying(
      changesTo: savesEndedByHand, since: known.savesEndedByHand)
    result.endedSaves = ended.isEmpty ? nil : ended
    result.versionIdentifiers = stored.versionIdentifiers.applying(
      changesTo: versionIdentifiers, since: known.versionIdentifiers
    ).sorted()
    return result
  }

  /// These metadata as an opening writes them over what is stored: as ``keepingOthers(in:since:)``, and with the
  /// history that another program has begun since.
  ///
  /// - Parameters:
  ///   - stored: What is stored now, read in the transaction that writes.
  ///   - known: What was stored when the store was opened, from which these were made.
  package func preparing(over stored: Self, since known: Self) -> Self {
    var result = keepingOthers(in: stored, since: known)
    result.goOnWithHistory(of: stored)
    return result
  }
}

extension StoreChangeSet {
  /// Returns the metadata of the change set as they are to be written over others; nil without metadata.
  ///
  /// - Parameters:
  ///   - stored: The metadata over which they are written: the stored ones, or those that a program knows.
  ///   - known: What the writing store knows, for a change set that does not tell from what its metadata were made.
  package func metadata(over stored: StoreMetadata, known: StoreMetadata) -> StoreMetadata? {
    metadata?.keepingOthers(in: stored, since: earlierMetadata ?? known)
  }

  /// Returns the metadata that a store knows after the change set was written; nil when these stay. Values that other
  /// programs have stored meanwhile are not known.
  ///
  /// - Parameter known: The metadata that the store knew before.
  package func metadata(after known: StoreMetadata) -> StoreMetadata? {
    metadata(over: known, known: known)
  }

  /// Returns the change set with the metadata from which its own were made, so that another process can write
  /// it.
  ///
  /// - Parameter known: What the store knows.
  package func basedOn(_ known: @autoclosure () -> StoreMetadata) -> StoreChangeSet {
    guard hasMetadata, earlierMetadata == nil else { return self }
    var changes = self
    changes.earlierMetadata = known()
    return changes
  }
}

extension StoreMetadata {
  /// Whether these metadata are the known ones, but for what programs have added since: a store of the same version,
  /// with the same left of a migration; limits of the history, and saves that were ended by hand, may differ.
  package func isSame(as known: Self) -> Bool {
    var own = self
    own.userValues = known.userValues
    own.endedSaves = known.endedSaves
    own.historyRetention = known.historyRetention
    return own == known
  }

  /// Whether a change that was planned from other metadata can be made to the store: it is of the same version, and
  /// all that has happened since is that programs have added values, or have built indexes that were left for later.
  package func isSource(of change: SchemaChange) -> Bool {
    let known = change.metadata
    guard deferredIndexes.isSubset(of: known.deferredIndexes) else { return false }
    return withoutDeferredIndexes.isSame(as: known.withoutDeferredIndexes)
  }

  private var withoutDeferredIndexes: Self {
    var result = self
    result.setDeferredSteps((deferredSteps ?? []).filter { $0.kind != .index })
    return result
  }
}

extension [String: MetadataValue] {
  /// These values with the changes between two other states: a value that differs, or that only one of them has, is as
  /// in the later one. All else stays.
  ///
  /// - Parameters:
  ///   - later: The values as they are wanted.
  ///   - earlier: The values from which they were made.
  package func applying(changesTo later: Self, since earlier: Self) -> Self {
    var result = self
    for (key, value) in later where earlier[key] != value { result[key] = value }
    for key in earlier.keys where later[key] == nil { result[key] = nil }
    return result
  }
}

extension Array where Element: Equatable {
  /// These elements with the changes between two other states: what only the later one has is added at the end, and
  /// what only the earlier one has is removed. All else stays.
  ///
  /// - Parameters:
  ///   - later: The elements as they are wanted.
  ///   - earlier: The elements from which they were made.
  fileprivate func applying(changesTo later: Self, since earlier: Self) -> Self {
    let kept = filter { !earlier.contains($0) || later.contains($0) }
    return kept + later.filter { !earlier.contains($0) && !kept.contains($0) }
  }
}
