// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
package import RoostModel
package import RoostQuery
package import RoostStore

extension ContextBridge {
  /// Calls `execute(_:)`.
  package func carriedOut<Request: ExecutableRequest>(
    _ request: Request
  ) throws -> Request.ExecutionResult {
    try context.execute(request)
  }

  /// Calls `setQueryGenerationFrom(_:)`.
  package func pin(to token: QueryGenerationToken?) throws {
    try context.setQueryGenerationFrom(token)
  }

  /// Calls `save()`.
  package func saveChanges() throws {
    try context.save()
  }

  /// Calls `fetch(_:)`.
  package func found<T: ManagedObject>(by request: FetchRequest<T>) throws -> [T] {
    try context.fetch(request)
  }

  /// Calls `fetch(_:)`.
  package func found(by request: FetchRequest<ObjectID>) throws -> [ObjectID] {
    try context.fetch(request)
  }

  /// Calls `fetch(_:)`.
  package func found(by request: FetchRequest<[String: Any]>) throws -> [[String: Any]] {
    try context.fetch(request)
  }

  /// Calls `count(for:)`.
  package func number<T>(of request: FetchRequest<T>) throws -> Int {
    try context.count(for: request)
  }

  /// Calls `existingObject(with:)`.
  package func readObject(with id: ObjectID) throws -> ManagedObject {
    try context.existingObject(with: id)
  }

  /// Calls `obtainPermanentIDs(for:)`.
  package func makePermanent(_ objects: [ManagedObject]) throws {
    try context.obtainPermanentIDs(for: objects)
  }

  /// Calls `refresh(_:mergeChanges:)`; the next save throws an error.
  package func refreshLater(_ object: ManagedObject, mergeChanges flag: Bool) {
    do {
      try context.refresh(object, mergeChanges: flag)
    } catch {
      context.readErrors.noteReadFailure(error, of: [object.identity])
    }
  }

  /// Calls `refreshAllObjects()`; the next save throws an error.
  package func refreshAllLater() {
    do {
      try context.refreshAllObjects()
    } catch {
      context.readErrors.noteReadFailure(
        error, of: context.registry.all.filter(\.hasChanges).map(\.identity))
    }
  }

  /// Calls `assign(_:to:)`; the next save throws an error.
  package func assignLater(_ object: ManagedObject, to store: any PersistentStore) {
    do {
      try context.assign(object, to: store)
    } catch {
      context.readErrors.refuse(PersistenceError.wrapping(error))
    }
  }
}
