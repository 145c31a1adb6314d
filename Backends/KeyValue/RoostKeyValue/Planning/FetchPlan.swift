// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// How a request is answered: where the rows come from, what is judged of each, and what is done with them afterwards.
struct FetchPlan {
  /// Where the rows come from.
  enum Access {
    /// From the records with these keys, in the order of the keys.
    case keys([Int64])
    /// From the entries of an index, in its order or in any.
    case index(IndexAccess, IndexAccess.Direction?)
    /// From what several ways find together, in the order of the keys, each record once.
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
  /// The codes of the entities that are asked for.
  var codes: [Int]
  var access: Access
  /// The condition that each row is judged by; nil when the access says everything.
  var residual: ResolvedPredicate?
  /// Whether the access has rows of other entities too.
  var judgesEntity: Bool
  /// Whether the rows come in the order that is asked for.
  var isOrdered: Bool
  /// About how many records the access looks at; nil where that was not counted, because nothing can look at fewer.
  var candidates: Int?
  /// The indexes of other entities that told what relationships must lead to.
  var pathIndexes: [String] = []

  /// How many rows at the beginning of the order matter; nil for all.
  var rowLimit: Int? {
    if case .columns(let columns) = request.result, columns.isAggregated || columns.distinct {
      return nil
    }
    return request.limit.map { limit in
      let (sum, isTooLarge) = limit.addingReportingOverflow(request.offset)
      return isTooLarge ? Int.max : sum
    }
  }

  /// Whether the rows are found in the order that is asked for, or in that of their keys when none is.
  var findsRowsInOrder: Bool {
    if isOrdered { return true }
    // What an index finds in another order is looked up in the order of the keys.
    guard request.sort.isEmpty, case .index = access else { return false }
    return true
  }

  /// Whether the entries of the access are the answer, so that no row is looked at.
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
