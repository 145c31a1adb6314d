// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
import RoostModel
public import RoostObjects

/// Undoes what an author has saved, newest first, also after the program was started anew: the stack is the history of
/// the stores.
///
/// What is not saved yet is undone first, as a ``ChangeUndoManager`` does it. When that is used up, ``undo()`` reverts
/// the last transaction of the author that was not reverted, and saves; ``redo()`` reverts that save, and saves. A
/// property that another writer has changed since stays as it is, and ``lastReport`` says so; a transaction of which
/// nothing can be taken back any more is passed over. A transaction that the history does not keep any more ends the
/// stack.
///
/// ```swift
/// let undo = try PersistentUndoManager(context, author: "ada")
/// context.undoManager = undo
/// ada.name = "Countess"
/// try context.save()
/// // ... also after a restart
/// context.undo()
/// ```
/// The stores keep a history with values: ``StoreOption/historyLevel``. Each save is a step of its own, also one that
/// has written to several stores: its transactions are undone together. So are the saves of one group, also after a
/// restart:
///
/// ```swift
/// undo.beginUndoGrouping()
/// try context.save()  // ... and again, after each page
/// undo.endUndoGrouping()
/// context.undo()  // takes back all of them
/// ```
/// They are reverted one after the other, each by a save of its own; what is not saved yet is undone before. A group
/// that is not closed is over with the manager. Like its context, the manager is used on the context's queue.
public final class PersistentUndoManager: UndoManaging {
  /// Posted before something is undone, done again or grouped: the context registers its changes then.
  public static var checkpointNotification: Notification.Name {
    ChangeUndoManager.checkpointNotification
  }

  /// Whose transactions are undone.
  ///
  /// ```swift
  /// let undo = try PersistentUndoManager(context, author: "ada", scope: .context)
  /// ```
  public enum Scope: Sendable, Hashable {
    /// All of the author's.
    case author
    /// Those that the author has saved in contexts with the name that the context had when the manager was made.
    case context
  }

  /// The author.
  public let author: String
  /// What was undone or done again last, and what of it was left alone; nil before, when only unsaved changes were
  /// undone, and when nothing could be.
  public private(set) var lastReport: RevertReport?
  /// What went wrong when something was to be undone or done again; nil when nothing did.
  ///
  /// Nothing is changed then, unless it was one of the saves of a group: those that were reverted before it are, as
  /// ``lastReport`` says, and those that are left are a step of their own.
  public private(set) var lastError: (any Error)?

  private weak var context: ManagedObjectContext?
  private var history: UndoHistory
  /// The changes that are not saved.
  private let unsaved = ChangeUndoManager()
  private var observers: [any NSObjectProtocol] = []
  private var isReverting = false
  private var isRepeating = false
  /// How many groups the program has opened inside one another.
  private var openGroups = 0
  /// The group of the saves; nil while none is open. The context does not keep it.
  private var group: SaveGroup?

  /// The manager, for observers of notifications.
  private final class Reference: @unchecked Sendable {
    // Sendable: set before it is shared, and used where the notifications are posted: on the context's queue.
    weak var manager: PersistentUndoManager?
  }

  /// Makes a manager of what an author has saved, and will save: the context saves as that author from now on.
  ///
  /// - Parameters:
  ///   - context: The context whose changes are undone; set its `undoManager` to the manager, too.
  ///   - author: The author, as `transactionAuthor` of the context.
  ///   - scope: Whose transactions are undone.
  /// - Throws: `PersistenceError` with code `persistentStoreUnsupportedRequestType` when a store of the context keeps
  ///   no values, `invalidRequest` for a child of another context, or what a store says.
  /// - Complexity: One round trip a store; O(transactions that are kept).
  public init(
    _ context: ManagedObjectContext, author: String, scope: Scope = .author
  ) throws {
    self.author = author
    self.context = context
    let name = context.name
    history = UndoHistory { transaction in
      transaction.author == author && (scope == .author || transaction.contextName == name)
    }
    try UndoHistory.check(context)
    try history.catchUp(with: context)
    context.transactionAuthor = author
    // A group that another manager has opened is not this one's to close.
    UndoHistory.setGroup(nil, of: context)
    observe(context)
  }

  deinit {
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
  }

  private func observe(_ context: ManagedObjectContext) {
    let reference = Reference()
    reference.manager = self
    observers.append(
      NotificationCenter.default.addObserver(
        forName: ChangeUndoManager.checkpointNotification, object: unsaved, queue: nil
      ) { _ in
        guard let manager = reference.manager else { return }
        NotificationCenter.default.post(name: Self.checkpointNotification, object: manager)
      })
    // What is saved is undone as a transaction from then on.
    observers.append(
      NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.didSaveObjectsNotification, object: context, queue: nil
      ) { _ in reference.manager?.unsaved.removeAllActions() })
  }

  // MARK: - Undoing

  /// Whether there is something to be undone. It reads what is new in the histories: one round trip a store, unless
  /// unsaved changes can be undone.
  public var canUndo: Bool { unsaved.canUndo || !(caughtUp()?.undoable.isEmpty ?? true) }

  /// Whether there is something to be done again. It reads what is new in the histories.
  public var canRedo: Bool {
    unsaved.canRedo || !hasUnsaved && !(caughtUp()?.redoable.isEmpty ?? true)
  }

  /// Whether an undo is going on.
  public var isUndoing: Bool { unsaved.isUndoing || isReverting }
  /// Whether a redo is going on.
  public var isRedoing: Bool { unsaved.isRedoing || isRepeating }

  /// Undoes the last unsaved changes, or when there are none, the author's last transaction, and saves that.
  ///
  /// What goes wrong is in ``lastError``: the context is as it was then, but for what ``lastReport`` names.
  public func undo() {
    NotificationCenter.default.post(name: Self.checkpointNotification, object: self)
    lastReport = nil
    lastError = nil
    guard !unsaved.canUndo else {
      unsaved.undo()
      return noteClosedGroups(min(openGroups, unsaved.groupingLevel))
    }
    isReverting = true
    defer { isReverting = false }
    takeBack { $0.undoable.last }
  }

  /// Does again what was undone last. What goes wrong is in ``lastError``.
  public func redo() {
    NotificationCenter.default.post(name: Self.checkpointNotification, object: self)
    lastReport = nil
    lastError = nil
    guard !unsaved.canRedo, !hasUnsaved else { return unsaved.redo() }
    isRepeating = true
    defer { isRepeating = false }
    takeBack { $0.redoable.last }
  }

  /// Takes back the last group that is inside the open one, or the last one.
  public func undoNestedGroup() {
    unsaved.groupingLevel > 0 ? unsaved.undoNestedGroup() : undo()
  }

  private var hasUnsaved: Bool { context?.hasChanges ?? false }

  /// The stacks as they are now; nil when they cannot be read.
  private func caughtUp() -> UndoHistory? {
    guard let context else { return nil }
    do {
      try history.catchUp(with: context)
      return history
    } catch {
      lastError = error
      return nil
    }
  }

  /// Reverts the last transaction of a stack of which something can be taken back, and saves.
  private func takeBack(_ next: (UndoHistory) -> UndoHistory.Step?) {
    guard let context, caughtUp() != nil else { return }
    // What is undone stays the author's, also where the context saves as another one by now.
    let saver = context.transactionAuthor
    context.transactionAuthor = author
    defer { context.transactionAuthor = saver }
    do {
      guard !context.hasChanges else {
        throw PersistenceError(
          .invalidRequest,
          "The context has unsaved changes that cannot be undone: save them, or roll them back, first."
        )
      }
      while let step = next(history) {
        let attempt = history.takeBack(step, in: context)
        history.drop(attempt.lost)
        lastReport = attempt.outcome.map(RevertReport.init)
        if let error = attempt.error { throw error }
        guard lastReport == nil else { return }
      }
    } catch {
      lastError = error
    }
  }

  // MARK: - Unsaved changes

  /// Whether what is registered is kept.
  public var isUndoRegistrationEnabled: Bool {
    unsaved.isUndoRegistrationEnabled && !isReverting && !isRepeating
  }
  /// Keeps what is registered from now on; each call balances one of ``disableUndoRegistration()``.
  public func enableUndoRegistration() { unsaved.enableUndoRegistration() }
  /// Drops what is registered from now on. Saved transactions are undone all the same.
  public func disableUndoRegistration() { unsaved.disableUndoRegistration() }
  /// How many groups of unsaved changes are open inside one another.
  public var groupingLevel: Int { unsaved.groupingLevel }
  /// Whether what is registered outside of a group makes one of its own, which is closed when the event ends.
  public var groupsByEvent: Bool {
    get { unsaved.groupsByEvent }
    set { unsaved.groupsByEvent = newValue }
  }
  /// Opens a group: what is registered, and what is saved, until it is closed is undone together.
  public func beginUndoGrouping() {
    unsaved.beginUndoGrouping()
    openGroups += 1
    guard openGroups == 1, let context else { return }
    group = SaveGroup()
    UndoHistory.setGroup(group, of: context)
  }
  /// Closes the group that was opened last.
  public func endUndoGrouping() {
    unsaved.endUndoGrouping()
    noteClosedGroups(openGroups - 1)
  }

  /// Notes how many groups of the program are left; those of an undo are closed by it.
  private func noteClosedGroups(_ count: Int) {
    guard openGroups > 0 else { return }
    openGroups = max(count, 0)
    if openGroups == 0 { group = nil }
  }
  /// How many groups of unsaved changes are kept; 0 for all. How many transactions can be undone is up to the history.
  public var levelsOfUndo: Int {
    get { unsaved.levelsOfUndo }
    set { unsaved.levelsOfUndo = newValue }
  }
  /// Forgets how unsaved changes are undone, as at a rollback. What is saved can be undone for as long as the history
  /// keeps it.
  public func removeAllActions() { unsaved.removeAllActions() }
  /// Forgets what was registered for an object.
  public func removeAllActions(withTarget target: Any) {
    unsaved.removeAllActions(withTarget: target)
  }
  /// Names the unsaved action that is being registered.
  public func setActionName(_ actionName: String) { unsaved.setActionName(actionName) }
  /// The name of the unsaved action that would be undone; empty without one, and for a transaction.
  public var undoActionName: String { unsaved.undoActionName }
  /// The name of the unsaved action that would be done again; empty without one, and for a transaction.
  public var redoActionName: String { unsaved.redoActionName }
  /// Registers how a context takes back an event that is not saved.
  public func registerUndo(
    of context: ManagedObjectContext, _ action: @escaping (ManagedObjectContext) -> Void
  ) {
    unsaved.registerUndo(of: context, action)
  }
  /// Ends the event whose group was opened by a registration.
  public func closeEventGroup() { unsaved.closeEventGroup() }
}
