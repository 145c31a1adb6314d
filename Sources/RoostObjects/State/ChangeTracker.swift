// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The objects of a context that differ from their records: one list in the order of the first change, and a flag on
/// each object for the kind of change. The list keeps its objects alive (B45).
final class ChangeTracker {
  @exclusivity(unchecked) private(set) var entries: ContiguousArray<ManagedObject?> = []
  @exclusivity(unchecked) private(set) var insertedCount = 0
  @exclusivity(unchecked) private(set) var updatedCount = 0
  @exclusivity(unchecked) private(set) var deletedCount = 0
  @exclusivity(unchecked) private var holes = 0
  /// Whether a changed object may have ordered relationships. It may be true without one, but is never false with
  /// one.
  @exclusivity(unchecked) private(set) var mayHaveOrder = false
  /// Whether a changed object may have links in a link table.
  @exclusivity(unchecked) private(set) var mayHaveLinkTables = false
  /// Deletions whose delete rules were not applied yet (B84).
  @exclusivity(unchecked) var unpropagated: ContiguousArray<ManagedObject> = []
  /// The log of the current event (B97).
  @exclusivity(unchecked) var event = EventLog()
  /// Ends events automatically; nil for a context whose events are ended explicitly.
  @exclusivity(unchecked) var eventEnding: EventEnding?
  /// Whether undo data is recorded, because the context has an undo manager.
  @exclusivity(unchecked) var isRecording = false
  /// The rows of objects as they were before the current event wrote to them.
  @exclusivity(unchecked) var rows: ContiguousArray<(object: ManagedObject, row: Row)> = []
  /// The relationship changes of the current event, step by step.
  @exclusivity(unchecked) var steps: ContiguousArray<LinkStep> = []
  /// The undo records of events whose deletions still await their delete rules.
  @exclusivity(unchecked) var openUndo: [KeptUndo] = []
  /// The observation that is notified before and after the list becomes empty or non-empty.
  @exclusivity(unchecked) var observation: ChangeObservation?
  /// The objects changed since listening began.
  @exclusivity(unchecked) private var heard: ContiguousArray<ManagedObject>?
  /// Whether every change is recorded, not only the first one of an object.
  @exclusivity(unchecked) private(set) var isListening = false

  var isEmpty: Bool { insertedCount + updatedCount + deletedCount == 0 }

  /// Starts recording every change, not only the first one of an object.
  func startListening() {
    heard = []
    isListening = true
  }

  /// Returns the objects changed since listening began, each once.
  func stopListening() -> ContiguousArray<ManagedObject?> {
    defer {
      self.heard = nil
      isListening = false
    }
    guard let heard, !heard.isEmpty else { return [] }
    var seen = Set<ObjectIdentifier>()
    return ContiguousArray(
      heard.lazy.filter { seen.insert(ObjectIdentifier($0)).inserted }.map { $0 })
  }

  func noteInsertion(of object: ManagedObject) {
    heard?.append(object)
    begin(object, .absent)
    guard object.flags.isDisjoint(with: .changed) else { return }
    append(object, .inserted)
  }

  /// An inserted object stays inserted (B61), a deleted one deleted (B62).
  func noteUpdate(of object: ManagedObject) {
    // Most changes affect objects that are recorded already.
    if !isListening, object.flags.contains(.inEvent), !object.flags.isDisjoint(with: .changed) {
      return
    }
    heard?.append(object)
    begin(object)
    guard object.flags.isDisjoint(with: .changed) else { return }
    append(object, .updated)
  }

  /// Records a deletion; a never-saved object is only forgotten (B89).
  func noteDeletion(of object: ManagedObject) {
    heard?.append(object)
    begin(object)
    if object.flags.contains(.inserted) {
      change(from: .inserted, of: object)
      drop(object)
      didChange()
      return
    }
    if object.flags.contains(.updated) {
      object.flags.remove(.updated)
      updatedCount -= 1
      object.flags.insert(.deleted)
      deletedCount += 1
      return
    }
    guard !object.flags.contains(.deleted) else { return }
    append(object, .deleted)
  }

  /// Records that a deletion was taken back.
  func noteRevival(of object: ManagedObject) {
    heard?.append(object)
    begin(object)
    guard object.flags.contains(.deleted) else { return }
    object.flags.subtract([.deleted, .propagated])
    deletedCount -= 1
    object.flags.insert(.updated)
    updatedCount += 1
  }

  /// Removes an object from the list of changes.
  func forget(_ object: ManagedObject) {
    guard object.trackingIndex >= 0 || !object.flags.isDisjoint(with: .changed) else {
      object.flags.remove(.propagated)
      return
    }
    change(from: object.flags.intersection(.changed), of: object)
    object.flags.remove(.propagated)
    drop(object)
    didChange()
  }

  /// Removes objects from the list of changes.
  ///
  /// - Parameters:
  ///   - objects: Objects to remove.
  ///   - others: Further objects to remove.
  func forget(
    _ objects: ContiguousArray<ManagedObject>, _ others: ContiguousArray<ManagedObject> = []
  ) {
    let count = objects.count + others.count
    guard count > 0 else { return }
    // After most saves these are all changed objects; then no search is needed.
    var isAll = count == entries.count - holes
    if isAll {
      objects.forEachHeld { if $0.trackingIndex < 0 { isAll = false } }
      others.forEachHeld { if $0.trackingIndex < 0 { isAll = false } }
    }
    guard isAll else {
      objects.forEachHeld { forget($0) }
      others.forEachHeld { forget($0) }
      return
    }
    observation?.willChange()
    objects.forEachHeld { Self.leaveList($0) }
    others.forEachHeld { Self.leaveList($0) }
    removeEntries()
    (insertedCount, updatedCount, deletedCount) = (0, 0, 0)
    observation?.didChange()
  }

  @inline(__always) private static func leaveList(_ object: ManagedObject) {
    object.flags.subtract([.inserted, .updated, .deleted, .propagated])
    object.trackingIndex = -1
  }

  /// Empties the list, keeping the memory of a short one for the next changes.
  private func removeEntries() {
    entries.removeAll(keepingCapacity: entries.capacity <= 64)
    holes = 0
    mayHaveOrder = false
    mayHaveLinkTables = false
  }

  /// Removes all changes and the log of the current event.
  func removeAll() {
    let wasEmpty = isEmpty
    if !wasEmpty { observation?.willChange() }
    for case let object? in entries {
      object.flags.subtract(.changed)
      object.flags.remove(.propagated)
      object.trackingIndex = -1
    }
    removeEntries()
    unpropagated.removeAll()
    insertedCount = 0
    updatedCount = 0
    deletedCount = 0
    if !wasEmpty { observation?.didChange() }
  }

  /// The changed objects with all flags of `flag`, in the order of their first change.
  func objects(_ flag: ObjectFlags) -> ContiguousArray<ManagedObject> {
    var result = ContiguousArray<ManagedObject>()
    let count = count(of: flag)
    if count == 0 { return result }
    result.reserveCapacity(count)
    forEach(flag) { result.append($0) }
    return result
  }

  /// Calls `body` with the changed objects that have all flags of `flag`, in the order of their first change. Creates
  /// no list; `body` does not see the changes that it makes itself.
  @inline(__always)
  func forEach(_ flag: ObjectFlags, _ body: (ManagedObject) throws -> Void) rethrows {
    if count(of: flag) == 0 { return }
    try entries.forEachHeld { if $0.flags.contains(flag) { try body($0) } }
  }

  /// The changed objects with all flags of `flag` that are faults.
  func faults(_ flag: ObjectFlags) -> ContiguousArray<ManagedObject> {
    var result = ContiguousArray<ManagedObject>()
    forEach(flag) { if $0.isFault { result.append($0) } }
    return result
  }

  /// The number of changed objects with `flag`.
  private func count(of flag: ObjectFlags) -> Int {
    switch flag {
    case .inserted: insertedCount
    case .updated: updatedCount
    case .deleted: deletedCount
    default: entries.count
    }
  }

  /// The tracker's state without the flags stored in the objects.
  struct State {
    var entries: ContiguousArray<ManagedObject?>
    var counts: (inserted: Int, updated: Int, deleted: Int, holes: Int)
    var unpropagated: ContiguousArray<ManagedObject>
    var event: EventLog
    var rows: ContiguousArray<(object: ManagedObject, row: Row)>
    var steps: ContiguousArray<LinkStep>
  }

  var state: State {
    State(
      entries: entries, counts: (insertedCount, updatedCount, deletedCount, holes),
      unpropagated: unpropagated, event: event, rows: rows, steps: steps)
  }

  /// Restores an earlier state; the caller restores the flags of the objects.
  func restore(_ state: State) {
    observation?.willChange()
    entries = state.entries
    mayHaveOrder = true
    mayHaveLinkTables = true
    (insertedCount, updatedCount, deletedCount, holes) = state.counts
    unpropagated = state.unpropagated
    event = state.event
    rows = state.rows
    steps = state.steps
    observation?.didChange()
  }

  private func append(_ object: ManagedObject, _ flag: ObjectFlags) {
    let isFirst = isEmpty
    if isFirst { observation?.willChange() }
    object.flags.insert(flag)
    if flag == .inserted { insertedCount += 1 }
    if flag == .updated { updatedCount += 1 }
    if flag == .deleted { deletedCount += 1 }
    object.trackingIndex = Int32(entries.count)
    if object.binding.hasOrderedRelationships { mayHaveOrder = true }
    if object.binding.hasLinkTables { mayHaveLinkTables = true }
    entries.append(object)
    if isFirst { observation?.didChange() }
  }

  /// Clears an object's flag.
  private func change(from flag: ObjectFlags, of object: ManagedObject) {
    guard !flag.isEmpty else { return }
    if insertedCount + updatedCount + deletedCount == 1 { observation?.willChange() }
    if flag.contains(.inserted) { insertedCount -= 1 }
    if flag.contains(.updated) { updatedCount -= 1 }
    if flag.contains(.deleted) { deletedCount -= 1 }
    object.flags.subtract(flag)
  }

  private func didChange() {
    if isEmpty { observation?.didChange() }
  }

  private func drop(_ object: ManagedObject) {
    let index = Int(object.trackingIndex)
    guard index >= 0, index < entries.count, entries[index] === object else { return }
    object.trackingIndex = -1
    entries[index] = nil
    holes += 1
    if holes > 64, holes * 2 > entries.count { compact() }
  }

  private func compact() {
    entries.removeAll { $0 == nil }
    for (index, object) in entries.enumerated() { object?.trackingIndex = Int32(index) }
    holes = 0
  }
}
