// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostObjects
public import RoostQuery

extension ManagedObjectContext {
  /// Creates a context; give it a coordinator or a parent before it is used.
  ///
  /// - Parameter type: The queue on which the context runs its work.
  public convenience init(concurrencyType type: NSManagedObjectContextConcurrencyType) {
    precondition(
      type != .confinementConcurrencyType, "A context has a queue: its own, or the main queue.")
    self.init(type, coordinator: nil)
    followCoreData()
  }

  /// Reads an object again; the next save throws any error.
  public func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    bridge.refreshLater(object, mergeChanges: flag)
  }

  /// Reads all registered objects again, keeping unsaved changes; the next save throws any error.
  public func refreshAllObjects() {
    bridge.refreshAllLater()
  }

  /// Assigns a new object to a store; the next save throws any error.
  public func assign(_ object: NSManagedObject, to store: NSPersistentStore) {
    bridge.assignLater(object, to: store.store)
  }
}

extension ManagedObjectContext {
  /// A dictionary for the program's own objects of any kind; it is not shared with a parent or child context.
  public var userInfo: NSMutableDictionary {
    // Only the closure below makes the object, which is then kept.
    unsafeDowncast(userInfoObject { NSMutableDictionary() }, to: NSMutableDictionary.self)
  }
}

extension NSDictionary: FetchRequestResult {
  /// Dictionaries as fetch results.
  public static var fetchRequestResultType: FetchRequestResultType { .dictionaryResultType }
}

extension NSNumber: FetchRequestResult {
  /// A count as the fetch result.
  public static var fetchRequestResultType: FetchRequestResultType { .countResultType }
}
