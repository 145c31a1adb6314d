// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `--instructions … --across`: instructions of saves that concern one store, with another one attached and without.
struct AcrossInstructions {
  /// What the one may take in parts of the other: cross-store.md wants saves to one store unchanged.
  static let limit = 1.005

  let extent: Extent
  /// Where callgrind writes.
  let folder: URL

  /// - Parameter isChecked: Whether more than the limit is an error.
  /// - Returns: 0, 1 for more than the limit, or 130 after Ctrl-C.
  func run(_ engines: [any Engine], isChecked: Bool) throws -> Int32 {
    for engine in engines where !Interruption.isRequested {
      _ = try AcrossRun(engine: engine, data: SampleData(extent)).costsOfOne()
    }
    if Interruption.isRequested { return Interruption.exitCode }
    let counted = try CallgrindProfile.all(in: folder)
    var rows = [["", "instructions a save", "alone", "ratio", "goal"]]
    var isExceeded = false
    for engine in engines {
      guard let beside = counted[AcrossRun.name(engine.kind, isBeside: true)],
        let alone = counted[AcrossRun.name(engine.kind, isBeside: false)], alone > 0
      else { continue }
      let ratio = Double(beside) / Double(alone)
      if ratio > Self.limit { isExceeded = true }
      rows.append([
        engine.kind.title, Figures.grouped(beside / AcrossRun.turn),
        Figures.grouped(alone / AcrossRun.turn), String(format: "%.4f", ratio),
        "\(Self.limit)" + (ratio > Self.limit ? " MISSED" : ""),
      ])
    }
    print("Saves to one store, another one attached\n")
    print(TextTable.aligned(rows).joined(separator: "\n"))
    return isChecked && isExceeded ? 1 : 0
  }
}
