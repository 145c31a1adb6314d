// SPDX-License-Identifier: Apache-2.0

/// A condition on one slot in terms of an ordered index: encoded values, in ascending encoding.
enum SlotCondition: Equatable, Sendable {
  /// The value is one of these; ordered, each once. A single one fixes the slot.
  case anyOf([[UInt8]])
  /// The value is not nil and lies between two bounds.
  case range(lower: Bound?, upper: Bound?)
  /// The encoded value begins with these bytes.
  case prefix([UInt8])

  struct Bound: Equatable, Sendable {
    var value: [UInt8]
    var isInclusive: Bool
  }

  /// A condition that nothing satisfies.
  static let never = SlotCondition.anyOf([])

  static func equal(_ value: [UInt8]) -> SlotCondition { .anyOf([value]) }

  /// Makes a list of values.
  static func any(of values: [[UInt8]]) -> SlotCondition {
    var ordered = values.sorted { $0.lexicographicallyPrecedes($1) }
    ordered.removeDuplicates()
    return .anyOf(ordered)
  }

  /// The only value; nil when there may be several, or none.
  var fixedValue: [UInt8]? {
    if case .anyOf(let values) = self, values.count == 1 { return values[0] }
    return nil
  }

  /// The condition that both say together; nil when one index scan cannot say it.
  func combined(with other: SlotCondition) -> SlotCondition? {
    switch (self, other) {
    case (.anyOf(let left), .anyOf(let right)):
      return .anyOf(left.filter { right.contains($0) })
    case (.range(let lower, let upper), .range(let otherLower, let otherUpper)):
      return .range(
        lower: SlotCondition.tighter(lower, otherLower, isLower: true),
        upper: SlotCondition.tighter(upper, otherUpper, isLower: false))
    default: return nil
    }
  }

  private static func tighter(_ left: Bound?, _ right: Bound?, isLower: Bool) -> Bound? {
    guard let left, let right else { return left ?? right }
    if left.value == right.value { return left.isInclusive ? right : left }
    return left.value.lexicographicallyPrecedes(right.value) == isLower ? right : left
  }
}

// MARK: - Partial indexes

extension SlotCondition {
  /// Whether an encoded value satisfies the condition.
  func contains(_ value: [UInt8]) -> Bool {
    switch self {
    case .anyOf(let values): values.contains(value)
    case .prefix(let bytes): value.starts(with: bytes)
    case .range(let lower, let upper):
      value != [KeyEncoding.null] && (lower?.admits(value, isLower: true) ?? true)
        && (upper?.admits(value, isLower: false) ?? true)
    }
  }

  /// Whether the condition is known to imply another one.
  func implies(_ other: SlotCondition) -> Bool {
    switch (self, other) {
    case (.anyOf(let values), _): values.allSatisfy(other.contains)
    case (.prefix(let bytes), .prefix(let otherBytes)): bytes.starts(with: otherBytes)
    case (.range, .range): combined(with: other) == self
    default: false
    }
  }
}

extension SlotCondition.Bound {
  fileprivate func admits(_ value: [UInt8], isLower: Bool) -> Bool {
    if value == self.value { return isInclusive }
    return self.value.lexicographicallyPrecedes(value) == isLower
  }
}

// MARK: - Ranges

extension SlotCondition {
  /// Returns the ranges of an index whose entries begin with `prefix` and then satisfy the condition: ordered and
  /// disjoint.
  func ranges(after prefix: [UInt8], isDescending: Bool) -> [KeyRange] {
    func key(_ value: [UInt8]) -> [UInt8] {
      prefix + (isDescending ? value.map { ~$0 } : value)
    }
    switch self {
    case .anyOf(let values):
      let ranges = values.map { KeyRange(prefix: key($0)) }
      return isDescending ? ranges.reversed() : ranges
    case .prefix(let bytes):
      return [KeyRange(prefix: key(bytes))]
    case .range(let lower, let upper):
      // nil comes before the first value, and in a descending index after the last one.
      let first = isDescending ? upper : lower
      let last = isDescending ? lower : upper
      let null = key([KeyEncoding.null])
      let start = first.map { bound in
        bound.isInclusive ? key(bound.value) : KeyRange.successor(of: key(bound.value))
      }
      let end = last.map { bound in
        bound.isInclusive ? KeyRange.successor(of: key(bound.value)) : key(bound.value)
      }
      guard let lower = start ?? (isDescending ? prefix : KeyRange.successor(of: null)) else {
        return []
      }
      let upper = end ?? (isDescending ? null : KeyRange.successor(of: prefix))
      let range = KeyRange(lower: lower, upper: upper)
      return range.isEmpty ? [] : [range]
    }
  }
}

extension [[UInt8]] {
  fileprivate mutating func removeDuplicates() {
    var kept: [[UInt8]] = []
    for value in self where kept.last != value { kept.append(value) }
    self = kept
  }
}
