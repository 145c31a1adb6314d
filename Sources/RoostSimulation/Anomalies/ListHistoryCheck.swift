// SPDX-License-Identifier: Apache-2.0

/// Finds anomalies in a history of transactions that read and append to lists.
///
/// The final lists give the order of the writes of each list. Reads and later writes make transactions depend on each
/// other; a cycle of dependencies is an anomaly, named by the kinds of its edges.
package struct ListHistoryCheck {
  private let history: [ListTransaction]
  private let final: [Int: [Int]]
  /// The transaction that appended a value.
  private var writers: [ListTransaction.Append: Int] = [:]
  /// Each anomaly that was found, with an example.
  package private(set) var found: [Anomaly: String] = [:]

  /// The dependency edges between transactions, by kind.
  private struct Edges {
    /// Write-write and write-read dependencies.
    var flow: [Set<Int>]
    /// Anti-dependencies (read-write).
    var missing: [Set<Int>]
  }

  /// Searches for anomalies.
  ///
  /// - Parameters:
  ///   - history: The transactions, in any order.
  ///   - final: The lists after all of them.
  package init(_ history: [ListTransaction], final: [Int: [Int]]) {
    self.history = history
    self.final = final
    for (index, transaction) in history.enumerated() {
      for append in transaction.appends { writers[append] = index }
    }
    checkWrites()
    for transaction in history where transaction.outcome == .committed {
      for read in transaction.reads { check(read, by: transaction) }
    }
    checkCircles()
  }

  private mutating func note(_ anomaly: Anomaly, _ example: @autoclosure () -> String) {
    if found[anomaly] == nil { found[anomaly] = example() }
  }

  /// Checks that each acknowledged value is in its list exactly once, and that the lists have no other values.
  private mutating func checkWrites() {
    for transaction in history where transaction.outcome == .committed {
      for append in transaction.appends where final[append.key]?.contains(append.value) != true {
        note(.lostUpdate, "\(append.value) is not in list \(append.key)")
      }
    }
    for (key, values) in final {
      if Set(values).count < values.count { note(.fork, "list \(key) repeats values: \(values)") }
      for value in values { checkSource(of: value, in: key) }
    }
  }

  private mutating func checkSource(of value: Int, in key: Int) {
    guard let writer = writers[ListTransaction.Append(key, value)] else {
      note(.abortedRead, "nobody appended \(value) to list \(key)")
      return
    }
    if history[writer].outcome == .aborted {
      note(.abortedRead, "\(value) of an aborted transaction is in list \(key)")
    }
  }

  private mutating func check(_ read: ListTransaction.Read, by transaction: ListTransaction) {
    for value in read.values { checkSource(of: value, in: read.key) }
    let whole = final[read.key] ?? []
    guard whole.starts(with: read.values) else {
      note(.fork, "list \(read.key) was seen as \(read.values), and is \(whole)")
      return
    }
    guard let last = read.values.last,
      let writer = writers[ListTransaction.Append(read.key, last)]
    else { return }
    let own = history[writer].appends.filter { $0.key == read.key }.map(\.value)
    if let end = own.last, end != last {
      note(.intermediateRead, "list \(read.key) was seen with \(last), and without \(end)")
    }
  }

  // MARK: Circles

  private mutating func checkCircles() {
    var edges = Edges(
      flow: [Set<Int>](repeating: [], count: history.count),
      missing: [Set<Int>](repeating: [], count: history.count))
    addWrites(to: &edges)
    if let circle = Self.circle(in: edges.flow) { note(.dirtyWrite, "transactions \(circle)") }
    addReads(to: &edges)
    if let circle = Self.circle(in: edges.flow) { note(.circularFlow, "transactions \(circle)") }
    for (reader, later) in edges.missing.enumerated() {
      for writer in later where Self.path(from: writer, to: reader, in: edges.flow) {
        note(.readSkew, "transaction \(reader) saw what came after \(writer), but not \(writer)")
      }
    }
    let all = zip(edges.flow, edges.missing).map { $0.union($1) }
    if found[.readSkew] == nil, found[.circularFlow] == nil, let circle = Self.circle(in: all) {
      note(.writeSkew, "transactions \(circle)")
    }
  }

  private func addWrites(to edges: inout Edges) {
    for (key, values) in final {
      let order = values.compactMap { writers[ListTransaction.Append(key, $0)] }
      for (earlier, later) in zip(order, order.dropFirst()) where earlier != later {
        edges.flow[earlier].insert(later)
      }
    }
  }

  private func addReads(to edges: inout Edges) {
    for (reader, transaction) in history.enumerated() where transaction.outcome == .committed {
      for read in transaction.reads {
        if let last = read.values.last, let writer = writers[.init(read.key, last)],
          writer != reader
        {
          edges.flow[writer].insert(reader)
        }
        let rest = (final[read.key] ?? []).dropFirst(read.values.count)
        let next = rest.lazy.compactMap { writers[.init(read.key, $0)] }.first
        if let next, next != reader { edges.missing[reader].insert(next) }
      }
    }
  }

  /// Whether a way leads from one transaction to another.
  private static func path(from start: Int, to end: Int, in edges: [Set<Int>]) -> Bool {
    var seen: Set<Int> = [start]
    var waiting = [start]
    while let next = waiting.popLast() {
      if next == end { return true }
      for other in edges[next] where seen.insert(other).inserted { waiting.append(other) }
    }
    return false
  }

  /// Returns the transactions that remain after those without incoming or outgoing edges are removed repeatedly; nil
  /// when none remains.
  private static func circle(in edges: [Set<Int>]) -> [Int]? {
    var incoming = [Int](repeating: 0, count: edges.count)
    for targets in edges { for target in targets { incoming[target] += 1 } }
    var ready = incoming.indices.filter { incoming[$0] == 0 }
    var left = Set(incoming.indices)
    while let next = ready.popLast() {
      left.remove(next)
      for target in edges[next] {
        incoming[target] -= 1
        if incoming[target] == 0 { ready.append(target) }
      }
    }
    return left.isEmpty ? nil : left.sorted()
  }
}
