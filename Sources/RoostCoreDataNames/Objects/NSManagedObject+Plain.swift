// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

extension EntityInstance where Self: ManagedObject {
  /// Creates an object of the entity that this class stands for, without a context. Core Data makes an object that
  /// cannot be used; this one can be inserted later. The process ends when no model in use has the class.
  public init() {
    let entity = Self.entity()
    precondition(
      entity.managedObjectModel != nil, "No model in use has an entity of the class \(Self.self).")
    self.init(entity: entity, insertInto: nil)
  }
}
