// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostObjects

/// Writes down the notifications of a context: `Did change +2 ~1 -1`, with the numbers of inserted, updated, deleted
/// (`-`), refreshed (`r`) and invalidated (`x`) objects.
package final class Listener {
  /// The recorded notifications.
  private final class Notes: @unchecked Sendable {
    // Sendable: notifications come on the thread of the case, one after the other.
    var lines: [String] = []
    var last = ManagedObjectContext.ObjectChanges()
    var reaction: ((Notification) throws -> Void)?
    var failure: (any Error)?
  }

  private let notes = Notes()
  private var tokens: [any NSObjectProtocol] = []

  package static let words: [(name: Notification.Name, word: String)] = [
    (ManagedObjectContext.didChangeObjectsNotification, "changed"),
    (ManagedObjectContext.willSaveObjectsNotification, "willSave"),
    (ManagedObjectContext.didSaveObjectsNotification, "didSave"),
    (ManagedObjectContext.didSaveObjectIDsNotification, "didSaveIDs"),
    (ManagedObjectContext.didMergeChangesObjectIDsNotification, "didMerge"),
  ]

  package init(_ context: ManagedObjectContext) {
    for (name, word) in Listener.words {
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
          [notes] note in
          notes.lines.append(Listener.line(word, note))
          notes.last = ManagedObjectContext.ObjectChanges(note)
          guard let reaction = notes.reaction else { return }
          do { try reaction(note) } catch { notes.failure = error }
        })
    }
  }

  deinit {
    for token in tokens { NotificationCenter.default.removeObserver(token) }
  }

  /// Calls a closure with each notification from now on.
  package func react(_ reaction: @escaping (Notification) throws -> Void) {
    notes.reaction = reaction
  }

  /// Returns the notifications since the last call.
  ///
  /// - Throws: The error of a reaction.
  package func take() throws -> [String] {
    if let failure = notes.failure { throw failure }
    defer { notes.lines = [] }
    return notes.lines
  }

  /// The changes in the last notification.
  package var last: ManagedObjectContext.ObjectChanges { notes.last }

  private static func line(_ word: String, _ note: Notification) -> String {
    let ids = ManagedObjectContext.ObjectIDChanges(note)
    let counts = [
      ("+", ids.insertedObjectIDs.count), ("~", ids.updatedObjectIDs.count),
      ("-", ids.deletedObjectIDs.count), ("r", ids.refreshedObjectIDs.count),
      ("x", ids.invalidatedObjectIDs.count),
    ]
    return counts.reduce(word) { $1.1 == 0 ? $0 : "\($0) \($1.0)\($1.1)" }
  }
}
