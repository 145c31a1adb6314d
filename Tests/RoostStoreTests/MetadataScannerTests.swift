// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostStore

@Suite("Metadata as they are written")
struct MetadataScannerTests {
  @Test("what is written is read as the decoder would read it (B244)")
  func asTheDecoder() throws {
    for count in [0, 1, 2, 3, 4, 31, 32, 33, 64] {
      var metadata = StoreMetadata(storeType: "SQLite", identifier: "a-b")
      for number in 0..<count {
        let hash = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + number) })
        metadata.entityVersionHashes["Größe \(number)"] = hash
        metadata.entityCodes["Größe \(number)"] = number + 1
      }
      metadata.versionIdentifiers = (0..<count % 5).map { "v\($0)" }
      metadata.versionChecksum = "c+/="
      let json = try metadata.json()
      #expect(MetadataScanner.metadata(in: json) == metadata)
      #expect(try JSONDecoder().decode(StoreMetadata.self, from: json) == metadata)
      #expect(try StoreMetadata(json: json) == metadata)
    }
  }

  @Test("metadata that name one thing twice are left to the decoder (B244)")
  func twice() throws {
    var metadata = StoreMetadata(storeType: "SQLite", identifier: "a")
    metadata.entityCodes = ["Person": 1]
    let json = String(decoding: try metadata.json(), as: UTF8.self)
    let twice = json.replacing("\"Person\":1", with: "\"Person\":1,\"Person\":2")
    #expect(twice != json)
    #expect(MetadataScanner.metadata(in: Data(twice.utf8)) == nil)
  }

  @Test("what is written otherwise is left to the decoder, and read all the same (B244)")
  func otherwise() throws {
    var metadata = StoreMetadata(storeType: "SQLite", identifier: "quoted \" \\ \n")
    metadata.userValues = ["lastImport": .integer(5)]
    #expect(MetadataScanner.metadata(in: try metadata.json()) == nil)
    #expect(try StoreMetadata(json: try metadata.json()) == metadata)
    let spaced = """
      { "storeType": "SQLite", "identifier": "x", "entityVersionHashes": {}, "entityCodes": {},
        "versionIdentifiers": [], "versionChecksum": "", "userValues": {} }
      """
    #expect(MetadataScanner.metadata(in: Data(spaced.utf8)) == nil)
    #expect(try StoreMetadata(json: Data(spaced.utf8)).identifier == "x")
  }

  @Test("damaged bytes are no metadata: cut off, changed, or with something after them (B244)")
  func damage() throws {
    var metadata = StoreMetadata(storeType: "SQLite", identifier: "x")
    metadata.entityVersionHashes = ["A": Data([1]), "B": Data([1, 2])]
    metadata.entityCodes = ["A": 1, "B": 2]
    let json = try metadata.json()
    for end in 0..<json.count {
      #expect(MetadataScanner.metadata(in: json.prefix(end)) == nil)
      #expect(throws: PersistenceError.self) { try StoreMetadata(json: Data(json.prefix(end))) }
    }
    #expect(MetadataScanner.metadata(in: json + Data("}".utf8)) == nil)
    for place in json.indices {
      for byte in [0, 0x22, 0x5C, 0x3D, 0x2C, 0xFF] as [UInt8] {
        var other = json
        other[place] = byte
        // The scanner rejects it, or gives the same result as the decoder.
        guard let read = MetadataScanner.metadata(in: other) else { continue }
        #expect(try JSONDecoder().decode(StoreMetadata.self, from: other) == read)
      }
    }
    for wrong in ["01", "-1", "1.0", "12345678901234567890"] {
      let text = String(decoding: json, as: UTF8.self)
      let other = text.replacing("\"A\":1,", with: "\"A\":\(wrong),")
      #expect(MetadataScanner.metadata(in: Data(other.utf8)) == nil)
    }
  }
}
