// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

extension EntityInstance where Self: ManagedObject {
  /// Creates an object of the entity that this class stands for, without a context. Core Data makes an object that
  /// cannot be used; this one can be inserted later.
  public init() {
    self.init(entity: Self.entity(), insertInto: nil)
  }
}
