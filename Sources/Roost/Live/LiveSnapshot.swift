// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostModel

/// A snapshot of live results, as values for any task.
///
/// ```swift
/// for try await people in container.live(request, { Row(name: $0.name, age: $0.age) }) {
///   await screen.show(people.elements)
/// }
/// ```
public struct LiveSnapshot<Value: Sendable>: Sendable {
  /// The value made of each object, in the order of the request.
  public let elements: [Value]
  /// The IDs of the objects, in the same order.
  public let ids: [ObjectID]
  /// The difference from the previous snapshot; the first one lists everything as inserted.
  public let update: LiveUpdate
  /// Whether the elements are outdated: after a change, a store could not be read. The elements are those of the
  /// snapshot before. As soon as the stores can be read again, a snapshot follows that is not stale.
  ///
  /// ```swift
  /// for try await people in container.liveIDs(request) { banner.isHidden = !people.isStale }
  /// ```
  public let isStale: Bool

  /// The position of the stores' histories up to which the snapshot is current: see ``LiveUpdate/token``.
  public var token: PersistentHistoryToken? { update.token }

  /// Insertions and removals since the previous snapshot, by index.
  public var difference: CollectionDifference<ObjectID> { update.difference }
}
