// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostSQLite
import RoostStore
import Testing

#if os(Linux)
import Glibc

/// The test runs itself as a child process, which saves again and again until it is killed.
@Suite(.serialized) struct CrashTests {
  private static let variable = "ROOST_CRASH_STORE"
  private static let batch = 10

  @Test(
    "the child that saves until it is killed",
    .enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
  func child() throws {
    let path = try #require(ProcessInfo.processInfo.environment[Self.variable])
    let names = try OfficeModel()
    let store = try Office.open(.sqlite(at: path), names)
    let acknowledged = fopen(path + ".acknowledged", "a")
    for number in 1...100_000 {
      let sequences = try store.reserveSequences(Self.batch)
      let rows = sequences.map { sequence in
        Row(
          layout: names.person.layout, key: RecordKey.make(sequence: sequence, entityCode: 1),
          version: 1
        ).setting(["nick": .string("\(number)")])
      }
      var metadata = store.metadata
      metadata.userValues["number"] = .integer(Int64(number))
      guard case .committed = try store.commit(StoreChangeSet(inserted: rows, metadata: metadata))
      else { exit(3) }
      fputs("\(number)\n", acknowledged)
      fflush(acknowledged)
    }
  }

  @Test("what was saved before the process was killed is there, and nothing half (reliability 3.1)")
  func kill() throws {
    var random = SplitMix(seed: 5)
    let office = try Office()
    office.store.close()
    var largestKey: Int64 = 0
    for _ in 0..<5 {
      let path = office.folder.appending(path: UUID().uuidString).path
      try runChild(path, milliseconds: Int.random(in: 5...120, using: &random))
      let text = try String(contentsOfFile: path + ".acknowledged", encoding: .utf8)
      let acknowledged = text.split(separator: "\n").last.flatMap { Int($0) } ?? 0
      #expect(acknowledged > 0)
      let store = try Office.open(.sqlite(at: path), office.names)
      guard case .rows(let rows) = try store.fetch(office.request(office.names.person)).content
      else { continue }
      let saved = rows.count / Self.batch
      #expect(rows.count == saved * Self.batch)
      #expect(saved == acknowledged || saved == acknowledged + 1)
      #expect(store.metadata.userValues["number"] == .integer(Int64(saved)))
      largestKey = rows.map { RecordKey.sequence(of: $0.key) }.max() ?? 0
      #expect(try store.reserveSequences(1).lowerBound > largestKey)
      store.close()
      #expect(RawDatabase(URL(filePath: path)).text("PRAGMA integrity_check") == "ok")
    }
  }

  /// Starts the child, waits for its first save and a little longer, and kills it.
  private func runChild(_ path: String, milliseconds: Int) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--testing-library", "swift-testing", "--filter", "CrashTests/child"]
    process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: path]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let deadline = Date(timeIntervalSinceNow: 60)
    while process.isRunning, Date() < deadline {
      let size = try? FileManager.default.attributesOfItem(atPath: path + ".acknowledged")[.size]
      if let size = size as? Int, size > 0 { break }
      usleep(5_000)
    }
    usleep(UInt32(milliseconds) * 1_000)
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
#endif
