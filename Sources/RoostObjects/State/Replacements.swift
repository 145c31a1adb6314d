// SPDX-License-Identifier: Apache-2.0

/// Objects that left while conflicts were resolved, and who stands for them. The relationships of all other objects are
/// told once, when all conflicts are resolved: a save that meets ten thousand of them does not go through the context
/// ten thousand times.
struct Replacements {
  /// Who stands for an object that left; nobody for one whose record is gone. The objects are kept, so that no other
  /// gets their addresses.
  private var successors: [ObjectIdentifier: (old: ManagedObject, new: ManagedObject?)] = [:]
  private var predecessors: [ObjectIdentifier: [ManagedObject]] = [:]

  var isEmpty: Bool { successors.isEmpty }

  /// Lets an object stand for another one.
  mutating func add(_ old: ManagedObject, by new: ManagedObject) {
    successors[ObjectIdentifier(old)] = (old, new)
    let inherited = predecessors.removeValue(forKey: ObjectIdentifier(old)) ?? []
    predecessors[ObjectIdentifier(new), default: []] += inherited + [old]
  }

  /// Lets nobody stand for an object.
  mutating func add(gone object: ManagedObject) {
    successors[ObjectIdentifier(object)] = (object, nil)
  }

  func isGone(_ object: ManagedObject) -> Bool {
    successors[ObjectIdentifier(object)] != nil
  }

  /// Those whom an object stands for.
  func predecessors(of object: ManagedObject) -> [ManagedObject] {
    predecessors[ObjectIdentifier(object)] ?? []
  }

  /// Who stands for an object now: itself, as a rule.
  func successor(of object: ManagedObject) -> ManagedObject? {
    var current = object
    while let known = successors[ObjectIdentifier(current)] {
      guard let next = known.new else { return nil }
      current = next
    }
    return current
  }

  /// Lets the relationships of an object lead to those who stand for others, without a change of anybody.
  func apply(to object: ManagedObject) {
    for (ordinal, state) in object.links.enumerated() {
      switch state {
      case .unloaded, .toOne(nil): break
      case .toOne(let destination?):
        let successor = successor(of: destination)
        if successor !== destination { object.links[ordinal] = .toOne(successor) }
      case .toMany(let known): known.replace(isGone, by: successor)
      }
    }
  }
}
