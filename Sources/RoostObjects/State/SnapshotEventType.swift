// SPDX-License-Identifier: Apache-2.0

/// The reasons why an object's values were replaced as a whole, passed to
/// ``ManagedObject/awake(fromSnapshotEvents:)``.
///
/// ```swift
/// override func awake(fromSnapshotEvents events: SnapshotEventType) {
///   super.awake(fromSnapshotEvents: events)
///   if !events.isDisjoint(with: [.refresh, .rollback]) { initials = makeInitials() }
/// }
/// ```
public struct SnapshotEventType: OptionSet, Hashable, Sendable {
  /// The bits, with Core Data's numbers.
  public let rawValue: UInt

  /// Creates a set from its bits.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// An insertion was undone.
  public static let undoInsertion = SnapshotEventType(rawValue: 1 << 1)
  /// A deletion was undone: the object is back.
  public static let undoDeletion = SnapshotEventType(rawValue: 1 << 2)
  /// Changes of properties were undone or redone.
  public static let undoUpdate = SnapshotEventType(rawValue: 1 << 3)
  /// The context was rolled back to the committed values.
  public static let rollback = SnapshotEventType(rawValue: 1 << 4)
  /// The stored values were read again, by a refresh or by merging what another context saved.
  public static let refresh = SnapshotEventType(rawValue: 1 << 5)
  /// A merge policy resolved a conflict.
  public static let mergePolicy = SnapshotEventType(rawValue: 1 << 6)
}
