// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostModel

/// Live results at one moment, as values for any task.
///
/// ```swift
/// for try await people in container.live(request, { Row(name: $0.name, age: $0.age) }) {
///   await screen.show(people.elements)
/// }
/// ```
public struct LiveSnapshot<Value: Sendable>: Sendable {
  /// What was made of each object, in the order of the request.
  public let elements: [Value]
  /// The IDs of the objects, in the same order.
  public let ids: [ObjectID]
  /// How it differs from the snapshot before; the first one names everything as new.
  public let update: LiveUpdate

  /// How far the histories of the stores are shown: see ``LiveUpdate/token``.
  public var token: PersistentHistoryToken? { update.token }

  /// Who left and who came since the snapshot before, by their places.
  public var difference: CollectionDifference<ObjectID> { update.difference }
}
