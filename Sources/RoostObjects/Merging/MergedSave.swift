// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel

/// The records written by other contexts, by ID: one save, or several that are merged together.
struct MergedSave {
  var inserted: [ObjectID] = []
  var updated: [ObjectID] = []
  var deleted: [ObjectID] = []
  /// The owners of changed links, whose records did not change.
  var linked: [ObjectID] = []
  /// Objects that may be out of date, because the records written in their stores are unknown.
  var doubtful: [ObjectID] = []
  /// The changed properties of updated records; nil when they are unknown.
  private(set) var properties: ChangedProperties? = ChangedProperties()
  /// The stores in which the written records are unknown.
  private(set) var outdatedStores: [StoreIdentity] = []
  /// The rows included with the save: those of a parent, as of its last save.
  private(set) var rows: [ObjectID: Row] = [:]

  /// The history token after the save, if known.
  var token: PersistentHistoryToken?

  init() {}

  /// Adds a commit.
  mutating func add(_ changes: CommittedChanges) {
    inserted += changes.inserted
    updated += changes.updated
    deleted += changes.deleted
    linked += changes.linked
    rows.merge(changes.rows) { $1 }
    token = token.replaced(by: changes.token)
    outdatedStores += changes.outdatedStores
    guard !changes.updated.isEmpty else { return }
    if let more = changes.properties { properties?.add(more) } else { properties = nil }
  }

  /// Whether a save inserts records again that earlier saves removed. It must be merged separately, since within one
  /// merge a removed record stays removed.
  func isFollowed(byRebirthIn changes: CommittedChanges) -> Bool {
    guard !deleted.isEmpty, !changes.inserted.isEmpty else { return false }
    return !Set(deleted).isDisjoint(with: changes.inserted)
  }

  init(_ changes: ManagedObjectContext.ObjectIDChanges) {
    properties = nil
    inserted = Array(changes.insertedObjectIDs)
    updated = Array(changes.updatedObjectIDs.union(changes.refreshedObjectIDs))
    deleted = Array(changes.deletedObjectIDs.union(changes.invalidatedObjectIDs))
  }

  /// Reads the user info of a notification, or a similar dictionary: objects, IDs or URIs in sets or arrays (B217).
  init(_ userInfo: [AnyHashable: Any], in coordinator: PersistentStoreCoordinator?) {
    func ids(_ keys: ManagedObjectContext.NotificationKey...) -> [ObjectID] {
      keys.flatMap { key in
        MergedSave.elements(of: userInfo[key.rawValue]).compactMap { element -> ObjectID? in
          switch element {
          case let id as ObjectID: id
          case let object as ManagedObject: object.identity
          case let url as URL: coordinator?.managedObjectID(forURIRepresentation: url)
          default: nil
          }
        }
      }
    }
    properties = nil
    inserted = ids(.insertedObjects, .insertedObjectIDs)
    updated = ids(
      .updatedObjects, .updatedObjectIDs, .refreshedObjects, .refreshedObjectIDs)
    deleted = ids(.deletedObjects, .deletedObjectIDs)
  }

  private static func elements(of value: Any?) -> [Any] {
    switch value {
    case let set as Set<ManagedObject>: Array(set)
    case let set as Set<ObjectID>: Array(set)
    case let set as Set<URL>: Array(set)
    case let list as [Any]: list
    default: []
    }
  }

  /// Whether the records written in a store are unknown.
  var isUnknown: Bool { !outdatedStores.isEmpty }

  /// All records of the save.
  var all: [ObjectID] { inserted + updated + deleted + linked + doubtful }
}
