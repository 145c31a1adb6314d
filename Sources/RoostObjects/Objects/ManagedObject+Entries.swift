// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
package import RoostModel
package import RoostQuery
package import RoostStore

// What the product with Core Data's names builds on: its own methods are called like ours, which are disfavoured where
// both could be meant.
extension ManagedObject {
  /// What `value(forKey:)` does; what cannot be read is noted, as by an accessor.
  package final func keyedValue(forKey key: String) throws -> Any? {
    try noting(key, orElse: nothing(forKey: key)) { try value(forKey: key) }
  }

  /// What a property reads as that cannot be read.
  private final func nothing(forKey key: String) -> Any? {
    guard let relationship = binding.relationship(named: key), relationship.isToMany else {
      return nil
    }
    return relationship.isOrdered ? [ManagedObject]() : Set<ManagedObject>()
  }

  /// Runs a keyed access of a program that it cannot throw anything to but its own mistakes.
  private final func noting<Result>(
    _ key: String? = nil, orElse substitute: @autoclosure () -> Result, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      guard let context, !PersistenceError.wrapping(error).isRefusal else { throw error }
      context.noteUnthrown(error, of: self, key: key)
      return substitute()
    }
  }

  /// What `setValue(_:forKey:)` does.
  package final func setKeyedValue(_ value: Any?, forKey key: String) throws {
    try noting(key, orElse: ()) { try setValue(value, forKey: key) }
  }

  /// What `primitiveValue(forKey:)` does.
  package final func keyedPrimitiveValue(forKey key: String) throws -> Any? {
    try primitiveValue(forKey: key)
  }

  /// What `setPrimitiveValue(_:forKey:)` does.
  package final func setKeyedPrimitiveValue(_ value: Any?, forKey key: String) throws {
    try noting(key, orElse: ()) { try setPrimitiveValue(value, forKey: key) }
  }

  /// What `committedValues(forKeys:)` does.
  package final func keyedCommittedValues(forKeys keys: [String]?) throws -> [String: Any] {
    try noting(orElse: [:]) { try committedValues(forKeys: keys) }
  }
}

extension ManagedObject {
  /// Whether a key names an ordered relationship, whose destinations are read as an array.
  package final func isOrderedRelationship(_ key: String) -> Bool {
    if let entry = binding.keys.entry(for: key) { return entry.isOrdered }
    return binding.relationship(named: key)?.isOrdered ?? false
  }

  /// What `value(forKeyPath:)` does.
  package final func keyedValue(forKeyPath keyPath: String) throws -> Any? {
    try noting(keyPath, orElse: nothing(forKey: keyPath)) { try value(forKeyPath: keyPath) }
  }

  /// What `setValue(_:forKeyPath:)` does.
  package final func setKeyedValue(_ value: Any?, forKeyPath keyPath: String) throws {
    try noting(keyPath, orElse: ()) { try setValue(value, forKeyPath: keyPath) }
  }

  /// What `setValuesForKeys(_:)` does.
  package final func setKeyedValues(_ values: [String: Any]) throws {
    try noting(orElse: ()) { try setValuesForKeys(values) }
  }

  /// What `dictionaryWithValues(forKeys:)` does.
  package final func keyedValues(forKeys keys: [String]) throws -> [String: Any] {
    try noting(orElse: [:]) { try dictionaryWithValues(forKeys: keys) }
  }

  /// What `objectIDs(forRelationshipNamed:)` does.
  package final func destinationIDs(forRelationshipNamed key: String) throws -> [ObjectID] {
    try noting(key, orElse: []) { try objectIDs(forRelationshipNamed: key) }
  }

  /// What `mutableSetValue(forKey:)` does.
  package final func keyedSet(forKey key: String) throws -> MutableObjectSet<ManagedObject> {
    try mutableSetValue(forKey: key)
  }

  /// What `mutableOrderedSetValue(forKey:)` does.
  package final func keyedList(forKey key: String) throws -> MutableObjectList<ManagedObject> {
    try mutableOrderedSetValue(forKey: key)
  }
}

extension ManagedObjectContext {
  /// What `execute(_:)` does.
  package func carriedOut<Request: ExecutableRequest>(
    _ request: Request
  ) throws -> Request.ExecutionResult {
    try execute(request)
  }

  /// What `setQueryGenerationFrom(_:)` does.
  package func pin(to token: QueryGenerationToken?) throws {
    try setQueryGenerationFrom(token)
  }

  /// What `save()` does.
  package func saveChanges() throws {
    try save()
  }

  /// What `fetch(_:)` does.
  package func found<T: ManagedObject>(by request: FetchRequest<T>) throws -> [T] {
    try fetch(request)
  }

  /// What `fetch(_:)` does.
  package func found(by request: FetchRequest<ObjectID>) throws -> [ObjectID] {
    try fetch(request)
  }

  /// What `fetch(_:)` does.
  package func found(by request: FetchRequest<[String: Any]>) throws -> [[String: Any]] {
    try fetch(request)
  }

  /// What `count(for:)` does.
  package func number<T>(of request: FetchRequest<T>) throws -> Int {
    try count(for: request)
  }

  /// What `existingObject(with:)` does.
  package func readObject(with id: ObjectID) throws -> ManagedObject {
    try existingObject(with: id)
  }

  /// What `obtainPermanentIDs(for:)` does.
  package func makePermanent(_ objects: [ManagedObject]) throws {
    try obtainPermanentIDs(for: objects)
  }

  /// What `refresh(_:mergeChanges:)` does; an error is thrown by the next save.
  package func refreshLater(_ object: ManagedObject, mergeChanges flag: Bool) {
    do {
      try refresh(object, mergeChanges: flag)
    } catch {
      noteReadFailure(error, of: [object.identity])
    }
  }

  /// What `refreshAllObjects()` does; an error is thrown by the next save.
  package func refreshAllLater() {
    do {
      try refreshAllObjects()
    } catch {
      noteReadFailure(error, of: registry.all.filter(\.hasChanges).map(\.identity))
    }
  }

  /// What `assign(_:to:)` does; an error is thrown by the next save.
  package func assignLater(_ object: ManagedObject, to store: any PersistentStore) {
    do {
      try assign(object, to: store)
    } catch {
      refuse(PersistenceError.wrapping(error))
    }
  }
}

extension BatchUpdateRequest {
  /// What `predicate` is.
  package var condition: FetchPredicate? {
    get { predicate }
    set { predicate = newValue }
  }
}

extension EntityDescription {
  /// What `insertNewObject(forEntityName:into:)` does.
  package static func insertObject(
    ofEntityNamed name: String, into context: ManagedObjectContext
  ) throws -> ManagedObject {
    try insertNewObject(forEntityName: name, into: context)
  }
}
