// SPDX-License-Identifier: Apache-2.0

/// Which objects of a context differ from their records: one list in the order of the first change, and a flag on each
/// object that says what it is. The list keeps its objects alive (B45).
final class ChangeTracker {
  private(set) var entries: ContiguousArray<ManagedObject?> = []
  private(set) var insertedCount = 0
  private(set) var updatedCount = 0
  private(set) var deletedCount = 0
  private var holes = 0
  /// Deletions whose delete rules were not applied yet (B84).
  var unpropagated: ContiguousArray<ManagedObject> = []
  /// What was changed since listening began.
  private var heard: ContiguousArray<ManagedObject>?

  var isEmpty: Bool { insertedCount + updatedCount + deletedCount == 0 }

  /// Begins to note every change, not only the first one of an object.
  func startListening() {
    heard = []
  }

  /// Returns the objects that were changed since listening began, each once.
  func stopListening() -> ContiguousArray<ManagedObject> {
    defer { heard = nil }
    var seen = Set<ObjectIdentifier>()
    return heard?.filter { seen.insert(ObjectIdentifier($0)).inserted } ?? []
  }

  func noteInsertion(of object: ManagedObject) {
    heard?.append(object)
    guard object.flags.isDisjoint(with: .changed) else { return }
    object.flags.insert(.inserted)
    insertedCount += 1
    append(object)
  }

  /// An inserted object stays inserted (B61), a deleted one deleted (B62).
  func noteUpdate(of object: ManagedObject) {
    heard?.append(object)
    guard object.flags.isDisjoint(with: .changed) else { return }
    object.flags.insert(.updated)
    updatedCount += 1
    append(object)
  }

  /// Notes a deletion; a never-saved object is just forgotten (B89).
  func noteDeletion(of object: ManagedObject) {
    heard?.append(object)
    if object.flags.contains(.inserted) {
      object.flags.remove(.inserted)
      insertedCount -= 1
      drop(object)
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
    object.flags.insert(.deleted)
    deletedCount += 1
    append(object)
  }

  /// Forgets that an object changed.
  func forget(_ object: ManagedObject) {
    if object.flags.contains(.inserted) { insertedCount -= 1 }
    if object.flags.contains(.updated) { updatedCount -= 1 }
    if object.flags.contains(.deleted) { deletedCount -= 1 }
    object.flags.subtract(.changed)
    object.flags.remove(.propagated)
    drop(object)
  }

  /// Forgets all changes.
  func removeAll() {
    for case let object? in entries {
      object.flags.subtract(.changed)
      object.flags.remove(.propagated)
      object.trackingIndex = -1
    }
    entries.removeAll()
    unpropagated.removeAll()
    insertedCount = 0
    updatedCount = 0
    deletedCount = 0
    holes = 0
  }

  /// The changed objects that are all of `flag`, in the order of their first change.
  func objects(_ flag: ObjectFlags) -> ContiguousArray<ManagedObject> {
    var result = ContiguousArray<ManagedObject>()
    for case let object? in entries where object.flags.contains(flag) { result.append(object) }
    return result
  }

  private func append(_ object: ManagedObject) {
    object.trackingIndex = Int32(entries.count)
    entries.append(object)
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
