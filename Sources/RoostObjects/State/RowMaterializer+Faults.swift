// SPDX-License-Identifier: Apache-2.0

import RoostModel

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
  ///   - row: The record's row, if it is at hand; somebody holds it.
  ///   - company: Who was found together with it; somebody holds them.
  func makeFault(
    forKey key: Int64, in scope: IDScope, binding: EntityBinding,
    row: Unmanaged<RowStorage>? = nil, company: Unmanaged<ObjectCompany>? = nil
  ) -> ManagedObject {
    // The binding and the scope are held here until the object is made.
    context.loading.awaited = AwaitedObject(
      scope: .passUnretained(scope), key: key, binding: .passUnretained(binding),
      slots: binding.primarySlots, row: row, company: company)
    let object = binding.objectClass.init(entity: binding.entity, insertInto: context)
    // What the record's object was to be would be taken for that of another one, or for nobody's.
    precondition(
      object.identity.key == key,
      "An override of init(entity:insertInto:) hands on the entity and the context that it was given, before it makes "
        + "other objects.")
    return object
  }

  /// Hands over what the initialiser of the object that is being materialized is to use.
  @inline(__always) func takeAwaited(for entity: EntityDescription) -> AwaitedObject? {
    guard let result = context.loading.awaited,
      result.binding._withUnsafeGuaranteedRef({ $0.entity === entity })
    else { return nil }
    context.loading.awaited = nil
    return result
  }
}
