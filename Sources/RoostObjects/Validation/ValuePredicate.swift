// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// A validation predicate of the model: `SELF` is the value to validate, as in `SELF > 0` or `length < 5` (B150).
struct ValuePredicate {
  let predicate: FetchPredicate

  /// Evaluates the predicate on a new value of an object's attribute.
  ///
  /// - Throws: `invalidPredicate` and others, when the predicate does not fit the attribute.
  func isSatisfied(by value: Value, in object: ManagedObject) throws(PersistenceError) -> Bool {
    guard let context = object.context, let model = context.model else { return true }
    let request = FetchRequest<ManagedObject>(entity: object.entity)
    request.predicate = replacing(predicate, with: value)
    do {
      guard let resolved = try RequestResolver(model: model).resolve(request).predicate else {
        return true
      }
      return try PredicateEvaluator(resolved, source: GraphSource(context: context))
        .matches(object)
    } catch {
      throw PersistenceError.wrapping(error)
    }
  }

  private func replacing(_ predicate: FetchPredicate, with value: Value) -> FetchPredicate {
    switch predicate {
    case .constant: return predicate
    case .and(let parts): return .and(parts.map { replacing($0, with: value) })
    case .or(let parts): return .or(parts.map { replacing($0, with: value) })
    case .not(let part): return .not(replacing(part, with: value))
    case .comparison(var comparison):
      comparison.left = replacing(comparison.left, with: value)
      comparison.right = replacing(comparison.right, with: value)
      return .comparison(comparison)
    }
  }

  private func replacing(_ expression: FetchExpression, with value: Value) -> FetchExpression {
    switch expression {
    case .evaluatedObject: .constant(value)
    case .keyPath(["length"]), .keyPathOf(.evaluatedObject, ["length"]):
      .function(.length, [.constant(value)])
    case .list(let members): .list(members.map { replacing($0, with: value) })
    case .function(let function, let operands):
      .function(function, operands.map { replacing($0, with: value) })
    case .conditional(let condition, let left, let right):
      .conditional(
        replacing(condition, with: value), replacing(left, with: value),
        replacing(right, with: value))
    default: expression
    }
  }
}
