// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@Suite("Metadata of a store")
struct StoreMetadataTests {
  private var full: StoreMetadata {
    var metadata = StoreMetadata(storeType: "SQLite", identifier: "S-1")
    metadata.entityVersionHashes = ["Person": Data([0, 1, 255])]
    metadata.versionIdentifiers = ["2.0"]
    metadata.versionChecksum = "abc="
    metadata.entityCodes = ["Person": 1, "Gone": 4095]
    metadata.userValues = [
      "s": .string("a/\"\u{0301}\u{1F600}"), "i": .integer(.min), "d": .double(0.1),
      "inf": .double(-.infinity), "b": .boolean(false),
      "t": .date(Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)), "x": .data(Data([7])),
      "l": .list([.integer(1), .list([])]), "m": .dictionary(["": .dictionary([:])]),
    ]
    return metadata
  }

  @Test("a new store has a UUID and no hashes (B322)")
  func newStore() {
    let metadata = StoreMetadata(storeType: "SQLite")
    #expect(UUID(uuidString: metadata.identifier) != nil)
    #expect(metadata.entityVersionHashes.isEmpty)
    #expect(metadata.entityCodes.isEmpty)
  }

  @Test("metadata survives the way to JSON and back, bit by bit (B244)")
  func roundTrip() throws {
    #expect(try StoreMetadata(json: full.json()) == full)
  }

  @Test("a number that is none survives too")
  func notANumber() throws {
    var metadata = full
    metadata.userValues = ["nan": .double(.nan)]
    guard case .double(let number) = try StoreMetadata(json: metadata.json()).userValues["nan"]
    else {
      Issue.record("The value was lost.")
      return
    }
    #expect(number.isNaN)
  }

  @Test("equal metadata give equal bytes, and the form of a value is fixed")
  func stableBytes() throws {
    #expect(try full.json() == full.json())
    let value = try JSONEncoder().encode(["a": MetadataValue.integer(7)])
    #expect(String(decoding: value, as: UTF8.self) == #"{"a":{"integer":7}}"#)
  }

  static let corrupt = [
    "", "{", "[]", "null", "{}", #"{"storeType":"SQLite"}"#,
    #"{"storeType":"","identifier":"x","entityVersionHashes":{},"versionIdentifiers":[],"#
      + #""versionChecksum":"","entityCodes":{},"userValues":{}}"#,
  ]

  @Test("bytes that are no metadata are a corrupt store, never a trap (B241)", arguments: corrupt)
  func corruptBytes(_ text: String) {
    expectCorrupt(Data(text.utf8))
  }

  @Test(
    "impossible codes are a corrupt store",
    arguments: [["A": 0], ["A": -7], ["A": 4096], ["A": 1, "B": 1]])
  func corruptCodes(_ codes: [String: Int]) throws {
    var metadata = full
    metadata.entityCodes = codes
    expectCorrupt(try metadata.json())
  }

  @Test(
    "a value of no type, of two types or of an impossible number is refused",
    arguments: [
      #"{}"#, #"{"integer":1,"string":"a"}"#, #"{"integer":1.5}"#, #"{"double":"many"}"#,
      #"{"color":"red"}"#, #"{"integer":99999999999999999999}"#,
    ])
  func corruptValues(_ text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(MetadataValue.self, from: Data(text.utf8))
    }
  }

  @Test("changed bytes are refused or read as something, but never trap")
  func changedBytes() throws {
    let bytes = try full.json()
    for index in bytes.indices {
      for byte in [UInt8(0), 34, 57, 123, 125, 255] {
        var changed = bytes
        changed[index] = byte
        _ = try? StoreMetadata(json: changed)
      }
    }
  }

  @Test("values that are nested too deep are refused before they are written")
  func deepValues() {
    var value = MetadataValue.integer(1)
    for _ in 0..<MetadataValue.deepestNesting { value = .list([value]) }
    #expect(value.isNestedModerately)
    var metadata = full
    metadata.userValues = ["deep": value]
    #expect(throws: Never.self) { try StoreMetadata(json: metadata.json()) }
    metadata.userValues = ["deep": .dictionary(["a": value])]
    #expect(throws: PersistenceError(.limitExceeded, "")) { try metadata.json() }
  }

  private func expectCorrupt(_ bytes: Data) {
    #expect(throws: PersistenceError(.corruptStore, "")) { try StoreMetadata(json: bytes) }
  }
}
