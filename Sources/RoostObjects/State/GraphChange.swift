// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

/// Changes of an event, a merge or a save to the records visible in a context; the input of a ``GraphFollower``.
struct GraphChange {
  /// The kind of a record's change.
  enum Kind: UInt8 {
    case inserted, updated, deleted
    /// An inserted record was saved: its key, the final sort key of results, is a new one.
    case saved
    /// A changed record was saved.
    case written
  }

  /// One record.
  struct Record {
    let id: ObjectID
    /// The registered object; nil if there is none.
    let object: ManagedObject?
    let kind: Kind
    /// The changed properties of an updated record; nil when they are not known.
    let properties: Set<String>?
  }

  /// The changes of one concrete entity's records.
  struct EntityChange {
    let entity: EntityDescription
    var records: [Record] = []
    /// The changed properties of updated records; nil when they are not known for one of them.
    var properties: Set<String>? = []
    /// Whether records were inserted or deleted.
    var hasOthers = false
    /// Whether an earlier change was saved.
    var isSaved = false
  }

  private(set) var entities: [ObjectIdentifier: EntityChange] = [:]
  /// Whether the written records are unknown: results are fetched again.
  var isUnknown = false

  /// The history token after the change, if known; nil for unsaved changes.
  var token: PersistentHistoryToken?

  init() {}

  var isEmpty: Bool { entities.isEmpty && !isUnknown }

  mutating func add(_ record: Record) {
    let entity = record.id.entity
    var change =
      entities.removeValue(forKey: ObjectIdentifier(entity)) ?? EntityChange(entity: entity)
    change.records.append(record)
    switch record.kind {
    case .inserted, .deleted: change.hasOthers = true
    case .saved, .written: change.isSaved = true
    case .updated:
      if let properties = record.properties {
        change.properties?.formUnion(properties)
      } else {
        change.properties = nil
      }
    }
    entities[ObjectIdentifier(entity)] = change
  }

  /// Adds later changes.
  mutating func add(_ other: GraphChange) {
    for change in other.entities.values {
      for record in change.records { add(record) }
    }
    isUnknown = isUnknown || other.isUnknown
    token = token.replaced(by: other.token)
  }

  /// Combines the changes of a merge with those of the context's event for the same merge: each record once.
  ///
  /// A deletion wins over other kinds; for an updated record the merge knows the changed properties.
  init(event: GraphChange, merge: GraphChange) {
    isUnknown = event.isUnknown || merge.isUnknown
    token = event.token.replaced(by: merge.token)
    var records: [ObjectID: Record] = [:]
    var order: [ObjectID] = []
    for record in [merge, event].lazy.flatMap(\.entities.values).flatMap(\.records) {
      guard let known = records[record.id] else {
        records[record.id] = record
        order.append(record.id)
        continue
      }
      records[record.id] = known.together(with: record)
    }
    for id in order {
      if let record = records[id] { add(record) }
    }
  }
}

extension GraphChange.Record {
  /// Returns the combination of two changes of the same record.
  fileprivate func together(with other: GraphChange.Record) -> GraphChange.Record {
    let kinds = [kind, other.kind]
    let kind = kinds.first { $0 == .deleted } ?? kinds.first { $0 == .inserted } ?? kind
    return GraphChange.Record(
      id: id, object: other.object ?? object, kind: kind, properties: properties)
  }
}

/// Keeps results up to date with the changes of the records visible in a context.
protocol GraphFollower: AnyObject {
  /// An event ended; no notification was posted yet.
  func eventDidEnd(_ change: GraphChange)
  /// The context begins to merge other contexts' saves: all calls until the merge ends belong to it.
  func mergeWillBegin()
  /// The context has merged other contexts' saves.
  func mergeDidEnd(_ change: GraphChange)
  /// The context was saved.
  func didSave(_ change: GraphChange)
  /// All objects of the context, or of a store, were invalidated.
  func objectsWereInvalidated()
  /// Pending changes were processed, whether or not there were any.
  func changesWereProcessed()
}

extension GraphChange {
  /// Creates the changes of an event.
  ///
  /// - Parameters:
  ///   - log: The event, which has just ended: its changes are read from the objects.
  ///   - lists: The objects of the event, by kind of change.
  init(_ log: inout EventLog, _ lists: ObjectLists) {
    for object in lists.inserted { add(Record(object, .inserted)) }
    for object in lists.deleted { add(Record(object, .deleted)) }
    var names = ChangedNames()
    for object in lists.updated {
      add(Record(object, .updated, names.names(of: object, in: &log)))
    }
    for object in lists.refreshed { add(Record(object, .updated)) }
  }
}

extension GraphChange.Record {
  init(_ object: ManagedObject, _ kind: GraphChange.Kind, _ properties: Set<String>? = nil) {
    self.init(id: object.identity.current, object: object, kind: kind, properties: properties)
  }
}

/// The names of the properties changed by an event; objects with the same changed properties share one set.
private struct ChangedNames {
  private struct Shape: Hashable {
    var entity: ObjectIdentifier
    var slots: [Int]
    var links: [Int]
  }

  private var known: [Shape: Set<String>] = [:]

  /// Returns the names; nil when the event does not know its changes, as for one that undoes changes.
  mutating func names(of object: ManagedObject, in log: inout EventLog) -> Set<String>? {
    guard let properties = log.pastProperties(of: object), !properties.isNew,
      !(properties.slots.isEmpty && properties.links.isEmpty)
    else { return nil }
    let shape = Shape(
      entity: object.binding.identity, slots: properties.slots.indices,
      links: properties.links.indices)
    if let names = known[shape] { return names }
    var names = object.binding.layout.propertyNames(ofSlots: shape.slots)
    for ordinal in shape.links { names.insert(object.binding.relationships[ordinal].name) }
    known[shape] = names
    return names
  }
}
