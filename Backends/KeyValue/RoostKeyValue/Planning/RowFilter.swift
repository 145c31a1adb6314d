// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// Filters rows by the residual predicate.
struct RowFilter {
  /// The requested entity codes; nil when the access returns no others.
  private let allowedCodes: [Bool]?
  private let evaluator: PredicateEvaluator<SnapshotSource>?
  /// The condition on the row's own memory, which needs no reference to the row.
  private let rowTest: ((UnsafeMutableRawPointer) -> Bool)?

  /// - Parameters:
  ///   - codes: The requested entities, if the access returns others too.
  ///   - residual: The condition; nil when every row satisfies it.
  init(codes: [Int]?, residual: ResolvedPredicate?, source: SnapshotSource) throws {
    allowedCodes = codes.map { codes in
      var allowed = Array(repeating: false, count: RecordKey.largestEntityCode + 1)
      for code in codes { allowed[code] = true }
      return allowed
    }
    evaluator = try residual.map { try PredicateEvaluator($0, source: source) }
    rowTest = evaluator?.rowTest
    if let residual {
      judged = rowTest == nil ? .all : RowSlots(of: residual)
    } else {
      judged = .none
    }
  }

  /// The judged slots: those of the condition, if it uses only the row's own memory.
  let judged: RowSlots

  /// Whether every row passes.
  var passesAll: Bool { allowedCodes == nil && evaluator == nil }

  /// Whether the entity of a key is requested.
  func allows(key: Int64) -> Bool {
    allowedCodes.map { $0[RecordKey.entityCode(of: key)] } ?? true
  }

  /// Passes the matching rows of a chunk to a collector.
  ///
  /// - Returns: Whether the collector needs more.
  func pass<Collector: RowCollector>(
    _ chunk: RowChunk, to collector: inout Collector
  ) throws -> Bool {
    if allowedCodes == nil {
      if let rowTest { return try pass(chunk, rowTest, to: &collector) }
      if evaluator == nil { return try collector.takeAll(of: chunk) }
    }
    for index in 0..<chunk.count {
      guard let base = chunk.base(index) else { continue }
      if let allowedCodes, !allowedCodes[RecordKey.entityCode(of: chunk.key(index))] { continue }
      if let rowTest {
        guard rowTest(base) else { continue }
      } else if let evaluator {
        guard try chunk.withRow(index, evaluator.matches) ?? false else { continue }
      }
      guard try collector.take(index, of: chunk) else { return false }
    }
    return true
  }

  /// The common case in loops of its own, without retains and releases.
  ///
  /// A group of rows is tested before the first of them is taken: the processor then loads many rows from memory in
  /// parallel, because it need not predict a branch after each.
  private func pass<Collector: RowCollector>(
    _ chunk: RowChunk, _ test: (UnsafeMutableRawPointer) -> Bool, to collector: inout Collector
  ) throws -> Bool {
    try withUnsafeTemporaryAllocation(of: Bool.self, capacity: RowFilter.group) { matches in
      var first = 0
      while first < chunk.count {
        let count = min(RowFilter.group, chunk.count - first)
        for index in 0..<count {
          let base = chunk.base(first + index)
          matches.initializeElement(at: index, to: base.map(test) ?? false)
        }
        for index in 0..<count where matches[index] {
          guard try collector.take(first + index, of: chunk) else { return false }
        }
        first += count
      }
      return true
    }
  }

  private static var group: Int { 64 }
}
