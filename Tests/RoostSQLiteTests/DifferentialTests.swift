// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

@Suite struct DifferentialTests {
  /// The seeds; `ROOST_SEEDS` sets a higher number for a longer run.
  static let seeds =
    1...(ProcessInfo.processInfo.environment["ROOST_SEEDS"].flatMap(Int.init) ?? 4)

  @Test(
    "the store and the shared evaluator find the same rows in the same order (B120, B142)",
    arguments: seeds)
  func rows(seed: Int) throws {
    var office = try RandomOffice(seed: UInt64(seed))
    for _ in 0..<250 {
      let request = request(&office)
      guard let expected = try expectedRows(request, office.source) else { continue }
      let found = try rows(request, office)
      let plan = try office.office.store.plan(for: request)
      #expect(found.map(\.key) == expected.map(\.key), "\(seed): \(plan)")
      #expect(try count(request, office) == expected.count, "\(seed): \(plan)")
    }
  }

  @Test(
    "the store and the shared evaluator compute the same columns and groups (B131, B134, B135)",
    arguments: seeds)
  func columns(seed: Int) throws {
    var office = try RandomOffice(seed: UInt64(seed))
    for _ in 0..<250 {
      var request = request(&office)
      let columns = office.columns(request.entity)
      request.result = .columns(columns)
      guard let expected = try expectedTuples(columns, request, office.source) else { continue }
      let found = try tuples(columns, request, office)
      let plan = try office.office.store.plan(for: request)
      #expect(found == expected, "\(seed): \(plan)")
    }
  }

  private func request(_ office: inout RandomOffice) -> ResolvedFetch {
    let names = office.office.names
    let entity = office.pick([names.person, names.employee, names.department])
    let predicate = office.predicate(entity)
    let sort = office.order(entity)
    return office.office.request(
      entity, where: predicate, sort: sort, limit: office.pick([nil, nil, 3, 10]),
      offset: office.pick([0, 0, 2]))
  }
}

// MARK: - The oracle

extension DifferentialTests {
  /// Returns the columns that the evaluator computes; nil for a request that it refuses.
  private func expectedTuples(
    _ columns: ResolvedColumns, _ request: ResolvedFetch, _ source: OfficeSource
  ) throws -> [Value]? {
    var unlimited = request
    unlimited.limit = nil
    unlimited.offset = 0
    guard let rows = try expectedRows(unlimited, source) else { return nil }
    do {
      let values = try ColumnEvaluator(columns, source: source).tuples(rows)
      return window(values, request, width: columns.columns.count)
    } catch let error as PersistenceError where error.code == .arithmeticOverflow {
      return nil
    }
  }

  /// Returns the rows that the evaluator finds; nil for a request that it refuses.
  private func expectedRows(_ request: ResolvedFetch, _ source: OfficeSource) throws -> [Row]? {
    do {
      var rows = source.rows(request.entity)
      if let predicate = request.predicate {
        let evaluator = try PredicateEvaluator(predicate, source: source)
        rows = try rows.filter(evaluator.matches)
      }
      rows = try SortEvaluator(request.sort, source: source).sorted(rows)
      return window(rows, request)
    } catch let error as PersistenceError where error.code == .invalidRequest {
      return nil
    } catch let error as PersistenceError where error.code == .arithmeticOverflow {
      return nil
    }
  }

  private func window<Element>(
    _ values: [Element], _ request: ResolvedFetch, width: Int = 1
  ) -> [Element] {
    let rest = values.dropFirst(request.offset * width)
    return Array(rest.prefix(request.limit.map { $0 * width } ?? rest.count))
  }
}

// MARK: - The store

extension DifferentialTests {
  /// Returns the rows that the store finds, with the residual predicate applied by the evaluator.
  private func rows(_ request: ResolvedFetch, _ office: RandomOffice) throws -> [Row] {
    let result = try office.office.store.fetch(request)
    guard case .rows(let rows) = result.content else {
      Issue.record("The answer has another form.")
      return []
    }
    return try finish(rows, result.remainder, request, office)
  }

  private func finish(
    _ rows: [Row], _ remainder: FetchRemainder?, _ request: ResolvedFetch, _ office: RandomOffice
  ) throws -> [Row] {
    guard let remainder else { return rows }
    var rows = rows
    if let predicate = remainder.predicate {
      let evaluator = try PredicateEvaluator(predicate, source: office.source)
      rows = try rows.filter(evaluator.matches)
    }
    if remainder.sort {
      rows = try SortEvaluator(request.sort, source: office.source).sorted(rows)
    }
    return remainder.window ? window(rows, request) : rows
  }

  private func count(_ request: ResolvedFetch, _ office: RandomOffice) throws -> Int {
    var request = request
    request.result = .count
    let result = try office.office.store.fetch(request)
    switch result.content {
    case .count(let count): return count
    case .rows(let rows): return try finish(rows, result.remainder, request, office).count
    default: return -1
    }
  }

  private func tuples(
    _ columns: ResolvedColumns, _ request: ResolvedFetch, _ office: RandomOffice
  ) throws -> [Value] {
    let result = try office.office.store.fetch(request)
    switch result.content {
    case .tuples(let values, columns.columns.count): return values
    case .rows(let rows):
      var unlimited = request
      unlimited.limit = nil
      unlimited.offset = 0
      let all = try finish(rows, result.remainder, unlimited, office)
      let values = try ColumnEvaluator(columns, source: office.source).tuples(all)
      let isCut = result.remainder?.window == false
      return isCut ? values : window(values, request, width: columns.columns.count)
    default: return []
    }
  }
}
