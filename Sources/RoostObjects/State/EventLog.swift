// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The state of an object in its context when an event first touched it.
enum EventOrigin: UInt8 {
  /// Not in the context.
  case absent
  /// Unchanged since its record was read or saved.
  case clean
  case inserted
  case updated
  case deleted

  /// The current state of an object that is in a context.
  init(of object: ManagedObject) {
    if object.flags.contains(.deleted) {
      self = .deleted
    } else if object.flags.contains(.inserted) {
      self = .inserted
    } else {
      self = object.flags.contains(.updated) ? .updated : .clean
    }
  }

  /// Whether the object existed for the program.
  var isLive: Bool { self != .absent && self != .deleted }
}

/// The destinations of a relationship before an event changed them.
enum EarlierDestinations {
  case one(ManagedObject?)
  case many(ContiguousArray<ManagedObject>)
  /// The destinations in the record are not loaded; additions and removals relative to them.
  case pending(added: [ManagedObject], removed: Set<ObjectIdentifier>)
}

/// The properties of an object that an event changed, and their earlier values.
struct EventProperties {
  var slots = PropertyMask()
  var links = PropertyMask()
  /// The attributes before the event; nil when no attribute was changed.
  var earlier: Row?
  /// Destinations before the event, by ordinal, for an object with earlier changes; for others they are in the
  /// record.
  var destinations: [Int: EarlierDestinations] = [:]
  /// Whether the event inserted the object.
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

/// A log of the current event: the objects it touched, and their earlier state.
struct EventLog {
  /// The touched objects with their earlier state, in the order of the first touch.
  private(set) var touched: ContiguousArray<(object: ManagedObject, origin: EventOrigin)> = []
  /// The objects whose values were read again.
  var refreshed: ContiguousArray<ManagedObject> = []
  /// The event's changes of objects that had earlier changes; for the others the objects' masks are enough.
  private var properties: [ObjectIdentifier: EventProperties] = [:]
  /// The index of each object in `touched`; built on first use.
  private var places: [ObjectIdentifier: Int]?

  var isEmpty: Bool { touched.isEmpty && refreshed.isEmpty }

  @inline(__always) mutating func append(_ object: ManagedObject, _ origin: EventOrigin) {
    touched.append((object, origin))
  }

  /// Empties the log, keeping the memory of a short list for the next event.
  mutating func removeAll() {
    touched.removeAll(keepingCapacity: touched.capacity <= 64)
    if !refreshed.isEmpty { refreshed = [] }
    if !properties.isEmpty { properties = [:] }
    places = nil
  }

  /// Removes objects, and returns them.
  mutating func withdraw(_ objects: Set<ObjectIdentifier>) -> [ManagedObject] {
    var withdrawn: [ManagedObject] = []
    touched.removeAll { entry in
      guard objects.contains(ObjectIdentifier(entry.object)) else { return false }
      withdrawn.append(entry.object)
      return true
    }
    for object in objects { properties[object] = nil }
    places = nil
    return withdrawn
  }

  /// Records that an attribute is about to change.
  mutating func note(slot: Int, of object: ManagedObject) {
    let key = ObjectIdentifier(object)
    if properties[key]?.earlier == nil {
      properties[key, default: EventProperties()].earlier = object.row?.copy()
    }
    properties[key]?.slots.insert(slot)
  }

  /// Keeps the destinations of a relationship that is about to change, for an object with earlier changes.
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

  /// Returns the current event's changes of an object; nil when the event did not touch it.
  func currentProperties(of object: ManagedObject) -> EventProperties? {
    guard object.flags.contains(.inEvent) else { return nil }
    if object.flags.contains(.hasEarlierChanges) { return properties[ObjectIdentifier(object)] }
    return EventProperties(of: object, isNew: object.flags.contains(.inserted))
  }

  /// Returns the ended event's changes of an object; nil when the event did not touch it.
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

  /// Sorts the objects by their current state relative to their earlier one (B99).
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
