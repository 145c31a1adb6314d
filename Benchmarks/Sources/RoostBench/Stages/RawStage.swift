// SPDX-License-Identifier: Apache-2.0

/// The engine called directly, with the data of the run.
final class RawStage {
  let engine: any Engine
  let data: SampleData
  private(set) var meter = Meter()
  private(set) var database: any RawDatabase
  private let baseline: Baseline

  /// - Parameter baseline: The way in which the engine is opened; `tuned` has its own database.
  init(_ engine: any Engine, _ data: SampleData, _ baseline: Baseline = .raw) throws {
    self.engine = engine
    self.data = data
    self.baseline = baseline
    database = try engine.openRaw(baseline)
  }

  var extent: Extent { data.extent }

  func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    try meter.measure(body)
  }

  /// Opens the database once more.
  func open() throws -> any RawDatabase { try engine.openRaw(baseline) }

  /// Closes the database, opens it again and reads one key, so that opening is not part of the measurement, as on the
  /// other side.
  func reopen() throws {
    database.close()
    database = try open()
    try database.readKey()
  }

  func startMeter() { meter = Meter() }

  func fill() throws { try database.fill(data) }

  /// Reopens the database and reads all its data.
  func contents() throws -> Checksum {
    try reopen()
    return try database.readAll()
  }

  func close() { database.close() }
}
