// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostQuery
public import RoostStore

extension KeyValueStore {
  public func fetch(
    _ request: ResolvedFetch, in context: FetchContext
  ) throws -> StoreFetchResult {
    let plans = try preparedPlans()
    let schema = plans.schema
    var result: StoreFetchResult?
    try read(schema) { snapshot in
      let plan = try plans.plan(for: request, in: snapshot)
      description.log?.statement(plan.description.steps.joined(separator: ", "))
      let runner = try FetchRunner(
        plan: plan, schema: schema, snapshot: snapshot, cancellation: cancellation)
      result = StoreFetchResult(
        content: try runner.content(into: context.keyCollector)
      ) { plan.description }
    }
    guard let result else { preconditionFailure("an engine calls the body") }
    return result
  }

  public func plan(for request: ResolvedFetch) throws -> QueryPlan {
    let plans = try preparedPlans()
    return try engine.reading { snapshot in
      try plans.schema.check(snapshot)
      return try plans.plan(for: request, in: snapshot).description
    }
  }
}
