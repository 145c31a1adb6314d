// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// The condition of a request as a conjunction of parts, with the slot conditions that an index can use.
struct RequestConditions {
  /// The parts.
  let parts: [ResolvedPredicate]
  /// The conditions on the row's own slots, by the slots' offsets.
  private(set) var bySlot: [Int32: [(part: Int, condition: SlotCondition)]] = [:]
  /// The parts that remain in the residual predicate although a slot condition was made from them.
  private(set) var inexactParts: Set<Int> = []
  /// The parts that name records by their identity, and the keys that all of them allow.
  private(set) var identity: (parts: Set<Int>, keys: [Int64])?

  init(_ predicate: ResolvedPredicate?, store: String) {
    parts = predicate.map { RequestConditions.parts(of: $0) } ?? []
    for (number, part) in parts.enumerated() {
      guard case .comparison(let comparison) = part else { continue }
      let turned = RequestConditions.pathOnTheLeft(comparison)
      guard case .path(let path) = turned.left, path.root == .object else { continue }
      if let slot = RequestConditions.ownSlot(of: path) {
        if let condition = SlotCondition(slot, turned, store: store) {
          bySlot[slot.offset, default: []].append((number, condition))
        }
      } else if path.relationships.isEmpty, case .object = path.end {
        addIdentity(turned, part: number, store: store)
      }
    }
  }

  /// The parts of nested conjunctions; a loop, because a condition may be deep.
  private static func parts(of predicate: ResolvedPredicate) -> [ResolvedPredicate] {
    var parts: [ResolvedPredicate] = []
    var open = [predicate]
    while let next = open.popLast() {
      switch next {
      case .and(let operands): open += operands.reversed()
      case .constant(true): break
      default: parts.append(next)
      }
    }
    return parts
  }

  /// The slot of the row itself that holds a path's value.
  static func ownSlot(of path: ResolvedPath) -> RowSlot? {
    switch path.end {
    case .attribute(_, let slot):
      return path.relationships.isEmpty && path.endGuard == nil ? slot : nil
    case .object:
      guard path.relationships.count == 1, path.guardEntity(ofStep: 0) == nil,
        case .toOne(let slot) = path.relationships[0].storage
      else { return nil }
      return slot
    case .elements, .entity: return nil
    }
  }

  /// `18 <= age` as `age >= 18`.
  static func pathOnTheLeft(_ comparison: ResolvedComparison) -> ResolvedComparison {
    guard case .constant = comparison.left, case .path = comparison.right else {
      return comparison
    }
    var turned = comparison
    turned.left = comparison.right
    turned.right = comparison.left
    switch comparison.comparison {
    case .equalTo, .notEqualTo: break
    case .lessThan: turned.comparison = .greaterThan
    case .lessThanOrEqualTo: turned.comparison = .greaterThanOrEqualTo
    case .greaterThan: turned.comparison = .lessThan
    case .greaterThanOrEqualTo: turned.comparison = .lessThanOrEqualTo
    default: return comparison
    }
    return turned
  }

  private mutating func addIdentity(
    _ comparison: ResolvedComparison, part: Int, store: String
  ) {
    let values: [Value]
    switch (comparison.comparison, comparison.right) {
    case (.equalTo, .constant(let value)): values = [value]
    case (.in, .list(let list)): values = list
    default: return
    }
    guard comparison.modifier == .direct else { return }
    // A value that is no object ID of this store matches no record.
    let keys = values.compactMap { value -> Int64? in
      guard case .objectID(let id) = value, id.current.storeIdentity?.identifier == store else {
        return nil
      }
      return id.current.key
    }
    guard let identity else {
      self.identity = ([part], Array(Set(keys)).sorted())
      return
    }
    let allowed = Set(keys)
    self.identity = (identity.parts.union([part]), identity.keys.filter(allowed.contains))
  }

  /// Adds the slot condition of a part.
  ///
  /// - Parameter isExact: Whether the condition implies the part.
  mutating func add(
    _ condition: SlotCondition, onOffset offset: Int32, part: Int, isExact: Bool
  ) {
    bySlot[offset, default: []].append((part, condition))
    if !isExact { inexactParts.insert(part) }
  }

  /// Returns the conjunction of the conditions on a slot, and the parts that it covers.
  func condition(onOffset offset: Int32) -> (parts: Set<Int>, condition: SlotCondition)? {
    guard let all = bySlot[offset],
      let first = all.first(where: { $0.condition.fixedValue != nil })
        ?? all.first
    else { return nil }
    var result = (parts: Set([first.part]), condition: first.condition)
    for other in all where other.part != first.part {
      guard let both = result.condition.combined(with: other.condition) else { continue }
      result.condition = both
      result.parts.insert(other.part)
    }
    return result
  }

  /// The parts that are not covered, as one condition; nil when there are none.
  func remainder(without covered: Set<Int>) -> ResolvedPredicate? {
    let left = parts.indices.filter { !covered.contains($0) }.map { parts[$0] }
    switch left.count {
    case 0: return nil
    case 1: return left[0]
    default: return .and(left)
    }
  }
}
