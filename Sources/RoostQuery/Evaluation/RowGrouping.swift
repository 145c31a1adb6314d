// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Grouping of rows by their memory alone: the fast path of a grouped fetch, without calls to a source and without
/// boxing numeric keys.
struct RowGrouping {
  /// A grouping key.
  enum Key {
    /// A slot with a number; equal numbers are equal keys.
    case number(RowSlot)
    case value((UnsafeMutableRawPointer) -> Value)
  }

  /// An aggregate function over a value of each row, or over the rows themselves without a value.
  struct Column {
    var function: FetchFunction
    var value: ((UnsafeMutableRawPointer) -> Value)?
    /// The slot of the value, when it is a numeric slot.
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

  /// Makes the key for an expression; nil when it needs more than the row's memory.
  ///
  /// - Parameter readsReferences: Whether the rows' slots contain the keys of to-one destinations.
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
  /// Whether the value is completely represented by an `Int64`.
  fileprivate var holdsNumber: Bool {
    switch self {
    case .integer, .boolean, .position: true
    default: false
    }
  }
}
