// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// Chooses the plan for a fetch: the access that reads the fewest records.
///
/// It knows the number of records and counts the entries of each range; a condition that it cannot count is assumed
/// to match one row of three.
struct FetchPlanner {
  let schema: KeyValueSchema
  let snapshot: any KeyValueSnapshot
  let request: ResolvedFetch
  private let codes: [Int]
  private let conditions: RequestConditions
  /// The indexes of other entities that conditions were made with, by the part.
  private let pathIndexes: [Int: [String]]

  /// The cost of a record lookup, relative to reading a record in a scan.
  static let lookUpCost = 2.5
  /// The assumed selectivity of a condition without statistics.
  private static let selectivity = 0.33
  /// The most alternatives of a disjunction that are planned as a union.
  private static let largestUnion = 64

  init(schema: KeyValueSchema, snapshot: any KeyValueSnapshot, request: ResolvedFetch) throws {
    self.schema = schema
    self.snapshot = snapshot
    self.request = request
    codes = request.entities.compactMap { schema.schema.code(of: $0) }
    (conditions, pathIndexes) = try FetchPlanner.conditions(request.predicate, schema, snapshot)
  }

  /// Returns the conditions of a predicate, extended by the indexes of other entities.
  private static func conditions(
    _ predicate: ResolvedPredicate?, _ schema: KeyValueSchema, _ snapshot: any KeyValueSnapshot
  ) throws -> (RequestConditions, [Int: [String]]) {
    var conditions = RequestConditions(
      predicate, store: schema.schema.identity.identifier)
    let indexes = try PathConditions(schema: schema, snapshot: snapshot).extend(&conditions)
    return (conditions, indexes)
  }

  private struct Candidate {
    var plan: FetchPlan
    var cost: Double
  }

  /// The plan.
  func plan() throws -> FetchPlan {
    if let (parts, keys) = conditions.identity {
      var plan = scanPlan()
      plan.access = .keys(keys)
      plan.residual = conditions.remainder(without: parts)
      plan.judgesEntity = true
      plan.isOrdered = request.sort.isEmpty
      return plan
    }
    var accesses: [IndexAccess] = []
    for index in usableIndexes(conditions) {
      let access = IndexAccess(index, conditions)
      if let plan = uniquePlan(access) { return plan }
      accesses.append(access)
    }
    let recordCount = try codes.reduce(0) { try $0 + snapshot.recordCount(ofEntityCode: $1) }
    if let plan = limitedPlan(recordCount: recordCount, accesses) { return plan }
    let counts = try accesses.map(entryCount)
    let matches = estimatedMatches(recordCount: recordCount, accesses, counts)
    var best = Candidate(plan: scanPlan(), cost: 0)
    best.plan.candidates = recordCount
    best.cost = cost(of: best.plan, looksAt: recordCount, lookUp: 1, matches: matches)
    for (access, count) in zip(accesses, counts) {
      guard var plan = plan(for: access) else { continue }
      plan.candidates = count
      let lookUp = plan.isAnsweredByEntries ? 0.1 : FetchPlanner.lookUpCost
      let cost = cost(of: plan, looksAt: count, lookUp: lookUp, matches: matches)
      if cost < best.cost { best = Candidate(plan: plan, cost: cost) }
    }
    for (var plan, count) in try unionPlans() + wordPlans() {
      plan.candidates = count
      let cost = cost(of: plan, looksAt: count, lookUp: FetchPlanner.lookUpCost, matches: matches)
      if cost < best.cost { best = Candidate(plan: plan, cost: cost) }
    }
    return best.plan
  }

  /// Returns the part of a plan that all requests of the shape share; nil when the plan depends on values or on the
  /// number of entries.
  func compiled(_ plan: FetchPlan) -> CompiledPlan? {
    guard case .index(let access, _) = plan.access, plan.isOfWholeIndex else { return nil }
    guard access.isUnique || plan.candidates == nil else { return nil }
    return CompiledPlan(plan, conditions)
  }

  /// Returns the plan for a condition that fixes all values of a unique index. It finds at most one record, so no
  /// other plan is considered.
  private func uniquePlan(_ access: IndexAccess) -> FetchPlan? {
    // The comparisons of a request with a shape have no nil values; nil may occur many times in a unique index.
    guard request.shape != nil, access.isUnique else { return nil }
    var plan = plan(for: access)
    plan?.candidates = 1
    return plan
  }

  /// Returns the plan for the first records of an index whose entries are exactly the matches, in their order. It
  /// stops at the limit, so nothing has to be counted.
  private func limitedPlan(recordCount: Int, _ accesses: [IndexAccess]) -> FetchPlan? {
    for access in accesses {
      guard let plan = plan(for: access), plan.isOfWholeIndex,
        plan.readsLittle(of: recordCount)
      else { continue }
      return plan
    }
    return nil
  }

  /// Returns an estimate of the number of entries that an access reads.
  private func entryCount(_ access: IndexAccess) throws -> Int {
    try access.ranges.reduce(0) {
      try $0 + snapshot.estimatedEntryCount(of: access.index.table, in: $1)
    }
  }

  /// The indexes that have an entry for every record that satisfies conditions.
  private func usableIndexes(_ conditions: RequestConditions) -> [IndexDefinition] {
    guard let first = codes.first else { return [] }
    return schema.indexes(forEntityCode: first).map { schema.indexes[$0] }.filter { index in
      index.purpose != .words && schema.isBuilt(index) && codes.allSatisfy(index.covers(code:))
        && conditions.implyPresence(in: index)
    }
  }

  private func scanPlan() -> FetchPlan {
    FetchPlan(
      request: request, codes: codes, access: .scan,
      residual: conditions.remainder(without: []), judgesEntity: false,
      isOrdered: request.sort.isEmpty && codes.count <= 1)
  }

  /// The plan with an index; nil when the index neither finds nor orders anything.
  private func plan(for access: IndexAccess) -> FetchPlan? {
    let direction = access.direction(for: request.sort)
    guard direction != nil || !access.covered.isEmpty || !access.index.conditions.isEmpty else {
      return nil
    }
    let said = access.isExact ? access.covered.subtracting(conditions.inexactParts) : []
    return FetchPlan(
      request: request, codes: codes, access: .index(access, direction),
      residual: conditions.remainder(without: said),
      judgesEntity: access.index.entityCodes.count > codes.count, isOrdered: direction != nil,
      pathIndexes: access.covered.sorted().flatMap { pathIndexes[$0] ?? [] })
  }

  // MARK: - Unions

  /// Returns the plans for a disjunction whose alternatives are each found by an index or by keys, with the number of
  /// records to read.
  private func unionPlans() throws -> [(plan: FetchPlan, count: Int)] {
    var plans: [(FetchPlan, Int)] = []
    for (number, part) in conditions.parts.enumerated() {
      guard case .or(let alternatives) = part, alternatives.count <= Self.largestUnion else {
        continue
      }
      let others = conditions.parts.indices.filter { $0 != number }.map { conditions.parts[$0] }
      var plan = scanPlan()
      var members: [FetchPlan.Member] = []
      var count = 0
      for alternative in alternatives {
        guard let way = try way(to: .and([alternative] + others)) else { break }
        members.append(way.member)
        count += way.count
        plan.pathIndexes += way.pathIndexes.filter { !plan.pathIndexes.contains($0) }
      }
      guard members.count == alternatives.count else { continue }
      plan.access = .union(members)
      plan.judgesEntity = true
      plan.isOrdered = request.sort.isEmpty
      plans.append((plan, count))
    }
    return plans
  }

  /// Returns the access to one alternative that reads the fewest records; nil when only a scan finds them.
  private func way(
    to predicate: ResolvedPredicate
  ) throws -> (member: FetchPlan.Member, count: Int, pathIndexes: [String])? {
    let (conditions, pathIndexes) = try Self.conditions(predicate, schema, snapshot)
    if let (_, keys) = conditions.identity { return (.keys(keys), keys.count, []) }
    var best: (member: FetchPlan.Member, count: Int, pathIndexes: [String])?
    for index in usableIndexes(conditions) {
      let access = IndexAccess(index, conditions)
      guard !access.covered.isEmpty else { continue }
      let count = try entryCount(access)
      if let best, best.count <= count { continue }
      best = (
        .index(access), count, access.covered.sorted().flatMap { pathIndexes[$0] ?? [] }
      )
    }
    for access in wordAccesses(conditions.parts) {
      let count = try access.estimatedCount(in: snapshot)
      if let best, best.count <= count { continue }
      best = (.words(access), count, [])
    }
    return best
  }

  // MARK: - Words

  /// Returns the plans for text searches that a word index can answer, each with the number of records that it reads.
  private func wordPlans() throws -> [(plan: FetchPlan, count: Int)] {
    try wordAccesses(conditions.parts).map { access in
      var plan = scanPlan()
      plan.access = .union([.words(access)])
      plan.judgesEntity = true
      plan.isOrdered = request.sort.isEmpty
      return (plan, try access.estimatedCount(in: snapshot))
    }
  }

  private func wordAccesses(_ parts: [ResolvedPredicate]) -> [WordAccess] {
    guard let first = codes.first else { return [] }
    let indexes = schema.indexes(forEntityCode: first).map { schema.indexes[$0] }.filter { index in
      index.purpose == .words && schema.isBuilt(index) && codes.allSatisfy(index.covers(code:))
    }
    if indexes.isEmpty { return [] }
    return parts.compactMap { part in
      indexes.lazy.compactMap { WordAccess(part, $0) }.first
    }
  }

  // MARK: - Costs

  /// Returns an estimate of the number of records that match the whole condition.
  private func estimatedMatches(
    recordCount: Int, _ accesses: [IndexAccess], _ counts: [Int]
  ) -> Double {
    var covered: Set<Int> = []
    var matches = Double(recordCount)
    for (access, count) in zip(accesses, counts)
    where !access.covered.isEmpty && access.covered.isDisjoint(with: covered) {
      covered.formUnion(access.covered)
      matches *= Double(count) / Double(max(1, recordCount))
    }
    let unknown = conditions.parts.count - covered.count
    return matches * pow(FetchPlanner.selectivity, Double(unknown))
  }

  private func cost(
    of plan: FetchPlan, looksAt count: Int, lookUp: Double, matches: Double
  ) -> Double {
    var looked = Double(count)
    if plan.isOrdered, let limit = plan.rowLimit, matches > Double(limit) {
      // It ends when enough are found.
      looked *= Double(limit) / matches
    }
    let cost = looked * lookUp + 4
    guard !plan.isOrdered else { return cost }
    let sorted = min(matches, Double(plan.rowLimit.map { min($0, 1 << 40) } ?? 1 << 40))
    return cost + matches * 0.2 + sorted * log2(sorted + 2) * 0.3
  }
}
