// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import Synchronization

/// What a context is told about itself, and may be told from any thread (B227, B356).
struct ContextSettings: Sendable {
  var name: String?
  var userInfo: [String: any Sendable] = [:]
  var transactionAuthor: String?
  var mergePolicy = MergePolicy.error
  // The closures and the undo manager are called on the context's queue only; here they are kept.
  nonisolated(unsafe) var undoManager: (any UndoManaging)?
  nonisolated(unsafe) var handlesInaccessibleFault: ((ManagedObject, ObjectID) -> Bool)?
  nonisolated(unsafe) var onReadError: ((PersistenceError) -> Void)?
  // The dictionary of Core Data's names is the program's, which keeps to the context's queue.
  nonisolated(unsafe) var userInfoObject: AnyObject?
}

extension ManagedObjectContext {
  /// A name for the program's logs, which messages of the context carry. Stores are told of it with each save; none
  /// keeps it yet. It may be set from any thread.
  public var name: String? {
    get { settings.withLock { $0.name } }
    set { settings.withLock { $0.name = newValue } }
  }

  /// What the program keeps with the context. It may be set from any thread.
  @_disfavoredOverload
  public var userInfo: [String: any Sendable] {
    get { settings.withLock { $0.userInfo } }
    set { settings.withLock { $0.userInfo = newValue } }
  }

  /// The object that Core Data's names have as `userInfo`.
  ///
  /// - Parameter make: Makes it when it is first asked for.
  package func userInfoObject(_ make: () -> AnyObject) -> AnyObject {
    if let known = settings.withLock({ Unchecked($0.userInfoObject) }).value { return known }
    let new = Unchecked(make())
    return settings.withLock { settings in
      if settings.userInfoObject == nil { settings.userInfoObject = new.value }
      return Unchecked(settings.userInfoObject ?? new.value)
    }.value
  }

  /// The author of the changes. Stores are told of it with each save; none keeps it yet. It may be set from any thread.
  public var transactionAuthor: String? {
    get { settings.withLock { $0.transactionAuthor } }
    set { settings.withLock { $0.transactionAuthor = newValue } }
  }

  /// How conflicts of a save are resolved. It may be set from any thread.
  public var mergePolicy: MergePolicy {
    get { settings.withLock { $0.mergePolicy } }
    set { settings.withLock { $0.mergePolicy = newValue } }
  }

  /// Decides for each fault whose record is gone, in the place of ``shouldDeleteInaccessibleFaults``, and is the place
  /// to log it: in Core Data a method that subclasses override. It may be set from any thread, and is called on the
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

  /// What `onReadError` is: called each time a value could not be read where nothing could be thrown.
  package var readErrorHandler: ((PersistenceError) -> Void)? {
    get { settings.withLock { Unchecked($0.onReadError) }.value }
    set {
      let new = Unchecked(newValue)
      settings.withLock { $0.onReadError = new.value }
    }
  }

  /// How often willSave may change what it was called for.
  static let willSaveRounds = 100
}

/// What is carried into a lock or out of it and is used on the context's queue only.
struct Unchecked<Value>: @unchecked Sendable {
  // Sendable: the maker hands the value over and does not use it afterwards.
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
