// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ChangeTracker {
  /// Notes that the current event touches an object of the context, before anything is changed.
  @inline(__always) func begin(_ object: ManagedObject) {
    if !object.flags.contains(.inEvent) { begin(object, EventOrigin(of: object)) }
  }

  func begin(_ object: ManagedObject, _ origin: EventOrigin) {
    guard !object.flags.contains(.inEvent) else { return }
    object.flags.insert(.inEvent)
    // The masks of such an object do not say what this event changes.
    if origin == .inserted || origin == .updated { object.flags.insert(.hasEarlierChanges) }
    if event.isEmpty { eventEnding?.schedule() }
    event.append(object, origin)
  }

  /// Keeps the row that an object has before the current event writes to it: shared with the snapshot, or a copy.
  func keepRow(of object: ManagedObject) {
    // What a deletion leaves behind, and what came with the event, comes back as a whole.
    guard object.flags.isDisjoint(with: [.hasKeptRow, .propagated]),
      !object.flags.contains(.inserted) || object.flags.contains(.hasEarlierChanges),
      let row = object.row
    else { return }
    object.flags.insert(.hasKeptRow)
    let isShared = object.snapshot?.isIdentical(to: row) ?? false
    rows.append((object, isShared ? row : row.copy()))
  }

  /// Forgets what an undo of the current event would need.
  func dropRecord() {
    rows = []
    steps = []
  }

  /// Ends the event, and returns what happened in it. The next write to one of its objects is noted anew.
  func takeEvent() -> EventLog {
    let log = event
    event = EventLog()
    leaveEvent(log)
    return log
  }

  /// Ends the event, of which nobody wants to know anything.
  func dropEvent() {
    var log = takeEvent()
    // Objects may be released here, and change others in doing so.
    log.removeAll()
    if event.isEmpty { event = log }
  }

  private func leaveEvent(_ log: borrowing EventLog) {
    for place in log.touched.indices {
      let object = log.touched[place].object
      object.flags.subtract(.ofEvent)
      object.settled.removeAll()
    }
  }
}
