// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator

/// A message about a change of a context, as a value for any task: see ``ManagedObjectContext/messages(of:)``.
///
/// ```swift
/// for await save in context.messages(of: ManagedObjectContext.DidSaveObjectIDsMessage.self) {
///   print(save.changes.insertedObjectIDs.count)
/// }
/// ```
public protocol ContextMessage: Sendable {}

extension ManagedObjectContext {
  /// A save begins.
  ///
  /// ```swift
  /// for await save in context.messages(of: ManagedObjectContext.WillSaveMessage.self) {
  ///   print(save.contextName ?? "a context")
  /// }
  /// ```
  public struct WillSaveMessage: ContextMessage, Hashable {
    /// The name of the context.
    public let contextName: String?
  }

  /// An event ended in which objects were changed.
  ///
  /// ```swift
  /// for await message in context.messages(of: ManagedObjectContext.ObjectsDidChangeMessage.self) {
  ///   print(message.changes.updatedObjectIDs.count)
  /// }
  /// ```
  public struct ObjectsDidChangeMessage: ContextMessage, Hashable {
    /// The name of the context.
    public let contextName: String?
    /// The objects.
    public let changes: ObjectIDChanges
    /// Whether all objects of the context, or of a store, were invalidated together.
    public let hasInvalidatedAll: Bool
  }

  /// A save wrote something.
  ///
  /// ```swift
  /// for await save in context.messages(of: ManagedObjectContext.DidSaveObjectIDsMessage.self) {
  ///   print(save.changes.updatedObjectIDs.count)
  /// }
  /// ```
  public struct DidSaveObjectIDsMessage: ContextMessage, Hashable {
    /// The name of the context.
    public let contextName: String?
    /// The objects.
    public let changes: ObjectIDChanges
    package let token: PersistentHistoryToken?
  }

  /// Saves of other contexts were merged into the context.
  ///
  /// ```swift
  /// for await merge in context.messages(of: ManagedObjectContext.DidMergeChangesMessage.self) {
  ///   print(merge.changes.refreshedObjectIDs.count)
  /// }
  /// ```
  public struct DidMergeChangesMessage: ContextMessage, Hashable {
    /// The name of the context.
    public let contextName: String?
    /// The objects.
    public let changes: ObjectIDChanges
  }

  /// Core Data's name for the message of a context that is not on the main actor; Roost has one type for both.
  public typealias DidSaveObjectIDsAsyncMessage = DidSaveObjectIDsMessage
  /// Core Data's name for the message of a context that is not on the main actor; Roost has one type for both.
  public typealias DidMergeChangesAsyncMessage = DidMergeChangesMessage
}
