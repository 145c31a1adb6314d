// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostObjects

// Core Data has two forms of `performAndWait(_:)`: one with a result, and `(() -> Void) -> Void`. Programs pass the
// second one as a function value, to which the generic, rethrowing method cannot be converted. Direct calls choose
// the first one.

extension ManagedObjectContext {
  /// Runs a closure on the queue and waits for it, in a form that can be passed as a function value.
  @_disfavoredOverload
  public func performAndWait(_ block: () -> Void) {
    let result: Void = performAndWait { () -> Void in block() }
    return result
  }
}

extension PersistentStoreCoordinator {
  /// Runs a closure after those that earlier calls of `perform` enqueued, and waits for it, in a form that can be
  /// passed as a function value.
  @_disfavoredOverload
  public func performAndWait(_ block: () -> Void) {
    let result: Void = performAndWait { () -> Void in block() }
    return result
  }
}
