// SPDX-License-Identifier: Apache-2.0

import Roost

/// The state of a replay into a store.
struct Replay {
  let store: any PersistentStore
  let names: ReplayNames
  var report = ReplayReport()
  private let clock = ContinuousClock()

  /// An upper limit of reserved numbers, higher than any save of a recording needs.
  private static let largestReservation = 100_000_000

  init(store: any PersistentStore, names: ReplayNames) {
    self.store = store
    self.names = names
  }

  /// Inserts the initial content of the recorded store.
  func fill(_ content: RecordedChanges) throws {
    try names.makeRoom(for: content.inserted)
    guard case .committed = try store.commit(try content.resolved(names)) else {
      throw RecordingError("The store is not empty: the recorded content conflicts with its own.")
    }
  }

  mutating func play(_ call: RecordedCall) throws {
    switch call.request {
    case .fetch(let fetch): try play(fetch, call)
    case .rows(let keys):
      let here = try keys.map(names.key)
      let (rows, time) = try timed { try store.rows(forKeys: here) }
      let bytes = rows.reduce(0) { $0 + $1.byteCount }
      report.add(call, microseconds: time, rows: rows.count, bytes: bytes)
    case .destinations(let entity, let name, let sources):
      let relationship = try names.relationship(entity, name)
      let here = try sources.map(names.key)
      let (found, time) = try timed {
        try store.destinations(of: relationship, forSources: here)
      }
      report.add(
        call, microseconds: time, rows: found.keys.count,
        bytes: (found.keys.count + found.positions.count) * 8)
    case .reserve(let first, let count):
      guard (1...Self.largestReservation).contains(count), first >= 0,
        !first.addingReportingOverflow(Int64(count)).overflow
      else { throw RecordingError("The recording reserves \(count) numbers from \(first).") }
      let (range, time) = try timed { try store.reserveSequences(count) }
      names.take(range, for: first)
      report.add(call, microseconds: time, rows: 0, bytes: 8)
    case .commit(let changes):
      let here = try changes.resolved(names)
      let (outcome, time) = try timed { try store.commit(here) }
      if case .conflicted = outcome { report.conflicts += 1 }
      report.add(call, microseconds: time, rows: changes.count, bytes: changes.byteCount)
    case .end(let calls):
      guard calls == report.calls else {
        throw RecordingError(
          "The recording has \(report.calls) calls, and says at its end that there are \(calls).")
      }
      report.isCutOff = false
    }
  }

  private mutating func play(_ fetch: RecordedFetch, _ call: RecordedCall) throws {
    let request = try fetch.resolved(names)
    let (result, time) = try timed { try store.fetch(request) }
    // With a residual predicate a store returns more rows than match, and the residual predicates of stores differ.
    let isWhole = result.remainder == nil && call.isWhole
    report.add(
      call, microseconds: time, rows: isWhole ? result.content.count : call.rows,
      bytes: result.content.byteCount)
  }

  private func timed<Result>(_ body: () throws -> Result) rethrows -> (Result, Double) {
    let start = clock.now
    let result = try body()
    let (seconds, attoseconds) = (clock.now - start).components
    return (result, Double(seconds) * 1e6 + Double(attoseconds) / 1e12)
  }
}
