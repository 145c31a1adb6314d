// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The undo data of an event: the rows before it, which share memory where nothing was copied, and the steps of
/// relationship changes.
struct UndoRecord {
  /// The earlier attribute values of an object.
  struct Values {
    let object: ManagedObject
    let row: Row
    /// The slots that the event changed.
    let slots: [RowSlot]
  }

  /// A deleted object, which undo restores.
  struct Departure {
    let object: ManagedObject
    /// The relationships that its deletion left unchanged, as far as they are known.
    let standing: [(relationship: RelationshipDescription, to: ContiguousArray<ManagedObject>)]
  }

  private(set) var departed: ContiguousArray<Departure> = []
  /// Inserted objects, which undo removes.
  private(set) var arrived: ContiguousArray<ManagedObject> = []
  private(set) var values: ContiguousArray<Values> = []
  private(set) var steps: ContiguousArray<LinkStep> = []
  /// Objects that had no changes before the event.
  private(set) var clean: ContiguousArray<ManagedObject> = []

  var isEmpty: Bool {
    departed.isEmpty && arrived.isEmpty && values.isEmpty && steps.isEmpty
  }

  /// Creates the undo record of an ended event.
  ///
  /// - Parameters:
  ///   - rows: The rows of objects before the event wrote to them.
  ///   - steps: The steps of relationship changes, in order.
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
        // An object whose record is gone was not deleted by the program.
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

  /// The slots of attributes whose values have changed; references and positions in the row do not count.
  private static func changedSlots(of object: ManagedObject, since old: Row) -> [RowSlot] {
    guard let row = object.row else { return [] }
    return object.binding.layout.slots.filter { slot in
      slot.kind != .reference && slot.kind != .position && !row.equals(old, at: slot)
    }
  }
}

extension UndoRecord {
  /// The objects deleted by the event.
  var departures: Set<ObjectIdentifier> { Set(departed.lazy.map { ObjectIdentifier($0.object) }) }

  /// Whether objects deleted by the event are still deleted.
  var hasDeletions: Bool { departed.contains { $0.object.isLeaving } }

  /// Adds later steps.
  mutating func add(steps later: ContiguousArray<LinkStep>) {
    steps += later
  }

  /// Adds the record of a later event, with the given steps.
  mutating func add(_ later: UndoRecord, steps laterSteps: ContiguousArray<LinkStep>) {
    departed += later.departed
    arrived += later.arrived
    // The earlier values are the ones to restore, and are restored last.
    values = later.values + values
    steps += laterSteps
    clean += later.clean
  }
}

extension RelationshipDescription {
  /// Whether deleting the source leaves the relationship unchanged (B87, B88).
  var endures: Bool { deleteRule == .deny || deleteRule == .noAction }
}
