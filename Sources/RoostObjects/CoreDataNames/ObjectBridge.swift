// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// What the product with Core Data's names builds on: its own methods are called like ours, which are disfavoured where
// both could be meant.
extension ObjectBridge {
  /// What `value(forKey:)` does; what cannot be read is noted, as by an accessor.
  package func keyedValue(forKey key: String) throws -> Any? {
    try noting(key, orElse: nothing(forKey: key)) { try owner.value(forKey: key) }
  }

  /// What a property reads as that cannot be read.
  private func nothing(forKey key: String) -> Any? {
    guard let relationship = owner.binding.relationship(named: key), relationship.isToMany else {
      return nil
    }
    return relationship.isOrdered ? [ManagedObject]() : Set<ManagedObject>()
  }

  /// Runs a keyed access of a program that it cannot throw anything to but its own mistakes.
  private func noting<Result>(
    _ key: String? = nil, orElse substitute: @autoclosure () -> Result, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      guard let context = owner.context, !PersistenceError.wrapping(error).isRefusal else {
        throw error
      }
      context.readErrors.noteUnthrown(error, of: owner, key: key)
      return substitute()
    }
  }

  /// What `setValue(_:forKey:)` does.
  package func setKeyedValue(_ value: Any?, forKey key: String) throws {
    try noting(key, orElse: ()) { try owner.setValue(value, forKey: key) }
  }

  /// What `primitiveValue(forKey:)` does.
  package func keyedPrimitiveValue(forKey key: String) throws -> Any? {
    try owner.primitiveValue(forKey: key)
  }

  /// What `setPrimitiveValue(_:forKey:)` does.
  package func setKeyedPrimitiveValue(_ value: Any?, forKey key: String) throws {
    try noting(key, orElse: ()) { try owner.setPrimitiveValue(value, forKey: key) }
  }

  /// What `committedValues(forKeys:)` does.
  package func keyedCommittedValues(forKeys keys: [String]?) throws -> [String: Any] {
    try noting(orElse: [:]) { try owner.committedValues(forKeys: keys) }
  }

  /// Whether a key names an ordered relationship, whose destinations are read as an array.
  package func isOrderedRelationship(_ key: String) -> Bool {
    if let entry = owner.binding.keys.entry(for: key) { return entry.isOrdered }
    return owner.binding.relationship(named: key)?.isOrdered ?? false
  }

  /// What `value(forKeyPath:)` does.
  package func keyedValue(forKeyPath keyPath: String) throws -> Any? {
    try noting(keyPath, orElse: nothing(forKey: keyPath)) { try owner.value(forKeyPath: keyPath) }
  }

  /// What `setValue(_:forKeyPath:)` does.
  package func setKeyedValue(_ value: Any?, forKeyPath keyPath: String) throws {
    try noting(keyPath, orElse: ()) { try owner.setValue(value, forKeyPath: keyPath) }
  }

  /// What `dictionaryWithValues(forKeys:)` does.
  package func keyedValues(forKeys keys: [String]) throws -> [String: Any] {
    try noting(orElse: [:]) { try owner.dictionaryWithValues(forKeys: keys) }
  }

  /// What `objectIDs(forRelationshipNamed:)` does.
  package func destinationIDs(forRelationshipNamed key: String) throws -> [ObjectID] {
    try noting(key, orElse: []) { try owner.objectIDs(forRelationshipNamed: key) }
  }

  /// What `mutableSetValue(forKey:)` does.
  package func keyedSet(forKey key: String) throws -> MutableObjectSet<ManagedObject> {
    try owner.mutableSetValue(forKey: key)
  }

  /// What `mutableOrderedSetValue(forKey:)` does.
  package func keyedList(forKey key: String) throws -> MutableObjectList<ManagedObject> {
    try owner.mutableOrderedSetValue(forKey: key)
  }
}

// What the accessors that `@Managed` writes need.
extension ObjectBridge {
  /// Whether the object stands for its class in a key path.
  package var isRecorder: Bool { owner.recording.isRecorder }

  /// Notes that a key path goes through a property, and returns a value of its type.
  package func recordKey<T>(_ key: String, as type: T.Type) -> T {
    owner.recording.recordKey(key, as: type)
  }

  /// The object in the place of a destination that is missing although the property's type leaves no room for nil.
  package func missingDestination<T>(_ key: String) -> T? {
    owner.related.missingDestination(key)
  }
}
