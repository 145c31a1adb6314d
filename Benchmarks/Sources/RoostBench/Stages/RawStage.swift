// SPDX-License-Identifier: Apache-2.0

/// The engine called directly, with the data of the run.
final class RawStage {
  let engine: any Engine
  let data: SampleData
  private(set) var meter = Meter()
  private(set) var database: any RawDatabase

  init(_ engine: any Engine, _ data: SampleData) throws {
    self.engine = engine
    self.data = data
    database = try engine.openRaw()
  }

  var extent: Extent { data.extent }

  func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    try meter.measure(body)
  }

  /// Opens the database once more.
  func open() throws -> any RawDatabase { try engine.openRaw() }

  /// Closes the database and opens it again, as for the other side.
  func reopen() throws {
    database.close()
    database = try open()
  }

  func startMeter() { meter = Meter() }

  func fill() throws { try database.fill(data) }

  /// Reads all that is stored, anew.
  func contents() throws -> Checksum {
    try reopen()
    return try database.readAll()
  }

  func close() { database.close() }
}
