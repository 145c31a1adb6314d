// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// Makes the next save compare the record of an unchanged object, as if it were changed: a change by another writer
  /// is then a conflict. The save increments the record's version and changes no value. The save of a child passes
  /// the object to its parent, whose save compares it.
  ///
  /// ```swift
  /// context.detectConflicts(for: account)   // what was read of it decides what is written elsewhere
  /// try context.save()
  /// ```
  /// - Parameter object: A saved object of this context; another one is ignored.
  /// - Complexity: At most one query, for a fault.
  public func detectConflicts(for object: ManagedObject) {
    guard object.context === self, !object.flags.contains(.inserted) else { return }
    if object.isFault { _ = object.fire() }
    guard object.snapshot != nil else { return }
    saving.watched[ObjectIdentifier(object)] = WatchedObject(object: object)
  }
}
