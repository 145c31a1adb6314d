// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What an event did, as far as it takes to go back: rows as they were, which are shared where nothing was copied, and
/// the steps of relationships.
struct UndoRecord {
  /// The attributes of an object as they were.
  struct Values {
    let object: ManagedObject
    let row: Row
    /// The slots that the event changed.
    let slots: [RowSlot]
  }

  /// An object that went, and comes back.
  struct Departure {
    let object: ManagedObject
    /// The relationships that its deletion left standing, as far as they are known.
    let standing: [(relationship: RelationshipDescription, to: ContiguousArray<ManagedObject>)]
  }

  private(set) var departed: ContiguousArray<Departure> = []
  /// Objects that came, and go again.
  private(set) var arrived: ContiguousArray<ManagedObject> = []
  private(set) var values: ContiguousArray<Values> = []
  private(set) var steps: ContiguousArray<LinkStep> = []
  /// Objects that were as their records.
  private(set) var clean: ContiguousArray<ManagedObject> = []

  var isEmpty: Bool {
    departed.isEmpty && arrived.isEmpty && values.isEmpty && steps.isEmpty
  }

  /// Makes the record of an event that is over.
  ///
  /// - Parameters:
  ///   - rows: The rows of objects before the event wrote to them.
  ///   - steps: The steps of relationships, in order.
  init(
    of log: EventLog, rows: ContiguousArray<(object: ManagedObject, row: Row)>,
    steps: ContiguousArray<LinkStep>
  ) {
    var passing = Set<ObjectIdentifier>()
    for (object, origin) in log.touched {
      let isLive = object.context != nil && !object.isLeaving
      if origin == .clean { clean.append(object) }
      switch (origin.isLive, isLive) {
      case (true, false):
        // Nobody deleted an object whose record is gone.
        guard !object.flags.contains(.inaccessible) else { continue }
        departed.append(Departure(object: object, standing: object.restoring.standingLinks()))
      case (false, true): arrived.append(object)
      case (false, false) where origin == .absent: passing.insert(ObjectIdentifier(object))
      default: break
      }
    }
    for (object, row) in rows where !passing.contains(ObjectIdentifier(object)) {
      let slots = UndoRecord.changedSlots(of: object, since: row)
      if !slots.isEmpty { values.append(Values(object: object, row: row, slots: slots)) }
    }
    self.steps = passing.isEmpty ? steps : steps.filter { !$0.concerns(passing) }
  }

  /// The slots of attributes whose values are others by now; what saves keep in a row beside them does not count.
  private static func changedSlots(of object: ManagedObject, since old: Row) -> [RowSlot] {
    guard let row = object.row else { return [] }
    return object.binding.layout.slots.filter { slot in
      slot.kind != .reference && slot.kind != .position && !row.equals(old, at: slot)
    }
  }
}

extension UndoRecord {
  /// The objects that the event deleted.
  var departures: Set<ObjectIdentifier> { Set(departed.lazy.map { ObjectIdentifier($0.object) }) }

  /// Whether deletions of the event still stand.
  var hasDeletions: Bool { departed.contains { $0.object.isLeaving } }

  /// Adds steps that came later.
  mutating func add(steps later: ContiguousArray<LinkStep>) {
    steps += later
  }

  /// Adds what came later, with these of its steps.
  mutating func add(_ later: UndoRecord, steps laterSteps: ContiguousArray<LinkStep>) {
    departed += later.departed
    arrived += later.arrived
    // The earlier values are the ones to go back to, and are put back last.
    values = later.values + values
    steps += laterSteps
    clean += later.clean
  }
}

extension RelationshipDescription {
  /// Whether a deletion of the source leaves the relationship as it is (B87, B88).
  var endures: Bool { deleteRule == .deny || deleteRule == .noAction }
}
