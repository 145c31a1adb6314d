// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// One way to use an index for a request.
struct IndexAccess {
  var index: IndexDefinition
  /// The parts of the index that are read: in order, apart from each other.
  var ranges: [KeyRange]
  /// The parts of the condition that the ranges say.
  var covered: Set<Int>
  /// The components at the beginning that have one value in all ranges.
  var fixedCount: Int
  /// Whether every row of the ranges satisfies the covered parts. Not so where keys may be cut.
  var isExact: Bool

  /// How an index answers conditions.
  init(_ index: IndexDefinition, _ conditions: RequestConditions) {
    covered = []
    var first: [SlotCondition] = []
    for component in index.components {
      guard let (parts, condition) = conditions.condition(onOffset: component.slot.offset) else {
        break
      }
      covered.formUnion(parts)
      first.append(condition)
      if condition.fixedValue == nil { break }
    }
    covered.formUnion(conditions.partsSaid(by: index))
    self.index = index
    isExact = !index.canCut
    (ranges, fixedCount) = IndexAccess.ranges(of: index, first)
  }

  /// How an index answers conditions on its first components, one on each, that are the whole condition of a request.
  init(_ index: IndexDefinition, whole conditions: [SlotCondition]) {
    self.index = index
    covered = []
    isExact = true
    (ranges, fixedCount) = IndexAccess.ranges(of: index, conditions)
  }

  /// How an index answers that its first components have certain values.
  ///
  /// - Parameters:
  ///   - prefix: The encoded values, as they begin the keys.
  ///   - fixedCount: The number of components.
  init(_ index: IndexDefinition, prefix: [UInt8], fixedCount: Int) {
    self.index = index
    covered = []
    isExact = true
    ranges = [index.cutting(KeyRange(prefix: prefix))]
    self.fixedCount = fixedCount
  }

  /// Returns the ranges for conditions on the first components, and the number of components with a single value.
  ///
  /// Components with one value come first; then one component may have several values or a range.
  private static func ranges(
    of index: IndexDefinition, _ conditions: [SlotCondition]
  ) -> (ranges: [KeyRange], fixedCount: Int) {
    var prefix: [UInt8] = []
    var ranges: [KeyRange]?
    var fixedCount = 0
    while fixedCount < conditions.count {
      let isDescending = index.components[fixedCount].isDescending
      guard let value = conditions[fixedCount].fixedValue else {
        ranges = conditions[fixedCount].ranges(after: prefix, isDescending: isDescending)
        break
      }
      prefix += isDescending ? value.map { ~$0 } : value
      fixedCount += 1
    }
    let found = ranges ?? [KeyRange(prefix: prefix)]
    return (index.canCut ? found.map { index.cutting($0) } : found, fixedCount)
  }

  /// Returns the scan direction that gives a requested order; nil when neither does.
  func direction(for sort: [ResolvedSort]) -> Direction? {
    var components = index.components.dropFirst(fixedCount)
    let fixed = index.components.prefix(fixedCount).map(\.slot.offset)
    var isDescending: Bool?
    for step in sort {
      guard step.path.root == .object, let slot = RequestConditions.ownSlot(of: step.path) else {
        return nil
      }
      if fixed.contains(slot.offset) { continue }
      // Scores are in no index.
      guard step.search == nil, let component = components.popFirst(),
        component.slot.offset == slot.offset,
        slot.kind != .reference, slot.kind != .string || step.comparator == .binary
      else { return nil }
      let turns = step.ascending == component.isDescending
      guard isDescending == nil || isDescending == turns else { return nil }
      isDescending = turns
    }
    // Entries that are equal in the order must be in the order of their keys.
    guard components.isEmpty else { return nil }
    return isDescending == true ? .descending : .ascending
  }

  enum Direction { case ascending, descending }
}

extension IndexDefinition {
  /// Whether the keys of some rows may be cut.
  var canCut: Bool {
    longestKey != .max
      && components.contains { component in
        switch component.slot.kind {
        case .string, .data, .uri: true
        default: false
        }
      }
  }

  /// Returns a range that includes every truncated key whose full key would be in the given range.
  func cutting(_ range: KeyRange) -> KeyRange {
    guard canCut else { return range }
    var cut = range
    if cut.lower.count > longestWhole { cut.lower = Array(cut.lower[..<longestWhole]) }
    if let upper = cut.upper, upper.count > longestWhole {
      cut.upper = KeyRange.successor(of: Array(upper[..<longestWhole]))
    }
    return cut
  }
}
