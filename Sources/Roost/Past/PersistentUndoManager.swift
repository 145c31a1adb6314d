// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
import RoostModel
public import RoostObjects

/// Undoes the saves of an author, newest first, even after a restart of the program: the history of the stores is the
/// undo stack.
///
/// Unsaved changes are undone first, as a ``ChangeUndoManager`` does. When there are none left, ``undo()`` reverts
/// the author's last transaction that was not reverted, and saves; ``redo()`` reverts that save, and saves. A
/// property that another writer has changed since is left alone, and listed in ``lastReport``; a transaction that can
/// no longer be reverted, even in part, is skipped. The stack ends at the oldest transaction that the history keeps.
///
/// ```swift
/// let undo = try PersistentUndoManager(context, author: "ada")
/// context.undoManager = undo
/// ada.name = "Countess"
/// try context.save()
/// // ... also after a restart
/// context.undo()
/// ```
/// The stores must keep a history with values: ``StoreOption/historyLevel``. Each save is one step, even if it has
/// written to several stores: its transactions are undone together. So are the saves of a group, even after a
/// restart:
///
/// ```swift
/// undo.beginUndoGrouping()
/// try context.save()  // ... and again, after each page
/// undo.endUndoGrouping()
/// context.undo()  // takes back all of them
/// ```
/// They are reverted one after the other, each by a save of its own, after unsaved changes are undone. A group that
/// is not closed ends with the manager. Like its context, the manager is used on the context's queue.
public final class PersistentUndoManager: UndoManaging {
  /// Posted before something is undone, redone or grouped, so that the context registers its pending changes.
  public static var checkpointNotification: Notification.Name {
    ChangeUndoManager.checkpointNotification
  }

  /// The transactions that are undone.
  ///
  /// ```swift
  /// let undo = try PersistentUndoManager(context, author: "ada", scope: .context)
  /// ```
  public enum Scope: Sendable, Hashable {
    /// All transactions of the author.
    case author
    /// The transactions that the author has saved in contexts with the name that the context had when the manager was
    /// made.
    case context
  }

  /// The author.
  public let author: String
  /// The report of the last undo or redo; nil before the first one, when only unsaved changes were undone, and when
  /// nothing could be undone.
  public private(set) var lastReport: RevertReport?
  /// The error of the last undo or redo; nil when it succeeded.
  ///
  /// Nothing was changed then, unless the error occurred within a group: saves of the group that were reverted before
  /// it stay reverted, as ``lastReport`` says, and the remaining ones form a step of their own.
  public private(set) var lastError: (any Error)?

  private weak var context: ManagedObjectContext?
  private var history: UndoHistory
  /// The undo manager of unsaved changes.
  private let unsaved = ChangeUndoManager()
  private var observers: [any NSObjectProtocol] = []
  private var isReverting = false
  private var isRepeating = false
  /// The nesting level of the groups that the program has opened.
  private var openGroups = 0
  /// The group of the saves; nil while none is open. The context references it weakly.
  private var group: SaveGroup?

  /// A weak reference to the manager, for notification observers.
  private final class Reference: @unchecked Sendable {
    // Sendable: set before it is shared, and used where the notifications are posted: on the context's queue.
    weak var manager: PersistentUndoManager?
  }

  /// Makes a manager for an author's past and future saves: the context saves as that author from now on.
  ///
  /// - Parameters:
  ///   - context: The context whose changes are undone; set its `undoManager` to the manager, too.
  ///   - author: The author, used as `transactionAuthor` of the context.
  ///   - scope: The transactions that are undone.
  /// - Throws: `PersistenceError` with code `persistentStoreUnsupportedRequestType` when a store of the context
  ///   records no values, `invalidRequest` for a child of another context, or the error of a store.
  /// - Complexity: One round trip for each store; O(transactions that are kept).
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
    // A group that another manager has opened does not belong to this one.
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
    // Once saved, changes are undone as a transaction.
    observers.append(
      NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.didSaveObjectsNotification, object: context, queue: nil
      ) { _ in reference.manager?.unsaved.removeAllActions() })
  }

  // MARK: - Undoing

  /// Whether there is something to undo. It reads new transactions of the histories, in one round trip for each
  /// store, unless unsaved changes can be undone.
  public var canUndo: Bool { unsaved.canUndo || !(caughtUp()?.undoable.isEmpty ?? true) }

  /// Whether there is something to redo. It reads new transactions of the histories.
  public var canRedo: Bool {
    unsaved.canRedo || !hasUnsaved && !(caughtUp()?.redoable.isEmpty ?? true)
  }

  /// Whether an undo is going on.
  public var isUndoing: Bool { unsaved.isUndoing || isReverting }
  /// Whether a redo is going on.
  public var isRedoing: Bool { unsaved.isRedoing || isRepeating }

  /// Undoes the last unsaved changes or, if there are none, the author's last transaction, and saves that.
  ///
  /// An error is in ``lastError``: then the context is unchanged, except for what ``lastReport`` lists.
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

  /// Redoes what was undone last. An error is in ``lastError``.
  public func redo() {
    NotificationCenter.default.post(name: Self.checkpointNotification, object: self)
    lastReport = nil
    lastError = nil
    guard !unsaved.canRedo, !hasUnsaved else { return unsaved.redo() }
    isRepeating = true
    defer { isRepeating = false }
    takeBack { $0.redoable.last }
  }

  /// Undoes the last nested group, or the last group.
  public func undoNestedGroup() {
    unsaved.groupingLevel > 0 ? unsaved.undoNestedGroup() : undo()
  }

  private var hasUnsaved: Bool { context?.hasChanges ?? false }

  /// Returns the undo and redo stacks, up to date; nil when they cannot be read.
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

  /// Reverts the last transaction of a stack that can be reverted at least in part, and saves.
  private func takeBack(_ next: (UndoHistory) -> UndoHistory.Step?) {
    guard let context, caughtUp() != nil else { return }
    // The save of an undo is the author's, even if the context saves as another one now.
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

  /// Whether undo registration is enabled.
  public var isUndoRegistrationEnabled: Bool {
    unsaved.isUndoRegistrationEnabled && !isReverting && !isRepeating
  }
  /// Enables undo registration; each call balances one of ``disableUndoRegistration()``.
  public func enableUndoRegistration() { unsaved.enableUndoRegistration() }
  /// Disables undo registration. Saved transactions can still be undone.
  public func disableUndoRegistration() { unsaved.disableUndoRegistration() }
  /// The nesting level of open groups of unsaved changes.
  public var groupingLevel: Int { unsaved.groupingLevel }
  /// Whether registrations outside of a group open one, which is closed at the end of the event.
  public var groupsByEvent: Bool {
    get { unsaved.groupsByEvent }
    set { unsaved.groupsByEvent = newValue }
  }
  /// Opens a group: everything registered or saved until it is closed is undone together.
  public func beginUndoGrouping() {
    unsaved.beginUndoGrouping()
    openGroups += 1
    guard openGroups == 1, let context else { return }
    group = SaveGroup()
    UndoHistory.setGroup(group, of: context)
  }
  /// Closes the last group that was opened.
  public func endUndoGrouping() {
    unsaved.endUndoGrouping()
    noteClosedGroups(openGroups - 1)
  }

  /// Notes the number of the program's groups that are left; an undo closes its own groups.
  private func noteClosedGroups(_ count: Int) {
    guard openGroups > 0 else { return }
    openGroups = max(count, 0)
    if openGroups == 0 { group = nil }
  }
  /// The maximum number of groups of unsaved changes; 0 for no limit. The history determines how many transactions
  /// can be undone.
  public var levelsOfUndo: Int {
    get { unsaved.levelsOfUndo }
    set { unsaved.levelsOfUndo = newValue }
  }
  /// Removes the undo actions of unsaved changes, for example at a rollback. Saved transactions can be undone for as
  /// long as the history keeps them.
  public func removeAllActions() { unsaved.removeAllActions() }
  /// Removes the undo actions of an object.
  public func removeAllActions(withTarget target: Any) {
    unsaved.removeAllActions(withTarget: target)
  }
  /// Names the unsaved action that is being registered.
  public func setActionName(_ actionName: String) { unsaved.setActionName(actionName) }
  /// The name of the unsaved action that would be undone; empty if there is none, and for a transaction.
  public var undoActionName: String { unsaved.undoActionName }
  /// The name of the unsaved action that would be redone; empty if there is none, and for a transaction.
  public var redoActionName: String { unsaved.redoActionName }
  /// Registers an undo action for an unsaved event of a context.
  public func registerUndo(
    of context: ManagedObjectContext, _ action: @escaping (ManagedObjectContext) -> Void
  ) {
    unsaved.registerUndo(of: context, action)
  }
  /// Closes the group of an event that a registration opened.
  public func closeEventGroup() { unsaved.closeEventGroup() }
}
