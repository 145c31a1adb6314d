// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Change notifications of hand-written setters, before and after they set the primitive value.
extension ManagedObject {
  /// The kind of an imminent change of a set of destinations.
  ///
  /// ```swift
  /// willChangeValue(forKey: "tags", withSetMutation: .union, using: [tag])
  /// ```
  public enum SetMutation: Hashable, Sendable {
    /// Objects are added.
    case union
    /// Objects are removed.
    case minus
    /// All but the objects are removed.
    case intersect
    /// The objects take the place of all.
    case set
  }

  /// Begins a change that a setter makes with ``setPrimitiveValue(_:forKey:)``: fires the fault, and marks the object
  /// as changed.
  ///
  /// ```swift
  /// var isbn: String? {
  ///   get {
  ///     willAccessValue(forKey: "isbn")
  ///     defer { didAccessValue(forKey: "isbn") }
  ///     return try? primitiveValue(forKey: "isbn") as? String
  ///   }
  ///   set {
  ///     willChangeValue(forKey: "isbn")
  ///     try? setPrimitiveValue(newValue, forKey: "isbn")
  ///     didChangeValue(forKey: "isbn")
  ///   }
  /// }
  /// ```
  /// - Parameter key: The name of a property, modelled or not.
  /// - Complexity: At most one query, for a fault; one for a to-many relationship that is not loaded.
  public final func willChangeValue(forKey key: String) {
    if let attribute = binding.attribute(named: key) {
      for slot in attribute.slots { _ = willWrite(slot) }
    } else if let relationship = binding.relationship(named: key) {
      keyed.beginChange(of: relationship, concerning: nil)
    } else if isObserved {
      observers.tellWillChange(key)
    }
  }

  /// Ends a change. The inverse of a relationship is updated to match the new primitive value; a property that the
  /// model does not have marks the object as changed only if ``contextShouldIgnoreUnmodeledPropertyChanges`` is
  /// false.
  ///
  /// - Parameter key: The name passed to ``willChangeValue(forKey:)``.
  public final func didChangeValue(forKey key: String) {
    defer { if isObserved { observers.tellDidChange(key) } }
    if let relationship = binding.relationship(named: key) {
      keyed.endChange(of: relationship)
    } else if binding.attribute(named: key) == nil,
      !Self.contextShouldIgnoreUnmodeledPropertyChanges, !flags.contains(.awakening)
    {
      noteChange()
    }
  }

  /// Begins a change of some destinations of a to-many relationship.
  ///
  /// - Parameters:
  ///   - key: The name of the relationship.
  ///   - mutation: How the destinations are changed.
  ///   - objects: The objects that are added, removed, kept or set.
  /// - Complexity: O(objects) for a union or a removal; otherwise as ``willChangeValue(forKey:)``.
  public final func willChangeValue(
    forKey key: String, withSetMutation mutation: SetMutation, using objects: Set<ManagedObject>
  ) {
    guard let relationship = binding.relationship(named: key), relationship.isToMany else {
      return willChangeValue(forKey: key)
    }
    switch mutation {
    case .union, .minus: keyed.beginChange(of: relationship, concerning: objects)
    case .intersect, .set: keyed.beginChange(of: relationship, concerning: nil)
    }
  }

  /// Ends a change of some destinations of a to-many relationship; their inverses are updated.
  ///
  /// - Parameters:
  ///   - key: The name of the relationship.
  ///   - mutation: How the destinations were changed.
  ///   - objects: The objects passed when the change began.
  public final func didChangeValue(
    forKey key: String, withSetMutation mutation: SetMutation, using objects: Set<ManagedObject>
  ) {
    didChangeValue(forKey: key)
  }
}
