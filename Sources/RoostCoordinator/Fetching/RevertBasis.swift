// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// The data needed to revert a transaction: the previous values, the current values, and what was changed since.
package struct RevertBasis {
  /// The records that the transaction changed.
  package var records: [Record] = []
  /// The many-to-many links that the transaction changed.
  package var links: [Link] = []
  /// The changes of later transactions.
  package var later: [(id: ObjectID, kind: StoreRecordChange.Kind)] = []

  init() {}

  /// Combines the data of transactions of different stores, which are reverted together.
  package init(of parts: [RevertBasis]) {
    records = parts.flatMap(\.records)
    links = parts.flatMap(\.links)
    later = parts.flatMap(\.later)
  }

  /// A record that the transaction changed.
  package struct Record {
    package var id: ObjectID
    package var kind: StoreRecordChange.Kind
    /// The previous values, in the slots that the transaction changed; in all slots for a deletion.
    package var previous: Row
    /// The indices of these slots, ascending.
    package var slots: [Int]
    /// The slots whose values have changed since the transaction; for an insertion, of all slots.
    package var changedSince: Set<Int>
    /// For an insertion, the to-many relationships that have gained destinations since.
    package var grownSince: [String] = []
    /// The current row; nil when the record does not exist.
    package var current: Row?
    /// For a deletion, the last version of the record; 0 for others.
    package var lastVersion: Int64 = 0
  }

  /// A link that the transaction changed.
  package struct Link {
    package var table: LinkTable
    package var source: ObjectID
    package var destination: ObjectID
    /// The state of the link before the transaction.
    package var previous: LinkChange.Kind
    /// Whether the link was added or removed since.
    package var isChangedSince: Bool
  }
}

extension CoordinatorHistory {
  /// Collects the data needed to revert a transaction.
  ///
  /// - Throws: `invalidRequest` for a transaction without its changes, `persistentStoreUnsupportedRequestType` when
  ///   the history recorded no previous values, `storeRemoved`, `persistentHistoryTokenExpired` when later
  ///   transactions are no longer kept, or a name in them has several meanings.
  /// - Complexity: One round trip for the later transactions, one for the records, and one or two for each affected
  ///   link table.
  package func basis(of transaction: PersistentHistoryTransaction) throws -> RevertBasis {
    guard let changes = transaction.changes else {
      throw PersistenceError(
        .invalidRequest, "A transaction is taken back with its changes: fetch it with them.")
    }
    let store = try attachedStore(transaction.storeID)
    guard transaction.previousLinks != nil || changes.allSatisfy({ $0.changeType == .insert })
    else {
      throw PersistenceError(
        .persistentStoreUnsupportedRequestType,
        "The history has no values from before the transaction; add the store with the option "
          + "historyLevel “values”.", store: store.displayName)
    }
    var after = PastChanges(store.schema, store.historyNames)
    var basis = RevertBasis()
    let position = transaction.token.stores[transaction.storeID]
    var lastVersions: [Int64: Int64] = [:]
    for later in try store.historyTransactions(after: position, limit: nil) {
      try after.add(later.content)
      basis.later += try later.content.changes().compactMap { change in
        if let version = change.lastVersion { lastVersions[change.key] = version }
        return store.objectID(forKey: change.key).map { ($0, change.kind) }
      }
    }
    let keys = changes.map(\.changedObjectID.key)
    var current: [Int64: Row] = [:]
    for row in try store.storedRows(forKeys: keys.sorted()) { current[row.key] = row }
    var slots = PreviousSlots(store.schema, store.historyNames)
    basis.records = try changes.map { change in
      try RevertBasis.Record(change, current[change.changedObjectID.key], after, &slots)
    }
    for index in basis.records.indices where basis.records[index].kind == .delete {
      // The record may have been inserted and deleted again since.
      let last = lastVersions[basis.records[index].id.key] ?? 0
      basis.records[index].lastVersion = max(basis.records[index].lastVersion, last)
    }
    let touched = Set(basis.later.map(\.id))
    for index in basis.records.indices
    where basis.records[index].kind == .insert && touched.contains(basis.records[index].id) {
      basis.records[index].grownSince = try grown(basis.records[index].id, in: store, after)
    }
    basis.links = try links(of: transaction, in: store, after, &slots)
    return basis
  }

  /// Returns the ID of the record that a reference slot of another record names; nil when the model does not have its
  /// entity, it is gone with all that refers to it, or the store of the other record is not attached.
  ///
  /// - Throws: The error of the store.
  package func destinationID(forKey key: Int64, from source: ObjectID) throws -> ObjectID? {
    let identifier = source.current.storeIdentity?.identifier
    guard let store = stores.first(where: { $0.identity.identifier == identifier }) else {
      return nil
    }
    return try store.formerDestinationID(forKey: key)
  }

  private func attachedStore(_ identifier: String) throws -> AttachedStore {
    guard let store = stores.first(where: { $0.identity.identifier == identifier }) else {
      throw PersistenceError(
        .storeRemoved, "The transaction's store is not attached to this coordinator.",
        store: identifier)
    }
    return store
  }

  /// Returns the to-many relationships of a record whose current destinations include some added by later
  /// transactions.
  private func grown(
    _ id: ObjectID, in store: AttachedStore, _ after: PastChanges
  ) throws -> [String] {
    try id.entity.relationshipsInOrder.filter(\.isToMany).filter { relationship in
      switch relationship.storage {
      case .toOne, .transient: return false
      case .links:
        let new = after.links(of: id.key, along: relationship).filter { !$1.isThere }
        guard !new.isEmpty else { return false }
        return try store.destinations(of: relationship, forSources: [id.key]).keys.contains {
          new[$0] != nil
        }
      case .inverseOfToOne(let slot, _):
        return try store.destinations(of: relationship, forSources: [id.key]).keys.contains {
          after.didLead($0, at: slot, to: id.key) == false
        }
      }
    }.map(\.name)
  }

  private func links(
    of transaction: PersistentHistoryTransaction, in store: AttachedStore, _ after: PastChanges,
    _ slots: inout PreviousSlots
  ) throws -> [RevertBasis.Link] {
    var byTable: [ObjectIdentifier: (table: LinkTable, links: [StorePreviousLink])] = [:]
    for link in transaction.previousLinks ?? [] {
      guard let table = try slots.table(of: link) else { continue }
      byTable[ObjectIdentifier(table), default: (table, [])].links.append(link)
    }
    var result: [RevertBasis.Link] = []
    for (table, links) in byTable.values.sorted(by: { $0.table.name < $1.table.name }) {
      let sources = Set(links.map(\.source)).sorted()
      let found = try store.destinations(of: table.relationship, forSources: sources)
      var current: [Int64: Set<Int64>] = [:]
      for (index, source) in sources.enumerated() { current[source] = Set(found[source: index]) }
      for link in links {
        guard let source = try store.destinationID(forKey: link.source),
          let destination = try store.destinationID(forKey: link.destination)
        else { continue }
        let isThere = current[link.source]?.contains(link.destination) ?? false
        let left = after.links(of: link.source, along: table.relationship)[link.destination]
        result.append(
          RevertBasis.Link(
            table: table, source: source, destination: destination, previous: link.state,
            isChangedSince: left.map { $0.isThere != isThere } ?? false))
      }
    }
    return result
  }
}

extension RevertBasis.Record {
  fileprivate init(
    _ change: PersistentHistoryChange, _ current: Row?, _ after: PastChanges,
    _ slots: inout PreviousSlots
  ) throws {
    id = change.changedObjectID
    kind = change.stored.kind
    lastVersion = change.stored.lastVersion ?? 0
    self.current = current
    let layout = id.entity.layout
    previous = id.entity.makeDefaultRow(key: id.key, version: 0)
    var known: Set<Int> = []
    for value in change.stored.previous ?? [] {
      // Values of properties that the model no longer has, or that now have another type, cannot be restored.
      guard let slot = try slots.slot(of: value, ofKey: id.key),
        PreviousSlots.set(value.value, at: slot, of: previous)
      else { continue }
      known.insert(slot.index)
    }
    self.slots = known.sorted()
    changedSince = []
    guard let current, let left = after.image(ofKey: id.key, over: current) else { return }
    let compared =
      kind == .insert
      ? layout.storedSlots.map(\.index).filter { !layout.contents[$0].isPosition } : self.slots
    changedSince = Set(
      compared.filter {
        !layout.contents[$0].isDerived && !current.equals(left, at: layout.slots[$0])
      })
  }
}

extension SlotContent {
  /// Whether the slot holds a derived attribute.
  package var isDerived: Bool {
    if case .attribute(let attribute, _) = self { return attribute is DerivedAttributeDescription }
    return false
  }

  fileprivate var isPosition: Bool {
    if case .position = self { return true }
    return false
  }
}
