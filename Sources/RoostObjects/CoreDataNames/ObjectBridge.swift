// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// Entry points for the product with Core Data's names: its own methods have the same names as Roost's, which are
// disfavoured in overload resolution.
extension ObjectBridge {
  /// Calls `value(forKey:)`; a read error is recorded, as by an accessor.
  package func keyedValue(forKey key: String) throws -> Any? {
    try noting(key, orElse: nothing(forKey: key)) { try owner.value(forKey: key) }
  }

  /// Returns the value of a property that cannot be read.
  private func nothing(forKey key: String) -> Any? {
    guard let relationship = owner.binding.relationship(named: key), relationship.isToMany else {
      return nil
    }
    return relationship.isOrdered ? [ManagedObject]() : Set<ManagedObject>()
  }

  /// Runs a keyed access that throws errors of the caller only, and records all others.
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

  /// Calls `setValue(_:forKey:)`.
  package func setKeyedValue(_ value: Any?, forKey key: String) throws {
    try noting(key, orElse: ()) { try owner.setValue(value, forKey: key) }
  }

  /// Calls `primitiveValue(forKey:)`.
  package func keyedPrimitiveValue(forKey key: String) throws -> Any? {
    try owner.primitiveValue(forKey: key)
  }

  /// Calls `setPrimitiveValue(_:forKey:)`.
  package func setKeyedPrimitiveValue(_ value: Any?, forKey key: String) throws {
    try noting(key, orElse: ()) { try owner.setPrimitiveValue(value, forKey: key) }
  }

  /// Calls `committedValues(forKeys:)`.
  package func keyedCommittedValues(forKeys keys: [String]?) throws -> [String: Any] {
    try noting(orElse: [:]) { try owner.committedValues(forKeys: keys) }
  }

  /// Whether a key names an ordered relationship, whose destinations are read as an array.
  package func isOrderedRelationship(_ key: String) -> Bool {
    if let entry = owner.binding.keys.entry(for: key) { return entry.isOrdered }
    return owner.binding.relationship(named: key)?.isOrdered ?? false
  }

  /// Calls `value(forKeyPath:)`.
  package func keyedValue(forKeyPath keyPath: String) throws -> Any? {
    try noting(keyPath, orElse: nothing(forKey: keyPath)) { try owner.value(forKeyPath: keyPath) }
  }

  /// Calls `setValue(_:forKeyPath:)`.
  package func setKeyedValue(_ value: Any?, forKeyPath keyPath: String) throws {
    try noting(keyPath, orElse: ()) { try owner.setValue(value, forKeyPath: keyPath) }
  }

  /// Calls `dictionaryWithValues(forKeys:)`.
  package func keyedValues(forKeys keys: [String]) throws -> [String: Any] {
    try noting(orElse: [:]) { try owner.dictionaryWithValues(forKeys: keys) }
  }

  /// Calls `objectIDs(forRelationshipNamed:)`.
  package func destinationIDs(forRelationshipNamed key: String) throws -> [ObjectID] {
    try noting(key, orElse: []) { try owner.objectIDs(forRelationshipNamed: key) }
  }

  /// Calls `mutableSetValue(forKey:)`.
  package func keyedSet(forKey key: String) throws -> MutableObjectSet<ManagedObject> {
    try owner.mutableSetValue(forKey: key)
  }

  /// Calls `mutableOrderedSetValue(forKey:)`.
  package func keyedList(forKey key: String) throws -> MutableObjectList<ManagedObject> {
    try owner.mutableOrderedSetValue(forKey: key)
  }
}

// Support for the accessors that `@Managed` generates.
extension ObjectBridge {
  /// Whether the object stands for its class in a key path.
  package var isRecorder: Bool { owner.recording.isRecorder }

  /// Records that a key path visits a property, and returns a value of its type.
  package func recordKey<T>(_ key: String, as type: T.Type) -> T {
    owner.recording.recordKey(key, as: type)
  }

  /// Returns a stand-in for a missing destination of a property whose type is not optional.
  package func missingDestination<T>(_ key: String) -> T? {
    owner.related.missingDestination(key)
  }
}
