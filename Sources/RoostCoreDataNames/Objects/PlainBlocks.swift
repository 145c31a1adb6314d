// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostObjects

// Core Data has `performAndWait(_:)` twice: with a result, and as `(() -> Void) -> Void`. Programs hand the second one
// on as a function, which the generic method, as it rethrows, cannot be converted to. Calls choose the first one.

extension ManagedObjectContext {
  /// Runs a closure on the queue and waits for it: the form that can be handed on as a function.
  @_disfavoredOverload
  public func performAndWait(_ block: () -> Void) {
    let result: Void = performAndWait { () -> Void in block() }
    return result
  }
}

extension PersistentStoreCoordinator {
  /// Runs a closure after those that `perform` took before, and waits for it: the form that can be handed on as a
  /// function.
  @_disfavoredOverload
  public func performAndWait(_ block: () -> Void) {
    let result: Void = performAndWait { () -> Void in block() }
    return result
  }
}
