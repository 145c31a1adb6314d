// SPDX-License-Identifier: Apache-2.0

/// Replacements of objects that left while conflicts were resolved. The relationships of all other objects are
/// updated once, when all conflicts are resolved: a save with ten thousand conflicts does not go through the context
/// ten thousand times.
struct Replacements {
  /// The replacement of each object that left; nil if its record is gone. The objects are retained, so that their
  /// addresses are not reused.
  private var successors: [ObjectIdentifier: (old: ManagedObject, new: ManagedObject?)] = [:]
  private var predecessors: [ObjectIdentifier: [ManagedObject]] = [:]

  var isEmpty: Bool { successors.isEmpty }

  /// Replaces an object with another one.
  mutating func add(_ old: ManagedObject, by new: ManagedObject) {
    successors[ObjectIdentifier(old)] = (old, new)
    let inherited = predecessors.removeValue(forKey: ObjectIdentifier(old)) ?? []
    predecessors[ObjectIdentifier(new), default: []] += inherited + [old]
  }

  /// Removes an object without a replacement.
  mutating func add(gone object: ManagedObject) {
    successors[ObjectIdentifier(object)] = (object, nil)
  }

  func isGone(_ object: ManagedObject) -> Bool {
    successors[ObjectIdentifier(object)] != nil
  }

  /// The objects replaced by an object.
  func predecessors(of object: ManagedObject) -> [ManagedObject] {
    predecessors[ObjectIdentifier(object)] ?? []
  }

  /// Returns the current replacement of an object, which is mostly the object itself.
  func successor(of object: ManagedObject) -> ManagedObject? {
    var current = object
    while let known = successors[ObjectIdentifier(current)] {
      guard let next = known.new else { return nil }
      current = next
    }
    return current
  }

  /// Redirects the relationships of an object to the replacements, without marking any object as changed.
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
