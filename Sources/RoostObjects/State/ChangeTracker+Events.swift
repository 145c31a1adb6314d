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
    // The object's masks include earlier changes, so they do not tell what this event changes.
    if origin == .inserted || origin == .updated { object.flags.insert(.hasEarlierChanges) }
    if event.isEmpty { eventEnding?.schedule() }
    event.append(object, origin)
  }

  /// Keeps an object's row as it is before the current event writes to it: the row shared with the snapshot, or a
  /// copy.
  func keepRow(of object: ManagedObject) {
    // Undo restores deleted objects, and objects inserted by this event, as a whole; they need no copy of their row.
    guard object.flags.isDisjoint(with: [.hasKeptRow, .propagated]),
      !object.flags.contains(.inserted) || object.flags.contains(.hasEarlierChanges),
      let row = object.row
    else { return }
    object.flags.insert(.hasKeptRow)
    let isShared = object.snapshot?.isIdentical(to: row) ?? false
    rows.append((object, isShared ? row : row.copy()))
  }

  /// Removes objects from the current event, which has left them as they were.
  func withdraw(_ objects: Set<ObjectIdentifier>) {
    for object in event.withdraw(objects) { object.flags.subtract(.ofEvent) }
    rows.removeAll { objects.contains(ObjectIdentifier($0.object)) }
  }

  /// Drops the undo data of the current event.
  func dropRecord() {
    rows = []
    steps = []
  }

  /// Ends the event and returns its log. The next write to one of its objects starts a new entry.
  func takeEvent() -> EventLog {
    let log = event
    event = EventLog()
    leaveEvent(log)
    return log
  }

  /// Ends the event and discards its log.
  func dropEvent() {
    var log = takeEvent()
    // Objects may be released here, and their release may change other objects.
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
