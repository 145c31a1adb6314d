// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The slots of the rows that a reader needs. An engine that reads rows from bytes may leave out the others; an
/// engine that holds rows passes them as they are.
///
/// ```swift
/// let isRead = need.judged.contains(slot) || need.kept.contains(slot)
/// ```
public struct RowNeed: Hashable, Sendable {
  /// The slots that the reader looks at while rows are in a chunk.
  public var judged: RowSlots
  /// The slots of the rows that are kept.
  public var kept: RowSlots
  /// Whether the reader looks at the versions of rows in a chunk; with judged slots they are available anyway.
  public var judgesVersions: Bool

  /// Makes a need.
  ///
  /// - Parameters:
  ///   - judged: The slots that the reader looks at while rows are in a chunk.
  ///   - kept: The slots of the rows that are kept.
  ///   - judgesVersions: Whether it looks at versions.
  public init(
    judged: RowSlots = .none, kept: RowSlots = .all, judgesVersions: Bool = false
  ) {
    self.judged = judged
    self.kept = kept
    self.judgesVersions = judgesVersions
  }

  /// Whether a chunk shows more of a row than its key.
  public var isJudged: Bool { judgesVersions || judged != .none }

  /// Whole rows, from the beginning.
  package static let wholeRows = RowNeed(judged: .all)
  /// Whole rows for those that are kept; only the keys of the others.
  package static let keptRows = RowNeed()
}

/// Some slots of a layout, by their indices.
///
/// ```swift
/// let first = RowSlots.some([0])
/// ```
public enum RowSlots: Hashable, Sendable {
  /// All slots.
  case all
  /// The slots with these indices.
  case some(Set<Int>)

  /// No slots.
  public static let none = RowSlots.some([])

  /// Whether a slot is among them.
  public func contains(_ slot: RowSlot) -> Bool {
    switch self {
    case .all: true
    case .some(let indices): indices.contains(slot.index)
    }
  }

  /// The slots of both.
  package func union(_ other: RowSlots) -> RowSlots {
    guard case .some(let left) = self, case .some(let right) = other else { return .all }
    return .some(left.union(right))
  }
}
