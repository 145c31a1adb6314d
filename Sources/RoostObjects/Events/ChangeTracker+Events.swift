// SPDX-License-Identifier: Apache-2.0

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
    event.append(object, origin)
  }

  /// Ends the event: returns what happened in it, nil when nothing did. The next write to one of its objects is noted
  /// anew.
  func takeEvent() -> EventLog? {
    guard !event.isEmpty else { return nil }
    let log = event
    event = EventLog()
    for object in log.objects {
      object.flags.subtract(.ofEvent)
      object.settled = 0
    }
    return log
  }
}
