// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectContext {
  /// Lets the next save compare the record of an object that is not changed, as if it were: when another writer changed
  /// it meanwhile, that is a conflict. The save counts the record's version up and changes no value. The save
  /// of a child hands the object on to its parent, whose save compares it.
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
