// SPDX-License-Identifier: Apache-2.0

extension MigrationPlan {
  /// The estimated cost of a migration, derived from the number of records that its steps process.
  ///
  /// Each kind of step has a slowest and a fastest rate, in records per second: building an index 100,000 to
  /// 1,000,000, filling in a value 30,000 to 600,000, rewriting records 20,000 to 400,000, moving relationships
  /// 30,000 to 400,000, dropping data 50,000 to 1,000,000. The slow rates are those of a server on another machine.
  ///
  /// ```swift
  /// if plan.estimate.seconds.upperBound > 5 { showProgress() }
  /// ```
  public struct Estimate: Sendable, Hashable {
    /// The number of records that are read or written before the store opens.
    public package(set) var rows = 0
    /// The seconds until the store opens, at least and at most.
    public package(set) var seconds: ClosedRange<Double> = 0...0
    /// The seconds that the deferred steps take, at least and at most.
    public package(set) var laterSeconds: ClosedRange<Double> = 0...0
    /// The number of bytes that must be free on the disk; nil for stores that are not files.
    public package(set) var freeBytesNeeded: Int64?
    /// The number of bytes that are free on the disk; nil where it is unknown.
    public package(set) var freeBytes: Int64?
    /// Whether deferrable steps are deferred.
    package var defers = false

    init() {}

    /// Whether the disk is known to have too little space.
    package var lacksRoom: Bool {
      guard let freeBytesNeeded, let freeBytes else { return false }
      return freeBytes < freeBytesNeeded
    }
  }

  /// Sets the estimate from the costs of the steps.
  ///
  /// - Parameters:
  ///   - defers: Whether deferrable steps are deferred.
  ///   - fileBytes: The size of the store's file; nil when the store is not a file.
  ///   - freeBytes: The number of free bytes on the file's disk.
  ///   - copies: The disk space needed when records are written, in multiples of the store's file.
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
    // New data goes to the log, or to other pages of the file, before it replaces the old.
    estimate.freeBytesNeeded = fileBytes.map { writes ? $0 * copies : 0 }
    estimate.freeBytes = freeBytes
    self.estimate = estimate
  }
}

private func + (left: ClosedRange<Double>, right: ClosedRange<Double>) -> ClosedRange<Double> {
  left.lowerBound + right.lowerBound...left.upperBound + right.upperBound
}

extension MigrationPlan.Kind {
  /// The records per second of a step, at least and at most; nil for constant time.
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
      // The free space changes all the time, and is shown only when it is low.
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
