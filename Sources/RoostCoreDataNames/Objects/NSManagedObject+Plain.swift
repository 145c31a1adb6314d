// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

extension EntityInstance where Self: ManagedObject {
  /// Creates an object of this class's entity, without a context. In Core Data such an object cannot be used; here it
  /// can be inserted later. The program stops when no model in use has the class.
  public init() {
    let entity = Self.entity()
    precondition(
      entity.managedObjectModel != nil, "No model in use has an entity of the class \(Self.self).")
    self.init(entity: entity, insertInto: nil)
  }
}
