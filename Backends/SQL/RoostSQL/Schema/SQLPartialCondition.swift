// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// The condition of a partial index, as its definition contains it.
///
/// A definition has no parameters, so its condition consists of columns, integers, booleans and null alone. An index
/// with another condition is created for all records: it is larger, and requests have the same results.
struct SQLPartialCondition {
  let entity: EntityDescription
  let model: ManagedObjectModel
  let dialect: SQLDialect
  /// Returns the column of a slot; nil for one that is not stored.
  let column: (RowSlot) -> SQLColumn?

  /// Returns the condition as SQL; nil when it cannot be expressed.
  func text(_ predicate: any ModelPredicate) -> String? {
    let resolver = RequestResolver(model: model)
    guard
      let parsed = predicate as? FetchPredicate ?? (try? FetchPredicate(predicate.predicateFormat)),
      let resolved = try? resolver.predicate(parsed, of: entity)
    else { return nil }
    return text(resolved)
  }

  private func text(_ predicate: ResolvedPredicate) -> String? {
    switch predicate {
    case .comparison(let comparison): return text(comparison)
    case .and(let parts):
      let texts = parts.compactMap { part -> String? in
        // One level is enough: conjunctions are flattened.
        guard case .comparison(let comparison) = part else { return nil }
        return text(comparison)
      }
      return texts.count == parts.count ? texts.joined(separator: " AND ") : nil
    default: return nil
    }
  }

  private func text(_ comparison: ResolvedComparison) -> String? {
    guard case .path(let path) = comparison.left, path.relationships.isEmpty,
      path.endGuard == nil, case .attribute(_, let slot) = path.end, let column = column(slot),
      case .constant(let value) = comparison.right
    else { return nil }
    let name = dialect.quoted(column.name)
    switch (comparison.comparison, value) {
    case (.equalTo, .null): return "\(name) IS NULL"
    case (.notEqualTo, .null): return "\(name) IS NOT NULL"
    case (.equalTo, _): return literal(value, column.kind).map { "\(name) = \($0)" }
    default:
      guard let sign = comparison.comparison.orderOperator else { return nil }
      return literal(value, column.kind).map { "\(name) \(sign) \($0)" }
    }
  }

  private func literal(_ value: Value, _ kind: SlotKind) -> String? {
    switch (kind, value) {
    case (.integer, .integer(let number)): String(number)
    case (.boolean, .boolean(let truth)): dialect.truth(truth)
    case (.boolean, .integer(let number)): dialect.truth(number != 0)
    default: nil
    }
  }
}
