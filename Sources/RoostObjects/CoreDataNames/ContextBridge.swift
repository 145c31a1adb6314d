// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
package import RoostModel
package import RoostQuery
package import RoostStore

extension ContextBridge {
  /// What `execute(_:)` does.
  package func carriedOut<Request: ExecutableRequest>(
    _ request: Request
  ) throws -> Request.ExecutionResult {
    try context.execute(request)
  }

  /// What `setQueryGenerationFrom(_:)` does.
  package func pin(to token: QueryGenerationToken?) throws {
    try context.setQueryGenerationFrom(token)
  }

  /// What `save()` does.
  package func saveChanges() throws {
    try context.save()
  }

  /// What `fetch(_:)` does.
  package func found<T: ManagedObject>(by request: FetchRequest<T>) throws -> [T] {
    try context.fetch(request)
  }

  /// What `fetch(_:)` does.
  package func found(by request: FetchRequest<ObjectID>) throws -> [ObjectID] {
    try context.fetch(request)
  }

  /// What `fetch(_:)` does.
  package func found(by request: FetchRequest<[String: Any]>) throws -> [[String: Any]] {
    try context.fetch(request)
  }

  /// What `count(for:)` does.
  package func number<T>(of request: FetchRequest<T>) throws -> Int {
    try context.count(for: request)
  }

  /// What `existingObject(with:)` does.
  package func readObject(with id: ObjectID) throws -> ManagedObject {
    try context.existingObject(with: id)
  }

  /// What `obtainPermanentIDs(for:)` does.
  package func makePermanent(_ objects: [ManagedObject]) throws {
    try context.obtainPermanentIDs(for: objects)
  }

  /// What `refresh(_:mergeChanges:)` does; an error is thrown by the next save.
  package func refreshLater(_ object: ManagedObject, mergeChanges flag: Bool) {
    do {
      try context.refresh(object, mergeChanges: flag)
    } catch {
      context.readErrors.noteReadFailure(error, of: [object.identity])
    }
  }

  /// What `refreshAllObjects()` does; an error is thrown by the next save.
  package func refreshAllLater() {
    do {
      try context.refreshAllObjects()
    } catch {
      context.readErrors.noteReadFailure(
        error, of: context.registry.all.filter(\.hasChanges).map(\.identity))
    }
  }

  /// What `assign(_:to:)` does; an error is thrown by the next save.
  package func assignLater(_ object: ManagedObject, to store: any PersistentStore) {
    do {
      try context.assign(object, to: store)
    } catch {
      context.readErrors.refuse(PersistenceError.wrapping(error))
    }
  }
}
