// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// A bounded cache of plans by request shape, for plans that do not depend on values. It belongs to the schema with
/// which the store was prepared.
final class CompiledPlans: Sendable {
  let schema: KeyValueSchema
  private let plans = SharedState(BoundedCache<ObjectIdentifier, CompiledPlan>(capacity: 256))

  init(_ schema: KeyValueSchema) {
    self.schema = schema
  }

  /// The number of cached plans.
  var count: Int { plans.withLock { $0.count } }

  /// Plans a request.
  func plan(
    for request: ResolvedFetch, in snapshot: any KeyValueSnapshot
  ) throws -> FetchPlan {
    let shape = request.shape.map { ObjectIdentifier($0) }
    if let shape, let known = plans.withLock({ $0[shape] }),
      let plan = try known.plan(
        for: request, store: schema.schema.identity.identifier, in: snapshot)
    {
      return plan
    }
    let planner = try FetchPlanner(schema: schema, snapshot: snapshot, request: request)
    let plan = try planner.plan()
    if let shape, let compiled = planner.compiled(plan) {
      plans.withLock { $0[shape] = compiled }
    }
    return plan
  }
}
