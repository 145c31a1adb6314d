// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What an object was to its context when an event first touched it.
enum EventOrigin: UInt8 {
  /// Not in the context.
  case absent
  /// As its record.
  case clean
  case inserted
  case updated
  case deleted

  /// What an object that is in a context is now.
  init(of object: ManagedObject) {
    if object.flags.contains(.deleted) {
      self = .deleted
    } else if object.flags.contains(.inserted) {
      self = .inserted
    } else {
      self = object.flags.contains(.updated) ? .updated : .clean
    }
  }

  /// Whether the object was there for the program.
  var isLive: Bool { self != .absent && self != .deleted }
}

/// The destinations of a relationship before an event changed them.
enum EarlierDestinations {
  case one(ManagedObject?)
  case many(ContiguousArray<ManagedObject>)
  /// Those of the record are not known; these were added to them and removed from them.
  case pending(added: [ManagedObject], removed: Set<ObjectIdentifier>)
}

/// The properties that an event changed of an object, and their values before.
struct EventProperties {
  var slots = PropertyMask()
  var links = PropertyMask()
  /// The attributes before the event; nil when no attribute was changed.
  var earlier: Row?
  /// Destinations before the event, by ordinal, of an object that had changes before; of others the record has them.
  var destinations: [Int: EarlierDestinations] = [:]
  /// Whether the object came with the event.
  var isNew = false
}

extension EventProperties {
  /// All changes of an object that had none before the event.
  init(of object: ManagedObject, isNew: Bool) {
    slots = object.changedSlots
    links = object.changedLinks
    earlier = isNew ? object.binding.defaults : object.snapshot ?? object.binding.defaults
    self.isNew = isNew
  }
}

/// What happened in a context since the last event ended: whom it touched, and what they were before.
struct EventLog {
  /// Those that were touched, in the order of the first touch, and what each of them was before.
  private(set) var touched: ContiguousArray<(object: ManagedObject, origin: EventOrigin)> = []
  /// Those whose values were read anew.
  var refreshed: ContiguousArray<ManagedObject> = []
  /// What was changed of objects that had changes before; for the others their own masks say it.
  private var properties: [ObjectIdentifier: EventProperties] = [:]
  /// Where each object stands; built on first use.
  private var places: [ObjectIdentifier: Int]?

  var isEmpty: Bool { touched.isEmpty && refreshed.isEmpty }

  @inline(__always) mutating func append(_ object: ManagedObject, _ origin: EventOrigin) {
    touched.append((object, origin))
  }

  /// Forgets what happened; the memory of a short list is kept for the next event.
  mutating func removeAll() {
    touched.removeAll(keepingCapacity: touched.capacity <= 64)
    if !refreshed.isEmpty { refreshed = [] }
    if !properties.isEmpty { properties = [:] }
    places = nil
  }

  /// Notes that an attribute is going to be changed.
  mutating func note(slot: Int, of object: ManagedObject) {
    let key = ObjectIdentifier(object)
    if properties[key]?.earlier == nil {
      properties[key, default: EventProperties()].earlier = object.row?.copy()
    }
    properties[key]?.slots.insert(slot)
  }

  /// Keeps the destinations of a relationship, which is going to be changed, of an object that had changes before.
  mutating func keep(
    link ordinal: Int, of object: ManagedObject, _ destinations: () -> EarlierDestinations
  ) {
    let key = ObjectIdentifier(object)
    guard properties[key]?.destinations[ordinal] == nil else { return }
    properties[key, default: EventProperties()].destinations[ordinal] = destinations()
  }

  mutating func note(link: Int, of object: ManagedObject) {
    properties[ObjectIdentifier(object), default: EventProperties()].links.insert(link)
  }

  /// What the event that is going on changed of an object; nil when it did not touch it.
  func currentProperties(of object: ManagedObject) -> EventProperties? {
    guard object.flags.contains(.inEvent) else { return nil }
    if object.flags.contains(.hasEarlierChanges) { return properties[ObjectIdentifier(object)] }
    return EventProperties(of: object, isNew: object.flags.contains(.inserted))
  }

  /// What the event, which is over, changed of an object; nil when it did not touch it.
  mutating func pastProperties(of object: ManagedObject) -> EventProperties? {
    let known = places ?? makePlaces()
    places = known
    guard let place = known[ObjectIdentifier(object)] else { return nil }
    switch touched[place].origin {
    case .inserted, .updated: return properties[ObjectIdentifier(object)]
    case .absent: return EventProperties(of: object, isNew: true)
    default: return EventProperties(of: object, isNew: false)
    }
  }

  private func makePlaces() -> [ObjectIdentifier: Int] {
    var result = [ObjectIdentifier: Int](minimumCapacity: touched.count)
    for place in touched.indices { result[ObjectIdentifier(touched[place].object)] = place }
    return result
  }

  /// Sorts the objects into what they are now, compared with what they were (B99).
  func lists() -> ObjectLists {
    var lists = ObjectLists()
    let reread = Set(refreshed.lazy.map(ObjectIdentifier.init))
    for (object, origin) in touched {
      let isLive = object.context != nil && !object.isLeaving
      switch (origin.isLive, isLive) {
      case (false, true): lists.inserted.append(object)
      case (true, false): lists.deleted.append(object)
      case (true, true):
        if reread.isEmpty || object.hasChanges || !reread.contains(ObjectIdentifier(object)) {
          lists.updated.append(object)
        }
      case (false, false): break
      }
    }
    guard !refreshed.isEmpty else { return lists }
    let known = Set(
      [lists.inserted, lists.updated, lists.deleted].joined().lazy.map(ObjectIdentifier.init))
    lists.refreshed = refreshed.filter {
      $0.context != nil && !known.contains(ObjectIdentifier($0))
    }
    return lists
  }
}
