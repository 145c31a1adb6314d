// SPDX-License-Identifier: Apache-2.0

public import RoostModel
package import RoostStore
import Synchronization

/// Settings of a context that may be changed from any thread (B227, B356).
struct ContextSettings: Sendable {
  var name: String?
  var userInfo: [String: any Sendable] = [:]
  var transactionAuthor: String?
  var callSite: CallSite?
  var mergePolicy = MergePolicy.error
  // The closures and the undo manager are called on the context's queue only; here they are only stored.
  nonisolated(unsafe) var undoManager: (any UndoManaging)?
  nonisolated(unsafe) var handlesInaccessibleFault: ((ManagedObject, ObjectID) -> Bool)?
  nonisolated(unsafe) var onReadError: ((PersistenceError) -> Void)?
  // The dictionary of Core Data's names belongs to the program, which uses it on the context's queue.
  nonisolated(unsafe) var userInfoObject: AnyObject?
}

extension ManagedObjectContext {
  /// A name for the program's logs, included in the context's messages. It is passed to the stores with each save;
  /// none stores it yet. It may be set from any thread.
  public var name: String? {
    get { settings.withLock { $0.name } }
    set { settings.withLock { $0.name = newValue } }
  }

  /// The program's own data attached to the context. It may be set from any thread.
  @_disfavoredOverload
  public var userInfo: [String: any Sendable] {
    get { settings.withLock { $0.userInfo } }
    set { settings.withLock { $0.userInfo = newValue } }
  }

  /// The object that is `userInfo` under Core Data's names.
  ///
  /// - Parameter make: Creates the object on first use.
  package func userInfoObject(_ make: () -> AnyObject) -> AnyObject {
    if let known = settings.withLock({ Unchecked($0.userInfoObject) }).value { return known }
    let new = Unchecked(make())
    return settings.withLock { settings in
      if settings.userInfoObject == nil { settings.userInfoObject = new.value }
      return Unchecked(settings.userInfoObject ?? new.value)
    }.value
  }

  /// The author of the changes. It is passed to the stores with each save; none stores it yet. It may be set from any
  /// thread.
  public var transactionAuthor: String? {
    get { settings.withLock { $0.transactionAuthor } }
    set { settings.withLock { $0.transactionAuthor = newValue } }
  }

  /// The line of the program to which instruments attribute the requests of the context; nil for none.
  package var requestCallSite: CallSite? {
    get { settings.withLock { $0.callSite } }
    set { settings.withLock { $0.callSite = newValue } }
  }

  /// The policy that resolves a save's conflicts. It may be set from any thread.
  public var mergePolicy: MergePolicy {
    get { settings.withLock { $0.mergePolicy } }
    set { settings.withLock { $0.mergePolicy = newValue } }
  }

  /// A callback for each fault whose record is gone, which replaces ``shouldDeleteInaccessibleFaults`` and may log
  /// the fault; in Core Data a method that subclasses override. It may be set from any thread, and is called on the
  /// context's queue.
  ///
  /// ```swift
  /// context.shouldHandleInaccessibleFault = { object, id in log.warning("\(id) is gone"); return true }
  /// ```
  public var shouldHandleInaccessibleFault: ((ManagedObject, ObjectID) -> Bool)? {
    get { settings.withLock { Unchecked($0.handlesInaccessibleFault) }.value }
    set {
      let new = Unchecked(newValue)
      settings.withLock { $0.handlesInaccessibleFault = new.value }
    }
  }

  /// The value of `onReadError`: a callback for each value that could not be read where nothing could be thrown.
  package var readErrorHandler: ((PersistenceError) -> Void)? {
    get { settings.withLock { Unchecked($0.onReadError) }.value }
    set {
      let new = Unchecked(newValue)
      settings.withLock { $0.onReadError = new.value }
    }
  }

  /// The maximum number of rounds in which willSave may change its own object.
  static let willSaveRounds = 100
}

/// A wrapper that carries a value into or out of a lock; the value is used on the context's queue only.
struct Unchecked<Value>: @unchecked Sendable {
  // Sendable: the maker hands the value over and does not use it afterwards.
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
