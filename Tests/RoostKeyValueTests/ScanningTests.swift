// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostKeyValue

@Suite("What key-value stores keep of themselves")
struct ScanningTests {
  @Test("a list of indexes is read as the decoder would read it, and no damaged one (B13)")
  func catalog() throws {
    var catalog = IndexCatalog()
    for count in 0..<4 {
      catalog.generation = count == 2 ? 12 : nil
      let bytes = try catalog.bytes()
      #expect(IndexCatalog.scanned(bytes) == catalog)
      #expect(try IndexCatalog(bytes) == catalog)
      try Self.expectNothingWrong(bytes, { IndexCatalog.scanned($0) }) {
        try JSONDecoder().decode(IndexCatalog.self, from: $0)
      }
      _ = catalog.add("index Größe \(count)")
    }
    _ = catalog.add("with a / and a \"")
    #expect(IndexCatalog.scanned(try catalog.bytes()) == nil)
    #expect(try IndexCatalog(try catalog.bytes()) == catalog)
  }

  @Test("the formats of records are read as the decoder would read them, and no damaged ones")
  func formats() throws {
    let entity = EntityDescription(name: "Größe")
    entity.properties = [
      AttributeDescription(name: "höhe", type: .double),
      AttributeDescription(name: "name", type: .string),
    ]
    try ManagedObjectModel(entities: [entity]).freeze()
    let format = RecordFormat(entity.layout)
    var later = RecordFormat(entity.layout)
    let row = Row(layout: entity.layout, key: 0, version: 0)
    row.setDouble(1.5, at: entity.layout.slots[0])
    later.fields.removeFirst()
    later.defaults = try RecordFormat.Defaults([("höhe", entity.layout.slots[0])], of: row)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let samples: [[Int: [RecordFormat]]] = [
      [:], [1: []], [1: [format]], [1: [format, format], 12: [format]], [1: [later, format]],
    ]
    for sample in samples {
      let bytes = [UInt8](try encoder.encode(sample))
      #expect(RecordFormat.scanned(bytes) == sample)
      try Self.expectNothingWrong(bytes, { RecordFormat.scanned($0) }) {
        try JSONDecoder().decode([Int: [RecordFormat]].self, from: $0)
      }
    }
  }

  /// Checks that truncated bytes are not scanned, and that damaged bytes are not scanned or give the decoder's
  /// result.
  private static func expectNothingWrong<Result: Equatable>(
    _ bytes: [UInt8], _ scan: ([UInt8]) -> Result?, _ decode: (Data) throws -> Result
  ) throws {
    for end in bytes.indices { #expect(scan(Array(bytes[..<end])) == nil) }
    #expect(scan(bytes + [0x7D]) == nil)
    for place in bytes.indices {
      for byte in [0, 0x22, 0x30, 0x39, 0x5C, 0x2C, 0x7D, 0xFF] as [UInt8] {
        var other = bytes
        other[place] = byte
        guard let read = scan(other) else { continue }
        #expect(try decode(Data(other)) == read)
      }
    }
  }
}
