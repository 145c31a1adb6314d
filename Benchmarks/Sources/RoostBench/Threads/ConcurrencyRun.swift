// SPDX-License-Identifier: Apache-2.0

/// The cases of `--threads`: readers alone, from one to all; the writer alone; all together.
struct ConcurrencyRun {
  let engine: any Engine
  let data: SampleData
  var duration = Duration.seconds(2)

  /// - Parameter threads: The largest number of contexts that read.
  func run(threads: Int, progress: Progress) throws -> [ConcurrencyResult] {
    let stage = try Stage(engine, data)
    try stage.fill()
    var results: [ConcurrencyResult] = []
    let cases = Self.cases(threads)
    for (index, (readers, hasWriter)) in cases.enumerated() where !Interruption.isRequested {
      let left = Figures.remaining(duration.seconds * Double(cases.count - index))
      progress.note(
        "\(engine.kind.title): \(readers) readers\(hasWriter ? ", one writer" : ""), about \(left) left"
      )
      try stage.reopen()
      let run = ReadersAndWriter(
        store: engine.kind, container: stage.container, extent: data.extent, duration: duration)
      results.append(try run.run(readers: readers, hasWriter: hasWriter))
    }
    try stage.close()
    return results
  }

  static func cases(_ threads: Int) -> [(readers: Int, hasWriter: Bool)] {
    var counts: [Int] = []
    var count = 1
    while count < threads {
      counts.append(count)
      count *= 2
    }
    counts.append(threads)
    return counts.map { ($0, false) }
      + [(0, true), (1, true), (threads, true)]
      .filter { $0.0 != 1 || threads > 1 }
  }
}
