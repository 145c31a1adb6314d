// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The changes of a child's save: values and IDs, no objects.
struct GraphChanges: Sendable {
  /// A new object.
  struct Insertion: Sendable {
    var id: ObjectID
    var row: Row
    /// The slots that were set.
    var slots: [RowSlot]
    /// The store to which the object was assigned.
    var store: StoreIdentity?
    /// The last version of a record that will be written again; nil for a new one.
    var lastVersion: Int64?
  }

  /// Attributes of an object.
  struct Update: Sendable {
    var id: ObjectID
    var row: Row
    var slots: [RowSlot]
  }

  /// The destination of a to-one relationship.
  struct Destination: Sendable {
    var id: ObjectID
    var name: String
    var destination: ObjectID?
  }

  /// The changes of a to-many relationship.
  struct Members: Sendable {
    var id: ObjectID
    var name: String
    var added: [ObjectID]
    var removed: [ObjectID]
    /// All destinations in order, if the relationship is ordered and loaded.
    var order: [ObjectID]?
  }

  var inserted: [Insertion] = []
  var updated: [Update] = []
  var destinations: [Destination] = []
  var members: [Members] = []
  var deleted: [ObjectID] = []

  /// Collects the changes of a context, and writes the current destinations into the rows of its objects: these rows
  /// are the committed state after the save.
  init(of context: ManagedObjectContext) {
    for case let object? in context.changes.entries {
      if object.flags.contains(.deleted) {
        if !object.flags.contains(.inaccessible) { deleted.append(object.identity) }
        continue
      }
      collectAttributes(of: object, in: context)
      collectRelationships(of: object)
      guard object.memory != nil else { continue }
      object.makeRowOwn()
      if let row = object.row { object.values.writeDestinations(into: row) }
    }
  }

  private mutating func collectAttributes(
    of object: ManagedObject, in context: ManagedObjectContext
  ) {
    guard let row = object.row else { return }
    let isInserted = object.flags.contains(.inserted)
    let base = isInserted ? object.binding.defaults : object.snapshot ?? object.binding.defaults
    let slots = object.binding.layout.slots.filter {
      $0.kind != .reference && $0.kind != .position && !row.equals(base, at: $0)
    }
    guard isInserted || !slots.isEmpty else { return }
    let copy = row.copy()
    guard isInserted else {
      updated.append(Update(id: object.identity, row: copy, slots: slots))
      return
    }
    for slot in object.binding.layout.slots where slot.kind == .reference { copy.setNull(slot) }
    inserted.append(
      Insertion(
        id: object.identity, row: copy, slots: slots,
        store: context.saving.assignments[ObjectIdentifier(object)],
        lastVersion: context.saving.reborn.lastVersion(of: object.identity)))
  }

  private mutating func collectRelationships(of object: ManagedObject) {
    guard !object.links.isEmpty else { return }
    for relationship in object.binding.relationships {
      switch object.links[relationship.ordinal] {
      case .unloaded: break
      case .toOne(let destination):
        guard
          object.flags.contains(.inserted)
            ? destination != nil : object.values.isDestinationChanged(relationship)
        else { continue }
        destinations.append(
          Destination(
            id: object.identity, name: relationship.name, destination: destination?.identity))
      case .toMany(let links) where links.hasChanges:
        members.append(
          Members(
            id: object.identity, name: relationship.name, added: links.added.map(\.identity),
            removed: links.removed.values.map(\.identity),
            order: relationship.isOrdered && links.isLoaded
              ? links.members.map(\.identity) : nil))
      default: break
      }
    }
  }
}

extension PropertyValues {
  /// Whether a save passes a to-one relationship to the parent. The earlier destination of a transient one is in no
  /// row.
  fileprivate func isDestinationChanged(_ relationship: RelationshipDescription) -> Bool {
    relationship.isTransient
      ? owner.changedLinks.contains(relationship.ordinal)
      : owner.restoring.hasChangedDestination(relationship)
  }
}
