// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostRecording

/// `--replay`: replays a recording on each store, and shows the time of each kind of call.
struct ReplayCommand {
  let file: String
  let engines: [any Engine]

  /// - Returns: 0, or 1 when a store gave results that differ from the recorded ones.
  func run() throws -> Int32 {
    var differs = false
    for engine in engines where !Interruption.isRequested {
      let description = try engine.storeDescription
      try description.type.driver.destroy(description)
      let report = try Recording.replay(URL(filePath: file), on: description) {
        Interruption.isRequested
      }
      print(ReplayTable(store: engine.kind, report: report).text + "\n")
      differs = differs || report.differences + report.conflicts > 0
    }
    return Interruption.isRequested ? Interruption.exitCode : differs ? 1 : 0
  }
}

/// A replay as text.
struct ReplayTable {
  let store: StoreKind
  let report: ReplayReport

  var text: String {
    var rows = [
      [
        "", "calls", "p50", "p95", "p99", "longest, µs", "recorded: p50", "p95", "p99",
        "longest, µs",
        "rows", "bytes",
      ]
    ]
    var trips = 0
    for kind in report.kinds {
      guard let here = Percentiles(kind.microseconds),
        let there = Percentiles(kind.recordedMicroseconds)
      else { continue }
      trips += kind.microseconds.count
      rows.append([
        kind.name, Figures.grouped(kind.microseconds.count), Figures.digits(here.p50),
        Figures.digits(here.p95), Figures.digits(here.p99), Figures.digits(here.maximum),
        Figures.digits(there.p50), Figures.digits(there.p95), Figures.digits(there.p99),
        Figures.digits(there.maximum), Figures.grouped(kind.rows), Figures.grouped(kind.bytes),
      ])
    }
    let head =
      "\(store.title): \(Figures.grouped(trips)) round trips, recorded on \(report.recordedStoreType)"
    var lines = [head] + TextTable.aligned(rows, textColumns: [0])
    if report.isInterrupted {
      lines.append("  interrupted: what was played so far")
    } else if report.isCutOff {
      lines.append(
        "  The recording has no end: the program did not close its store, or the file was cut off")
    }
    if report.differences > 0 { lines.append("  \(report.differences) calls found other rows") }
    if report.conflicts > 0 { lines.append("  \(report.conflicts) saves conflicted") }
    return lines.joined(separator: "\n")
  }
}
