// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Every class of objects has one initializer, which takes an entity and a context; a program may override it. What an
// object of a record needs besides is put down by `makeFault` and taken by the initializer, through `takeAwaited`: the
// two ends of one hand-over, which nothing else touches.
extension RowMaterializer {
  /// Makes the one object of a record, as a fault.
  func makeFault(_ id: ObjectID) -> ManagedObject {
    makeFault(id, binding: EntityBinding.binding(of: id.entity))
  }

  func makeFault(_ id: ObjectID, binding: EntityBinding) -> ManagedObject {
    makeFault(forKey: id.key, in: id.scope, binding: binding)
  }

  /// Makes the one object of the record that a key is in a scope.
  ///
  /// - Parameters:
  ///   - row: The record's row, if it is at hand; the caller holds it.
  ///   - group: The objects that were found together with it; the caller holds them.
  func makeFault(
    forKey key: Int64, in scope: IDScope, binding: EntityBinding,
    row: Unmanaged<RowStorage>? = nil, group: Unmanaged<FetchGroup>? = nil
  ) -> ManagedObject {
    // The binding and the scope are held here until the object is made.
    context.loading.awaited = AwaitedObject(
      scope: .passUnretained(scope), key: key, binding: .passUnretained(binding),
      slots: binding.primarySlots, row: row, group: group)
    let object = binding.objectClass.init(entity: binding.entity, insertInto: context)
    // Otherwise the next object that is made would take what this one was to be.
    precondition(
      object.identity.key == key,
      "An override of init(entity:insertInto:) hands on the entity and the context that it was given, before it makes "
        + "other objects.")
    return object
  }

  /// Takes what the initializer of the object that is being made is to use; nil for an object that a program makes.
  @inline(__always) func takeAwaited(for entity: EntityDescription) -> AwaitedObject? {
    guard let result = context.loading.awaited,
      result.binding._withUnsafeGuaranteedRef({ $0.entity === entity })
    else { return nil }
    context.loading.awaited = nil
    return result
  }
}

extension ManagedObjectContext {
  /// What an initializer that was given the context is to make an object of; nil when a program makes a new one.
  @inline(__always) func awaitedObject(of entity: EntityDescription) -> AwaitedObject? {
    // To make an object is a use of the context: a merge on its queue may be making objects of the entity until then.
    checkQueue()
    return materializer.takeAwaited(for: entity)
  }
}
