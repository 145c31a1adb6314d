// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostQuery
package import RoostStore

extension KeyValueStore {
  package func fetch(_ request: ResolvedFetch) throws -> StoreFetchResult {
    try faults?.willCall(.fetch)
    let schema = try preparedSchema()
    let plan = QueryPlan(steps: ["scan \(request.entity.name ?? "")"])
    description.log?.statement(plan.steps[0])
    return try read(schema) { snapshot in
      var rows: [Row] = []
      for entity in request.entities {
        guard let code = schema.schema.code(of: entity) else { continue }
        rows.reserveCapacity(rows.count + (try snapshot.recordCount(ofEntityCode: code)))
        try snapshot.scanRecords(ofEntityCode: code) { chunk in
          for index in 0..<chunk.count {
            if let row = chunk[index] { rows.append(row) }
          }
          return true
        }
      }
      if request.entities.count > 1 { rows.sort { $0.key < $1.key } }
      return StoreFetchResult(
        content: .rows(rows),
        remainder: FetchRemainder(predicate: request.predicate, sort: true, window: true),
        plan: plan)
    }
  }

  package func plan(for request: ResolvedFetch) throws -> QueryPlan {
    QueryPlan(steps: ["scan \(request.entity.name ?? "")"])
  }
}
