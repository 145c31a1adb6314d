// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects

extension Walker {
  func setToOne(_ step: WalkStep) throws {
    let sources = current.all.filter { current.records[$0]?.entity != "Group" }
    guard let serial = pick(sources, step.first), let record = current.records[serial] else {
      return
    }
    let keys = OracleState.toOneKeys(of: record.entity)
    let (key, entity) = keys[step.second % keys.count]
    let candidates = current.serials(entity).filter { key != "partner" || $0 != serial }
    try setToOne(serial, key, to: step.third % 5 == 0 ? nil : pick(candidates, step.third))
  }

  func setToOne(_ serial: Int, _ key: String, to destination: Int?) throws {
    noteRelated(serial, key: key, before: current.toOne(key, of: serial), after: destination)
    try object(serial).set(key, try destination.map(object))
    current.setToOne(key, of: serial, to: destination)
    let found = try object(serial).one(key).map(self.serial)
    try expectEqual(found, destination, "\(key) of \(serial) after it was set")
  }

  private func noteRelated(_ serial: Int, key: String, before: Int?, after: Int?) {
    related.insert(serial)
    for other in [before, after].compactMap({ $0 }) {
      related.insert(other)
      // A stolen partner is touched, too.
      if key == "partner", let third = current.partner[other] { related.insert(third) }
      if key == "parent" { moved.formUnion(current.children[other] ?? []) }
    }
    if key == "parent" { moved.insert(serial) }
  }

  func setToMany(_ step: WalkStep) throws {
    guard let serial = pick(current.all, step.first), let record = current.records[serial] else {
      return
    }
    let keys = OracleState.toManyKeys(of: record.entity)
    let (key, entity) = keys[step.second % keys.count]
    let old = current.toMany(key, of: serial)
    guard let wanted = wanted(step, old: old, candidates: current.serials(entity)) else { return }
    noteRelated(serial, key: key, old: old, wanted: wanted)
    let objects = try wanted.map(object)
    try object(serial).set(key, OracleState.isOrdered(key) ? objects as Any : Set(objects) as Any)
    current.setToMany(key, of: serial, to: wanted)
    try expectMembers(key, of: serial, in: current)
  }

  private func noteRelated(_ serial: Int, key: String, old: [Int], wanted: [Int]) {
    related.insert(serial)
    for other in Set(old).union(wanted) {
      related.insert(other)
      if let previous = current.group[other] { related.insert(previous) }
      if key == "children", let parent = current.parent(of: other) {
        related.insert(parent)
        moved.formUnion(current.children[parent] ?? [])
      }
    }
    if key == "children" { moved.formUnion(Set(old).union(wanted)) }
  }

  /// The new destinations; nil when there is nothing to be done.
  private func wanted(_ step: WalkStep, old: [Int], candidates: [Int]) -> [Int]? {
    switch step.kind {
    case .add:
      guard let new = pick(candidates, step.third), !old.contains(new) else { return nil }
      return old + [new]
    case .remove:
      guard let gone = pick(old, step.third) else { return nil }
      return old.filter { $0 != gone }
    case .move:
      guard let member = pick(old, step.third) else { return nil }
      var rest = old.filter { $0 != member }
      rest.insert(member, at: step.third / 7 % (rest.count + 1))
      return rest
    default:
      var generator = SplitMix64(seed: UInt64(step.third))
      let chosen = candidates.filter { _ in generator.below(3) == 0 }
      return chosen.shuffled(using: &generator)
    }
  }

  /// Compares the destinations of a to-many relationship with the expected ones.
  func expectMembers(_ key: String, of serial: Int, in state: OracleState) throws {
    let found = try object(serial).many(key).map(self.serial)
    let wanted = state.toMany(key, of: serial)
    try expectEqual(
      OracleState.isOrdered(key) ? found : found.sorted(), wanted, "\(key) of \(serial)")
  }

  func delete(_ step: WalkStep) throws {
    guard let serial = pick(current.all, step.first), let record = current.records[serial] else {
      return
    }
    if record.entity == "Tag", !current.toMany("nodes", of: serial).isEmpty {
      try deleteDenied(serial)
      return
    }
    try freeAnchors(of: serial)
    let before = current
    context.delete(try object(serial))
    current.delete(serial)
    if step.second % 2 == 0 { context.processPendingChanges() }
    noteDeleted(from: before)
  }

  /// A tag with nodes cannot be deleted: the save fails, and a rollback restores it (B87).
  private func deleteDenied(_ serial: Int) throws {
    context.delete(try object(serial))
    guard below.records[serial] != nil else {
      // An unsaved object is just forgotten, and its links with it (B89).
      let before = current
      current.delete(serial)
      noteDeleted(from: before)
      return
    }
    try expectError(.validationRelationshipDeniedDelete, "saving the deletion of tag \(serial)") {
      try context.save()
    }
    try rollback()
  }

  /// Anchors have no inverse: references to an unsaved record are removed before the record is discarded.
  private func freeAnchors(of serial: Int) throws {
    var after = current
    after.delete(serial)
    let leaving = Set(current.records.keys).subtracting(after.records.keys)
    for (tag, node) in current.anchor where leaving.contains(node) {
      guard current.records[tag] != nil, stored.records[node] == nil else { continue }
      related.insert(tag)
      try object(tag).set("anchor", nil)
      current.anchor[tag] = nil
    }
  }

  private func noteDeleted(from before: OracleState) {
    for serial in before.records.keys where current.records[serial] == nil {
      let record = before.records[serial]
      related.insert(serial)
      for (key, _) in OracleState.toOneKeys(of: record?.entity ?? "") {
        if let other = before.toOne(key, of: serial) { related.insert(other) }
      }
      for (key, _) in OracleState.toManyKeys(of: record?.entity ?? "") {
        related.formUnion(before.toMany(key, of: serial))
      }
      if let parent = before.parent(of: serial) { moved.formUnion(before.children[parent] ?? []) }
    }
  }
}
