// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

/// What an event, a merge or a save did to the records that a context sees: for those who keep results up to date.
struct GraphChange {
  /// What became of a record.
  enum Kind: UInt8 {
    case inserted, updated, deleted
    /// It was inserted before and is saved now: its key, which is the last thing that results are ordered by, is
    /// another one.
    case saved
    /// What was changed of it before is saved now.
    case written
  }

  /// One record.
  struct Record {
    let id: ObjectID
    /// Its object; nil where none is registered.
    let object: ManagedObject?
    let kind: Kind
    /// The properties of an updated record that changed; nil when that is not known.
    let properties: Set<String>?
  }

  /// What became of the records of one concrete entity.
  struct EntityChange {
    let entity: EntityDescription
    var records: [Record] = []
    /// The properties that changed of updated records; nil when it is not known of one of them.
    var properties: Set<String>? = []
    /// Whether records came or went.
    var hasOthers = false
    /// Whether something was saved that was changed before.
    var isSaved = false
  }

  private(set) var entities: [ObjectIdentifier: EntityChange] = [:]
  /// Whether nobody knows what was written: results are fetched anew.
  var isUnknown = false

  /// The token of the stores' histories after it, where it is known; nil for what is not saved.
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

  /// Adds what happened afterwards.
  mutating func add(_ other: GraphChange) {
    for change in other.entities.values {
      for record in change.records { add(record) }
    }
    isUnknown = isUnknown || other.isUnknown
    token = token.replaced(by: other.token)
  }

  /// Puts together what a merge brought and the event that it was for the context: each record once.
  ///
  /// A record that is gone is nothing else; of one that was updated the merge knows what changed.
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
  /// What became of a record of which two things are told.
  fileprivate func together(with other: GraphChange.Record) -> GraphChange.Record {
    let kinds = [kind, other.kind]
    let kind = kinds.first { $0 == .deleted } ?? kinds.first { $0 == .inserted } ?? kind
    return GraphChange.Record(
      id: id, object: other.object ?? object, kind: kind, properties: properties)
  }
}

/// Keeps results up to date, and is told for that what happens to the records that a context sees.
protocol GraphFollower: AnyObject {
  /// An event ended; nothing was told of it yet.
  func eventDidEnd(_ change: GraphChange)
  /// The context begins to merge what others have saved: what is told until the merge ends belongs to it.
  func mergeWillBegin()
  /// The context has merged what others have saved.
  func mergeDidEnd(_ change: GraphChange)
  /// The context was saved.
  func didSave(_ change: GraphChange)
  /// All objects of the context, or of a store, became useless.
  func objectsWereInvalidated()
  /// Changes were processed, whether or not there were any.
  func changesWereProcessed()
}

extension GraphChange {
  /// What an event did.
  ///
  /// - Parameters:
  ///   - log: The event, which has ended just now: what it changed is read off the objects.
  ///   - lists: The objects of the event by what became of them.
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

/// The names of the properties that an event changed; objects that were changed alike share them.
private struct ChangedNames {
  private struct Shape: Hashable {
    var entity: ObjectIdentifier
    var slots: [Int]
    var links: [Int]
  }

  private var known: [Shape: Set<String>] = [:]

  /// The names; nil when the event does not say what it changed, as for one that takes changes back.
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
