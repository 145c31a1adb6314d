// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Which slots of the rows a reader looks at: an engine that reads rows from bytes leaves out the others.
package struct RowNeed: Hashable, Sendable {
  /// The slots that are looked at while rows are alive in a chunk.
  package var judged: RowSlots
  /// The slots of the rows that are kept.
  package var kept: RowSlots
  /// Whether the versions of rows are looked at while they are alive in a chunk; they are there with judged slots too.
  package var judgesVersions: Bool

  package init(
    judged: RowSlots = .none, kept: RowSlots = .all, judgesVersions: Bool = false
  ) {
    self.judged = judged
    self.kept = kept
    self.judgesVersions = judgesVersions
  }

  /// Whether a chunk shows more of a row than its key.
  package var isJudged: Bool { judgesVersions || judged != .none }

  /// Whole rows, from the beginning.
  package static let wholeRows = RowNeed(judged: .all)
  /// Whole rows of those that are kept; of the others only the keys.
  package static let keptRows = RowNeed()
}

/// Some slots of a layout, by their indices.
package enum RowSlots: Hashable, Sendable {
  case all
  case some(Set<Int>)

  package static let none = RowSlots.some([])

  /// Whether a slot is among them.
  package func contains(_ slot: RowSlot) -> Bool {
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
