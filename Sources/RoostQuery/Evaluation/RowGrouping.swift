// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Groups rows by what their own memory holds: the fast way through a grouped fetch, in which nothing is asked of a
/// source and no value is boxed for a key that is a number.
struct RowGrouping {
  /// What makes a group.
  enum Key {
    /// A slot that holds a number: equal numbers are equal keys.
    case number(RowSlot)
    case value((UnsafeMutableRawPointer) -> Value)
  }

  /// An aggregate function of a value of each row; of the rows themselves when there is no value.
  struct Column {
    var function: FetchFunction
    var value: ((UnsafeMutableRawPointer) -> Value)?
  }

  let keys: [Key]
  let columns: [Column]

  /// The groups in the order of their first rows.
  struct Groups {
    /// The first row of each group, by its number.
    var first: [Int] = []
    /// The aggregates of all groups, group after group.
    var aggregates: [Aggregate] = []
  }

  /// Groups rows, given by the beginnings of their memory.
  func groups(_ rows: [UnsafeMutableRawPointer]) -> Groups {
    switch keys.first {
    case nil: return groups(rows) { _, _ in 0 }
    case .number(let slot)? where keys.count == 1:
      var numbers: [Int64: Int] = [:]
      var null: Int?
      return groups(rows) { base, next in
        if RowMemory.isNull(base, slot) {
          null = null ?? next
          return null ?? next
        }
        let number: Int64 = RowMemory.load(base, slot)
        if let known = numbers[number] { return known }
        numbers[number] = next
        return next
      }
    case .some:
      let getters = keys.map(\.getter)
      var tuples: [[Value]: Int] = [:]
      return groups(rows) { base, next in
        let tuple = getters.map { $0(base) }
        if let known = tuples[tuple] { return known }
        tuples[tuple] = next
        return next
      }
    }
  }

  /// - Parameter group: Returns the number of a row's group, or the number that it is given when it is a new one.
  private func groups(
    _ rows: [UnsafeMutableRawPointer], _ group: (UnsafeMutableRawPointer, Int) -> Int
  ) -> Groups {
    let empty = columns.map { Aggregate($0.function) }
    var groups = Groups()
    for (number, base) in rows.enumerated() {
      let index = group(base, groups.first.count)
      if index == groups.first.count {
        groups.first.append(number)
        groups.aggregates += empty
      }
      for position in columns.indices {
        let place = index * columns.count + position
        if let value = columns[position].value {
          groups.aggregates[place].add(value(base))
        } else {
          groups.aggregates[place].addOne()
        }
      }
    }
    return groups
  }
}

extension RowGrouping.Key {
  fileprivate var getter: (UnsafeMutableRawPointer) -> Value {
    switch self {
    case .number(let slot):
      { RowMemory.isNull($0, slot) ? .null : .integer(RowMemory.load($0, slot)) }
    case .value(let getter): getter
    }
  }

  /// The key that an expression is for rows; nil when it needs more than their memory.
  ///
  /// - Parameter readsReferences: Whether the rows' slots hold the keys of the destinations of to-one relationships.
  init?<Source: EvaluationSource>(
    _ expression: ResolvedExpression, _ compiled: CompiledValue<Source>, readsReferences: Bool
  ) {
    if case .path(let path) = expression, path.root == .object {
      switch path.end {
      case .attribute(_, let slot)
      where path.relationships.isEmpty && path.endGuard == nil && slot.kind.holdsNumber:
        self = .number(slot)
        return
      case .object where readsReferences && path.relationships.count == 1:
        if case .toOne(let slot) = path.relationships[0].storage,
          path.guardEntity(ofStep: 0) == nil
        {
          self = .number(slot)
          return
        }
      default: break
      }
    }
    guard case .row(let getter) = compiled else { return nil }
    self = .value(getter)
  }
}

extension SlotKind {
  /// Whether slots hold an `Int64` that says everything of the value.
  fileprivate var holdsNumber: Bool {
    switch self {
    case .integer, .boolean, .position: true
    default: false
    }
  }
}
