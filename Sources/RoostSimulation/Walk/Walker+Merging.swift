// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects

// Another context writes a record; this one merges that, or resolves the conflict of its next save.
extension Walker {
  private static let policies: [MergePolicy] = [
    .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  ]

  /// A change of a record by another context.
  private struct Interference {
    var serial: Int
    var id: ObjectID
    var number: Value
    /// The number that this context read first.
    var old: Value
    /// The group that the node was moved to, if it was.
    var group: Int?
  }

  /// Lets another context write a number, and now and then move a node to another group; nil when there is no record
  /// for it.
  private func interfere(
    _ step: WalkStep, among candidates: [Int], movesNodes: Bool = true
  ) throws -> Interference? {
    guard let serial = pick(candidates, step.first), let id = ids[serial] else { return nil }
    let values = GardenModel.values(of: "number")
    let value = values[step.second % values.count]
    let old = stored.value("number", of: serial)
    guard ExactValue(value) != ExactValue(old) else { return nil }
    let group = movesNodes ? stored.otherGroup(for: serial, step.third, here: current) : nil
    if group != nil {
      // Setting the group that a node has is no change (B55).
      let node = try object(serial)
      if node.hasChanges { try node.set("group", try node.one("group")) }
    }
    let other = stack.makeContext()
    let theirs = try other.existingObject(with: id)
    try theirs.set("number", value.native)
    if let group {
      try theirs.set("group", try other.existingObject(with: try require(ids[group], "its ID")))
      stored.group[serial] = group
    }
    try other.save()
    stored.records[serial]?.set("number", value)
    versions[serial]? += 1
    return Interference(serial: serial, id: id, number: value, old: old, group: group)
  }

  /// Merges the save of another context: local changes stay on top (B213, B215).
  func merge(_ step: WalkStep) throws {
    guard frames.isEmpty, !hasTravelled else { return }
    forgetHistory()
    let hadChanges = context.hasChanges
    let candidates = stored.all.filter { current.records[$0] != nil }
    guard let change = try interfere(step, among: candidates) else { return }
    let kept = try object(change.serial)
    if step.third % 2 == 0 { _ = try kept.get("name") }
    var changes = ManagedObjectContext.ObjectIDChanges()
    changes.updatedObjectIDs = [change.id]
    context.mergeChanges(changes)
    try expectEqual(context.hasChanges, hadChanges, "whether the context has changes (B216)")
    if ExactValue(current.value("number", of: change.serial)) == ExactValue(change.old) {
      current.records[change.serial]?.set("number", change.number)
    }
    if let group = change.group { current.group[change.serial] = group }
    try compareGraph()
  }

  /// Saves with a merge policy after a write of another context (B179 to B182, B187).
  func policySave(_ step: WalkStep) throws {
    guard frames.isEmpty, !hasTravelled else { return }
    forgetHistory()
    let policy = Self.policies[step.third % Self.policies.count]
    let isRollback = policy.mergeType == .rollbackMergePolicyType
    let candidates = stored.all.filter { serial in
      guard current.records[serial] != nil, isWritten(serial) else { return false }
      // The effect of a rollback on relationships shows on both sides; attributes are enough here.
      return !isRollback || !related.contains(serial) && !moved.contains(serial)
    }
    // The save is based on the values that this context knows.
    for serial in candidates { _ = try object(serial).get("name") }
    let known = try candidates.map(object)
    guard
      let change = try interfere(
        step, among: candidates, movesNodes: policy.mergeType != .overwriteMergePolicyType)
    else { return }
    let mine = current.value("number", of: change.serial)
    let isChangedHere = ExactValue(mine) != ExactValue(change.old)
    switch policy.mergeType {
    case .mergeByPropertyStoreTrumpMergePolicyType:
      current.records[change.serial]?.set("number", change.number)
    case .mergeByPropertyObjectTrumpMergePolicyType:
      if !isChangedHere { current.records[change.serial]?.set("number", change.number) }
    case .rollbackMergePolicyType: current.records[change.serial] = stored.records[change.serial]
    default: break
    }
    if let group = change.group { current.group[change.serial] = group }
    context.mergePolicy = policy
    defer { context.mergePolicy = .error }
    try withExtendedLifetime(known) { try context.save() }
    if !isWritten(change.serial) { moved.insert(change.serial) }
    try finishSave()
    try compareGraph()
  }
}

extension OracleState {
  /// Returns a group that another context moves a node to, whose own group the walking context has not changed; nil if
  /// the node stays where it is.
  fileprivate func otherGroup(for node: Int, _ choice: Int, here: OracleState) -> Int? {
    let groups = serials("Group")
    guard isNode(node), !groups.isEmpty, here.group[node] == group[node] else { return nil }
    let other = groups[choice % groups.count]
    return other == group[node] || here.records[other] == nil ? nil : other
  }
}
