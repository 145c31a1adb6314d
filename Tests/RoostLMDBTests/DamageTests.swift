// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostLMDB
import RoostModel
import RoostQuery
import RoostStore
import Testing

/// Tests of damaged records, keys and lists: the result is a typed error that names the damage, and never a row that
/// was not written.
@Suite struct DamageTests {
  private func filled() throws -> (Depot, [Row]) {
    let depot = try Depot()
    let rows = try depot.insert((0..<100).map { "thing \($0)" }, payload: 50)
    depot.store.close()
    return (depot, rows)
  }

  @Test("a damaged record is an error that names it, wherever a byte is wrong (reliability 3.11)")
  func record() throws {
    let (depot, rows) = try filled()
    let key = rows[42].key
    for position in [0, 1, 2, 4, 9, 20, 40, 60, 100] {
      let raw = RawEnvironment(path: depot.path)
      func flip() {
        raw.change(RawEnvironment.recordKey(key), in: "records.1") {
          $0[min(position, $0.count - 1)] ^= 0x10
        }
      }
      flip()
      let store = try depot.second()
      for read in [
        { _ = try store.rows(forKeys: [key]) }, { _ = try depot.names(in: store) },
        { _ = try depot.rows(depot.model.request("payload", .notEqualTo, .null), in: store) },
      ] {
        let error = #expect(throws: PersistenceError.self, "\(position)") { try read() }
        #expect(error?.code == .corruptStore)
        #expect(error?.entityName == "Thing")
        #expect(error?.objectIDs.map(\.key) == [key])
        #expect(error?.message.contains("record \(RecordKey.sequence(of: key)) ") == true)
      }
      // Intact records can be read, also next to damaged ones.
      #expect(try store.rows(forKeys: [rows[41].key, rows[43].key]).count == 2)
      store.close()
      flip()
    }
    try depot.reopen()
    #expect(try depot.names().count == 100)
  }

  @Test("a record that is too short, or another's, is damaged")
  func otherRecords() throws {
    let (depot, rows) = try filled()
    let raw = RawEnvironment(path: depot.path)
    let key = RawEnvironment.recordKey(rows[7].key)
    for bytes in [[], [1], [UInt8](repeating: 0, count: 200)] {
      raw.put(key, bytes, in: "records.1")
      try depot.reopen()
      #expect(errorCode { _ = try depot.names() } == .corruptStore)
      depot.store.close()
    }
    var other: [UInt8] = []
    raw.change(RawEnvironment.recordKey(rows[8].key), in: "records.1") { other = $0 }
    raw.put(key, other, in: "records.1")
    try depot.reopen()
    #expect(errorCode { _ = try depot.store.rows(forKeys: [rows[7].key]) } == .corruptStore)
    #expect(try depot.store.rows(forKeys: [rows[8].key]).count == 1)
  }

  @Test(
    "a damaged list of the store is found when the store is opened",
    arguments: ["metadata", "catalog", "formats", "sequence"])
  func blobs(_ name: String) throws {
    let (depot, _) = try filled()
    RawEnvironment(path: depot.path).put(Array(name.utf8), Array("no list".utf8), in: "blobs")
    let code = errorCode {
      let store = try depot.second()
      defer { store.close() }
      _ = try store.reserveSequences(1)
    }
    #expect(code == .corruptStore)
  }

  @Test("a key of an index that is too short is damage, not a trap")
  func shortKey() throws {
    let (depot, _) = try filled()
    let raw = RawEnvironment(path: depot.path)
    for table in 1...3 { raw.put([1], [], in: "entries.\(table)") }
    try depot.reopen()
    let request = depot.model.request("name", .lessThan, .string("a"))
    #expect(errorCode { _ = try depot.rows(request) } == .corruptStore)
  }
}
