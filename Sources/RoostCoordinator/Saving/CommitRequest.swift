// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostModel
package import RoostStore

/// Everything that one save writes, to however many stores: rows and permanent IDs, no objects.
///
/// An object: it has much in it, and goes from hand to hand.
package final class CommitRequest {
  /// New records.
  @exclusivity(unchecked) package var inserted = InsertedRecords()
  /// Changed records.
  @exclusivity(unchecked) package var updated = UpdatedRecords()
  /// Removed records.
  @exclusivity(unchecked) package var deleted: [RecordVersion] = []
  /// Records that must be unchanged, and whose version grows all the same (B174).
  @exclusivity(unchecked) package var locked: [RecordVersion] = []
  /// Changed links.
  @exclusivity(unchecked) package var links: [LinkRecord] = []
  /// Relationships of changed records that lead elsewhere without any row saying so; only where a history is kept.
  @exclusivity(unchecked) package var relationships: [RelationshipChange] = []
  /// The transactions that are taken back, by the UUIDs of their stores; only where a history keeps values.
  @exclusivity(unchecked) package var reverted: [String: [Int64]] = [:]
  /// The undo group that is open; only where a history keeps values it is noted.
  @exclusivity(unchecked) package var undoGroup: UUID?
  /// What is written to the metadata of stores with this save, by the UUIDs of the stores.
  @exclusivity(unchecked) package var userValues: [String: UserValueChanges] = [:]
  /// Who writes.
  @exclusivity(unchecked) package var origin: StoreChangeSet.Origin
  /// Who need not be told of it.
  @exclusivity(unchecked) package var sender: ObjectIdentifier?
  /// How the stores name the records of others that the rows lead to.
  @exclusivity(unchecked) private var foreign = ForeignKeys()
  /// Relationships that cannot be written, found while the rows were made.
  @exclusivity(unchecked) private(set) var violations: [PersistenceError] = []

  package init(
    origin: StoreChangeSet.Origin = StoreChangeSet.Origin(), sender: ObjectIdentifier? = nil
  ) {
    self.origin = origin
    self.sender = sender
  }

  /// Says which records are written: all of each kind.
  package func write(
    _ inserted: InsertedRecords, updated: UpdatedRecords, deleted: [RecordVersion]
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// Announces that a record is to name one of another store, so that ``key(of:from:along:)`` can say how.
  package func refer(to destination: ObjectID, from source: ObjectID) {
    foreign.announce(destination.current, to: source.current)
  }

  /// Lets the stores number the records of others that were announced: one transaction a store that has new ones.
  ///
  /// - Throws: `storeRemoved` when the store of a source is not attached, or what a store throws.
  package func settleReferences(in coordinator: PersistentStoreCoordinator) throws {
    try foreign.settle(in: coordinator.route())
  }

  /// Returns the key to write into a to-one slot. A relationship that crosses stores and may not is remembered, and
  /// refused with all others of its kind when the request is committed (B73).
  package func key(
    of destination: ObjectID, from source: ObjectID, along relationship: RelationshipDescription
  ) -> Int64 {
    let destination = destination.current
    // Another relationship may lead to the same record, and may cross.
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

/// Values by their names in a store's metadata; nil for one that is taken away.
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

/// A record in a version.
package struct RecordVersion: Sendable, Hashable {
  package var id: ObjectID
  package var version: Int64

  package init(id: ObjectID, version: Int64) {
    self.id = id
    self.version = version
  }
}

/// The relationships of a record that have other destinations.
package struct RelationshipChange: Sendable {
  package var id: ObjectID
  package var names: [String]

  package init(id: ObjectID, names: [String]) {
    self.id = id
    self.names = names
  }
}

/// A changed link, from the owner's side to the other.
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
  /// The link as it is stored: it lies in the store of its source. One of a relationship that is its own inverse can be
  /// seen from either end, and lies in the store whose UUID comes first.
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
