// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// The plan of a fetch: where the rows come from, the residual predicate, and the steps that follow.
struct FetchPlan {
  /// Where the rows come from.
  enum Access {
    /// From the records with these keys, in the order of the keys.
    case keys([Int64])
    /// From the entries of an index, in its order or in any.
    case index(IndexAccess, IndexAccess.Direction?)
    /// From the union of several accesses, in the order of the keys, each record once.
    case union([Member])
    /// From all records of the entities, in the order of their keys.
    case scan
  }

  /// One way of a union.
  enum Member {
    case keys([Int64])
    case index(IndexAccess)
    case words(WordAccess)
  }

  var request: ResolvedFetch
  /// The codes of the requested entities.
  var codes: [Int]
  var access: Access
  /// The residual predicate for each row; nil when the access covers the whole condition.
  var residual: ResolvedPredicate?
  /// Whether the access has rows of other entities too.
  var judgesEntity: Bool
  /// Whether the rows come in the requested order.
  var isOrdered: Bool
  /// The estimated number of records that the access reads; nil where it was not counted, because no other access
  /// could read fewer.
  var candidates: Int?
  /// The indexes of other entities that resolved conditions on relationship paths.
  var pathIndexes: [String] = []

  /// The number of leading rows that are needed; nil for all.
  var rowLimit: Int? {
    if case .columns(let columns) = request.result, columns.isAggregated || columns.distinct {
      return nil
    }
    return request.limit.map { limit in
      let (sum, isTooLarge) = limit.addingReportingOverflow(request.offset)
      return isTooLarge ? Int.max : sum
    }
  }

  /// Whether the rows are found in the requested order, or in key order when there is none.
  var findsRowsInOrder: Bool {
    if isOrdered { return true }
    // Rows that an index finds in another order are looked up in the order of the keys.
    guard request.sort.isEmpty, case .index = access else { return false }
    return true
  }

  /// Whether the index entries alone answer the request, so that no row is read.
  var isAnsweredByEntries: Bool {
    guard residual == nil else { return false }
    switch (request.result, access) {
    case (.count, .scan), (.count, .index): return true
    case (.keys, .index): return isOrdered && !judgesEntity
    default: return false
    }
  }
}

// MARK: - Words

extension FetchPlan {
  /// The plan in words, for `explain`.
  var description: QueryPlan {
    let entity = request.entity.name ?? ""
    var steps: [String]
    var indexes: [String] = []
    switch access {
    case .keys(let keys): steps = ["look up \(entity) by \(keys.count) keys"]
    case .index(let access, let direction):
      indexes = [access.index.name]
      let ranges = access.ranges.count == 1 ? "1 range" : "\(access.ranges.count) ranges"
      let order = isOrdered ? direction == .descending ? ", backwards" : ", in order" : ""
      steps = ["search \(entity) with \(access.index.name): \(ranges)\(order)"]
    case .union(let members):
      indexes = FetchPlan.indexNames(of: members)
      var how = "union of \(members.count)"
      if members.count == 1, case .words(let access) = members[0] { how = access.description }
      steps = ["search \(entity) with \(indexes.joined(separator: ", ")): \(how)"]
    case .scan: steps = ["scan \(entity)"]
    }
    if !pathIndexes.isEmpty {
      steps[0] += ", related records with \(pathIndexes.joined(separator: ", "))"
      indexes += pathIndexes.filter { !indexes.contains($0) }
    }
    if isAnsweredByEntries { steps[0] += ", entries only" }
    if judgesEntity { steps.append("filter by entity") }
    if residual != nil { steps.append("filter") }
    if !isOrdered, !isCount {
      steps.append(rowLimit.map { "sort the first \($0)" } ?? "sort")
    } else if let rowLimit, !isCount {
      steps.append("stop after \(rowLimit)")
    }
    switch request.result {
    case .count: steps.append("count")
    case .columns(let columns):
      steps.append(columns.isAggregated ? "group and aggregate" : "compute columns")
    case .rows, .keys: break
    }
    return QueryPlan(steps: steps, indexes: indexes)
  }

  /// The indexes of a union, each once.
  private static func indexNames(of members: [Member]) -> [String] {
    var names: [String] = []
    for member in members {
      let name: String
      switch member {
      case .keys: continue
      case .index(let access): name = access.index.name
      case .words(let access): name = access.index.name
      }
      if !names.contains(name) { names.append(name) }
    }
    return names
  }

  private var isCount: Bool {
    if case .count = request.result { return true }
    return false
  }
}
