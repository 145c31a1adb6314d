// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Every class of objects has one initializer, which takes an entity and a context, and which a program may override.
// The other data for the object of a record is stored by `makeFault` and picked up by the initializer, through
// `takeAwaited`; nothing else accesses it.
extension RowMaterializer {
  /// Creates the one object of a record, as a fault.
  func makeFault(_ id: ObjectID) -> ManagedObject {
    makeFault(id, binding: EntityBinding.binding(of: id.entity))
  }

  func makeFault(_ id: ObjectID, binding: EntityBinding) -> ManagedObject {
    makeFault(forKey: id.key, in: id.scope, binding: binding)
  }

  /// Creates the one object of the record with a key in a scope.
  ///
  /// - Parameters:
  ///   - row: The record's row, if available; the caller retains it.
  ///   - group: The objects found together with it; the caller retains them.
  func makeFault(
    forKey key: Int64, in scope: IDScope, binding: EntityBinding,
    row: Unmanaged<RowStorage>? = nil, group: Unmanaged<FetchGroup>? = nil
  ) -> ManagedObject {
    // This function retains the binding and the scope until the object is created.
    context.loading.awaited = AwaitedObject(
      scope: .passUnretained(scope), key: key, binding: .passUnretained(binding),
      slots: binding.primarySlots, row: row, group: group)
    let object = binding.objectClass.init(entity: binding.entity, insertInto: context)
    // Otherwise the next object to be created would pick up this one's data.
    precondition(
      object.identity.key == key,
      "An override of init(entity:insertInto:) hands on the entity and the context that it was given, before it makes "
        + "other objects.")
    return object
  }

  /// Returns the arguments for the object being created, once; nil for an object created by the program.
  @inline(__always) func takeAwaited(for entity: EntityDescription) -> AwaitedObject? {
    guard let result = context.loading.awaited,
      result.binding._withUnsafeGuaranteedRef({ $0.entity === entity })
    else { return nil }
    context.loading.awaited = nil
    return result
  }
}

extension ManagedObjectContext {
  /// Returns the arguments for an initializer with this context; nil when the program creates a new object.
  @inline(__always) func awaitedObject(of entity: EntityDescription) -> AwaitedObject? {
    // Creating an object is a use of the context: until then, a merge on its queue may be creating objects of the
    // entity.
    checkQueue()
    return materializer.takeAwaited(for: entity)
  }
}
