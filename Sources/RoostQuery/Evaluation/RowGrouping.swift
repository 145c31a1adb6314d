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
    /// The slot that holds the value, when it is one that holds a number.
    var number: RowSlot?
  }

  let keys: [Key]
  let columns: [Column]
}

extension RowGrouping.Key {
  var getter: (UnsafeMutableRawPointer) -> Value {
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
