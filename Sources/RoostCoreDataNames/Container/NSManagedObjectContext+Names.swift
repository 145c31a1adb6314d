// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostObjects
public import RoostQuery

extension ManagedObjectContext {
  /// Creates a context; give it a coordinator or a parent before it is used.
  ///
  /// - Parameter type: How the context's work is queued.
  public convenience init(concurrencyType type: NSManagedObjectContextConcurrencyType) {
    precondition(
      type != .confinementConcurrencyType, "A context has a queue: its own, or the main queue.")
    self.init(type, coordinator: nil)
    followCoreData()
  }

  /// Reads an object anew; what goes wrong is thrown by the next save.
  public func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    bridge.refreshLater(object, mergeChanges: flag)
  }

  /// Reads all registered objects anew, keeping unsaved changes; what goes wrong is thrown by the next save.
  public func refreshAllObjects() {
    bridge.refreshAllLater()
  }

  /// Assigns a new object to a store; what goes wrong is thrown by the next save.
  public func assign(_ object: NSManagedObject, to store: NSPersistentStore) {
    bridge.assignLater(object, to: store.store)
  }
}

extension ManagedObjectContext {
  /// What the program keeps with the context: objects of any kind, and not a child's or a parent's.
  public var userInfo: NSMutableDictionary {
    // The closure below is the only one that makes the object, and what it makes is kept.
    unsafeDowncast(userInfoObject { NSMutableDictionary() }, to: NSMutableDictionary.self)
  }
}

extension NSDictionary: FetchRequestResult {
  /// Dictionaries.
  public static var fetchRequestResultType: FetchRequestResultType { .dictionaryResultType }
}

extension NSNumber: FetchRequestResult {
  /// A number.
  public static var fetchRequestResultType: FetchRequestResultType { .countResultType }
}
