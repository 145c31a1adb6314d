// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostModel
package import RoostStore

/// The contents of one save, for any number of stores: rows and permanent IDs, without objects.
///
/// It is a class, since it is large and passed around often.
package final class CommitRequest {
  /// The inserted records.
  @exclusivity(unchecked) package var inserted = InsertedRecords()
  /// The updated records.
  @exclusivity(unchecked) package var updated = UpdatedRecords()
  /// The deleted records.
  @exclusivity(unchecked) package var deleted: [RecordVersion] = []
  /// Records that must be unchanged, and whose versions are incremented nevertheless (B174).
  @exclusivity(unchecked) package var locked: [RecordVersion] = []
  /// The changed links.
  @exclusivity(unchecked) package var links: [LinkRecord] = []
  /// Changed relationships of updated records whose rows do not change; only where a history is kept.
  @exclusivity(unchecked) package var relationships: [RelationshipChange] = []
  /// The transactions that the save reverts, by the UUIDs of their stores; only where a history keeps previous
  /// values.
  @exclusivity(unchecked) package var reverted: [String: [Int64]] = [:]
  /// The current undo group; recorded only where a history keeps previous values.
  @exclusivity(unchecked) package var undoGroup: UUID?
  /// Metadata values to write with this save, by the UUIDs of the stores.
  @exclusivity(unchecked) package var userValues: [String: UserValueChanges] = [:]
  /// The origin of the save, for the history.
  @exclusivity(unchecked) package var origin: StoreChangeSet.Origin
  /// The context that saves, which need not be informed of its own save.
  @exclusivity(unchecked) package var sender: ObjectIdentifier?
  /// The foreign keys of records in other stores that the rows refer to.
  @exclusivity(unchecked) private var foreign = ForeignKeys()
  /// Relationships that cannot be written, collected while the rows are made.
  @exclusivity(unchecked) private(set) var violations: [PersistenceError] = []

  package init(
    origin: StoreChangeSet.Origin = StoreChangeSet.Origin(), sender: ObjectIdentifier? = nil
  ) {
    self.origin = origin
    self.sender = sender
  }

  /// Sets the records to write, all of each kind.
  package func write(
    _ inserted: InsertedRecords, updated: UpdatedRecords, deleted: [RecordVersion]
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// Announces a reference to a record of another store, so that ``key(of:from:along:)`` can return its foreign key.
  package func refer(to destination: ObjectID, from source: ObjectID) {
    foreign.announce(destination.current, to: source.current)
  }

  /// Assigns foreign numbers to the announced records: one transaction for each store with new ones.
  ///
  /// - Throws: `storeRemoved` when the store of a source is not attached, or the error of a store.
  package func settleReferences(in coordinator: PersistentStoreCoordinator) throws {
    try foreign.settle(in: coordinator.route())
  }

  /// The numbers of records of other stores to which the rows refer.
  var foreignNumbers: [String: Set<Int64>] { foreign.numbers }

  /// The UUIDs of the stores to whose records the rows of a store refer.
  func storesReferred(by identifier: String) -> Set<String> {
    foreign.storesReferred(by: identifier)
  }

  /// Returns the key to write into a to-one slot. A relationship that illegally crosses stores is recorded, and
  /// refused with all others when the request is committed (B73).
  package func key(
    of destination: ObjectID, from source: ObjectID, along relationship: RelationshipDescription
  ) -> Int64 {
    let destination = destination.current
    // Another relationship, which may cross stores, may have announced the same record.
    if relationship.leadsAcrossStores,
      let key = foreign.key(of: destination, from: source.current)
    {
      return key
    }
    check(source: source, destination: destination, relationship: relationship)
    return destination.key
  }

  private func check(
    source: ObjectID, destination: ObjectID, relationship: RelationshipDescription
  ) {
    if source.isInSameStore(as: destination) { return }
    violations.append(
      CommitRequest.violation(source: source, destination: destination, relationship: relationship)
    )
  }

  static func violation(
    source: ObjectID, destination: ObjectID, relationship: RelationshipDescription
  ) -> PersistenceError {
    let isUnsaved = destination.isTemporaryID || source.isTemporaryID
    return PersistenceError(
      .externalRelationship,
      isUnsaved
        ? "The relationship leads to an object that is not saved with it."
        : "The relationship leads to an object in another store, which it has to allow: "
          + "@Relationship(.crossesStores).",
      entityName: source.entity.name, key: relationship.name, objectIDs: [source, destination],
      store: source.storeIdentity?.identifier)
  }
}

/// Metadata values by name; nil removes a value.
package typealias UserValueChanges = [String: MetadataValue?]

/// A new record: its row has the permanent key and version 1.
package struct InsertedRecord: Sendable {
  package var id: ObjectID
  package var row: Row

  package init(id: ObjectID, row: Row) {
    self.id = id
    self.row = row
  }
}

/// A record and its version.
package struct RecordVersion: Sendable, Hashable {
  package var id: ObjectID
  package var version: Int64

  package init(id: ObjectID, version: Int64) {
    self.id = id
    self.version = version
  }
}

/// The names of a record's relationships that have other destinations.
package struct RelationshipChange: Sendable {
  package var id: ObjectID
  package var names: [String]

  package init(id: ObjectID, names: [String]) {
    self.id = id
    self.names = names
  }
}

/// A changed link, from the owner of the relationship to the other end.
package struct LinkRecord: Sendable {
  package var table: LinkTable
  package var source: ObjectID
  package var destination: ObjectID
  package var kind: LinkChange.Kind

  package init(
    table: LinkTable, source: ObjectID, destination: ObjectID, kind: LinkChange.Kind
  ) {
    self.table = table
    self.source = source
    self.destination = destination
    self.kind = kind
  }
}

extension LinkRecord {
  /// The link as stored, in the store of its source. A link of a symmetric relationship can be seen from either end,
  /// and is stored in the store with the smaller UUID.
  var normalized: LinkRecord {
    var link = self
    (link.source, link.destination) = (source.current, destination.current)
    guard table.isSymmetric, let here = link.source.storeIdentity?.identifier,
      let there = link.destination.storeIdentity?.identifier, there < here
    else { return link }
    (link.source, link.destination) = (link.destination, link.source)
    if case .link(let position, let inverse) = kind {
      link.kind = .link(position: inverse, inversePosition: position)
    }
    return link
  }
}

extension ObjectID {
  /// Whether both IDs are permanent and name records of one store.
  func isInSameStore(as other: ObjectID) -> Bool {
    guard let mine = storeIdentity, let theirs = other.storeIdentity else { return false }
    return mine === theirs || mine.identifier == theirs.identifier
  }
}
