// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// A cached plan for requests of one shape whose whole condition and order are those of an index: it does not depend
/// on the request's values, so only the index range is computed for each request.
final class CompiledPlan: Sendable {
  /// A comparison of an index component with the request argument that has the same number as the part of the
  /// condition.
  private struct Comparison: Sendable {
    let slot: RowSlot
    let operation: ComparisonPredicate.Comparison
    let argument: Int
    let isFixed: Bool
  }

  /// Kept, so that no other shape has its identity.
  private let shape: FetchShape
  private let codes: [Int]
  private let index: IndexDefinition
  private let direction: IndexAccess.Direction
  private let isUnique: Bool
  /// The comparisons of the components at the beginning of the index, in their order.
  private let comparisons: [Comparison]
  /// Whether each of them compares with one value: then the encoded values are the beginning of the keys.
  private let isPoint: Bool

  /// Compiles a plan that was made for one request of a shape.
  ///
  /// - Returns: nil when the plan may be another one for other values.
  init?(_ plan: FetchPlan, _ conditions: RequestConditions) {
    guard let shape = plan.request.shape, plan.isOfWholeIndex,
      case .index(let access, let direction?) = plan.access, access.index.conditions.isEmpty,
      access.isExact, conditions.parts.count == plan.request.arguments.count,
      conditions.bySlot.count == conditions.parts.count
    else { return nil }
    var comparisons: [Comparison] = []
    for component in access.index.components.prefix(conditions.parts.count) {
      // A slot with two conditions may have one value or many.
      guard let said = conditions.bySlot[component.slot.offset], said.count == 1,
        case .comparison(let comparison) = conditions.parts[said[0].part],
        case .path(let path) = comparison.left, case .constant = comparison.right,
        RequestConditions.ownSlot(of: path)?.offset == component.slot.offset,
        comparison.comparison != .beginsWith
      else { return nil }
      comparisons.append(
        Comparison(
          slot: component.slot, operation: comparison.comparison, argument: said[0].part,
          isFixed: said[0].condition.fixedValue != nil))
    }
    guard comparisons.count == conditions.parts.count else { return nil }
    self.shape = shape
    self.comparisons = comparisons
    isPoint = comparisons.allSatisfy { $0.operation == .equalTo && $0.isFixed }
    self.direction = direction
    codes = plan.codes
    index = access.index
    isUnique = access.isUnique
  }

  /// Returns the plan for another request of the shape; nil when that must be planned again.
  func plan(
    for request: ResolvedFetch, store: String, in snapshot: any KeyValueSnapshot
  ) throws -> FetchPlan? {
    guard let access = isPoint ? pointAccess(request, store) : access(request, store) else {
      return nil
    }
    let plan = FetchPlan(
      request: request, codes: codes, access: .index(access, direction), residual: nil,
      judgesEntity: false, isOrdered: true, candidates: isUnique ? 1 : nil)
    if isUnique { return plan }
    guard try plan.readsLittle(of: snapshot) else { return nil }
    return plan
  }

  /// Returns the access for the values of a request; nil when they need another plan.
  private func access(_ request: ResolvedFetch, _ store: String) -> IndexAccess? {
    var conditions: [SlotCondition] = []
    conditions.reserveCapacity(comparisons.count)
    for comparison in comparisons {
      let value = request.arguments[comparison.argument]
      // An object of another store equals nothing here.
      guard
        let condition = SlotCondition(
          comparison.slot, comparison.operation, value, store: store),
        (condition.fixedValue != nil) == comparison.isFixed
      else { return nil }
      conditions.append(condition)
    }
    return IndexAccess(index, whole: conditions)
  }

  /// Does the same where each component has one value, without a condition for each.
  private func pointAccess(_ request: ResolvedFetch, _ store: String) -> IndexAccess? {
    var prefix: [UInt8] = []
    for (place, comparison) in comparisons.enumerated() {
      let value = request.arguments[comparison.argument]
      guard let bytes = EncodedValue(value, comparison.slot.kind, store: store)?.bytes else {
        return nil
      }
      if index.components[place].isDescending {
        prefix += bytes.map { ~$0 }
      } else if prefix.isEmpty {
        // Most indexes have one component: its bytes need no copy.
        prefix = bytes
      } else {
        prefix += bytes
      }
    }
    return IndexAccess(index, prefix: prefix, fixedCount: comparisons.count)
  }
}

extension FetchPlan {
  /// Whether the entries of an index are exactly the matching records, in the requested order.
  var isOfWholeIndex: Bool {
    guard isOrdered, residual == nil, !judgesEntity,
      case .index(let access, let direction?) = access
    else { return false }
    return !access.needsGroups(direction)
  }

  /// Whether it looks up so few records that no other plan has to be considered.
  ///
  /// - Parameter recordCount: The number of records.
  func readsLittle(of recordCount: Int) -> Bool {
    switch request.result {
    case .rows, .keys: break
    case .count, .columns: return false
    }
    guard let limit = rowLimit else { return false }
    return Double(limit) * FetchPlanner.lookUpCost <= Double(recordCount)
  }

  fileprivate func readsLittle(of snapshot: any KeyValueSnapshot) throws -> Bool {
    readsLittle(of: try codes.reduce(0) { try $0 + snapshot.recordCount(ofEntityCode: $1) })
  }
}

extension IndexAccess {
  /// Whether it finds one record at the most.
  var isUnique: Bool {
    guard case .unique = index.purpose else { return false }
    return fixedCount == index.components.count
  }
}
