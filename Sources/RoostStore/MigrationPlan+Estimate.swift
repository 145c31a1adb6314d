// SPDX-License-Identifier: Apache-2.0

extension MigrationPlan {
  /// What a migration costs, estimated from the number of records that its steps concern.
  ///
  /// Each kind of step has a slowest and a fastest rate, in records a second: an index 100,000 to 1,000,000, a value
  /// that is filled in 30,000 to 600,000, records that are rewritten 20,000 to 400,000, relationships that move 30,000
  /// to 400,000, data that is dropped 50,000 to 1,000,000. The slow ones are those of a server on another machine.
  ///
  /// ```swift
  /// if plan.estimate.seconds.upperBound > 5 { showProgress() }
  /// ```
  public struct Estimate: Sendable, Hashable {
    /// How many records are read or written before the store opens.
    public package(set) var rows = 0
    /// How many seconds pass before the store opens, at least and at most.
    public package(set) var seconds: ClosedRange<Double> = 0...0
    /// How many seconds the steps take that are left for later.
    public package(set) var laterSeconds: ClosedRange<Double> = 0...0
    /// How many bytes of the disk must be free; nil for stores that are no files.
    public package(set) var freeBytesNeeded: Int64?
    /// How many bytes of the disk are free; nil where that cannot be told.
    public package(set) var freeBytes: Int64?
    /// Whether what can be left for later is left.
    package var defers = false

    init() {}

    /// Whether the disk is known to have too little room.
    package var lacksRoom: Bool {
      guard let freeBytesNeeded, let freeBytes else { return false }
      return freeBytes < freeBytesNeeded
    }
  }

  /// Fills in what the steps cost.
  ///
  /// - Parameters:
  ///   - defers: Whether what can be left for later is left.
  ///   - fileBytes: The size of the store's file; nil when it is none.
  ///   - freeBytes: How many bytes are free where the file is.
  ///   - copies: How many files as large as the store's are written, when records are.
  package mutating func makeEstimate(
    defers: Bool, fileBytes: Int64?, freeBytes: Int64?, copies: Int64 = 2
  ) {
    var estimate = Estimate()
    estimate.defers = defers
    var writes = false
    for step in steps {
      guard let rates = step.kind.rates else { continue }
      let rows = Double(step.rows)
      let seconds = rows / rates.upperBound...rows / rates.lowerBound
      if defers, step.isDeferrable {
        estimate.laterSeconds = estimate.laterSeconds + seconds
      } else {
        estimate.rows += step.rows
        estimate.seconds = estimate.seconds + seconds
        writes = writes || step.rows > 0
      }
    }
    // What is written goes to a log, or to other pages of the file, before it takes the place of what was there.
    estimate.freeBytesNeeded = fileBytes.map { writes ? $0 * copies : 0 }
    estimate.freeBytes = freeBytes
    self.estimate = estimate
  }
}

private func + (left: ClosedRange<Double>, right: ClosedRange<Double>) -> ClosedRange<Double> {
  left.lowerBound + right.lowerBound...left.upperBound + right.upperBound
}

extension MigrationPlan.Kind {
  /// How many records a second a step takes, at least and at most; nil for what takes constant time.
  fileprivate var rates: ClosedRange<Double>? {
    switch self {
    case .catalogue, .addColumn: nil
    case .index: 100_000...1_000_000
    case .fill: 30_000...600_000
    case .rewrite, .custom: 20_000...400_000
    case .move: 30_000...400_000
    case .drop: 50_000...1_000_000
    }
  }
}

extension MigrationPlan.Estimate: CustomStringConvertible {
  /// The estimate as the last line of a plan.
  public var description: String {
    var text = "total \(Self.text(seconds)) s before the store opens"
    if laterSeconds.upperBound > 0 { text += ", \(Self.text(laterSeconds)) s later" }
    if let freeBytesNeeded, freeBytesNeeded > 0 {
      text += "; \(Self.megabytes(freeBytesNeeded)) MB free needed"
      // How much is there changes all the time, and is only of interest when it is little.
      if let freeBytes {
        let isPlenty = freeBytes / 10 >= freeBytesNeeded
        text += isPlenty ? ", more is there" : ", \(Self.megabytes(freeBytes)) MB there"
      }
    }
    return text
  }

  private static func megabytes(_ bytes: Int64) -> Int64 { (bytes + 999_999) / 1_000_000 }

  private static func text(_ seconds: ClosedRange<Double>) -> String {
    let (least, most) = (tenths(seconds.lowerBound), tenths(seconds.upperBound))
    return least == most ? most : "\(least)-\(most)"
  }

  private static func tenths(_ seconds: Double) -> String {
    let tenths = Int((min(seconds, 1e9) * 10).rounded(.up))
    return "\(tenths / 10).\(tenths % 10)"
  }
}
