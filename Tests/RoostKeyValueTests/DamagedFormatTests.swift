// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostKeyValue
@testable import RoostLMDB

/// Tests of formats with damaged bytes in their defaults: the result is an error or rows, and never a trap.
@Suite struct DamagedFormatTests {
  @Test("damaged defaults of old records are an error of the store (M53)")
  func defaults() throws {
    let store = try AttributeEvolutionTests.filled(.lmdb)
    let next = try AttributeEvolutionTests.people(
      attribute("name", .string), attribute("age", .integer32),
      attribute("note", .string, default: .string("a text of more than fifteen bytes")),
      attribute("site", .uri, default: .uri(try #require(URL(string: "a:b")))),
      attribute("price", .decimal, default: .decimal(1)),
      attribute("open", .boolean, default: .boolean(true)))
    try store.evolve(to: next, from: AttributeEvolutionTests.first())
    let raw = try #require(store.store as? KeyValueStore)
    let found = try raw.engine.reading { try $0.blob(named: RecordFormats.blobName) }
    let bytes = try #require(found)
    #expect(RecordFormat.scanned(bytes)?[1]?.first?.defaults?.fields.count == 4)
    let schema = try next.schema(raw.identity, codes: raw.metadata.entityCodes)
    _ = try RecordFormats(bytes, schema: schema)
    var failures = 0
    for place in bytes.indices {
      for byte in [0, 0x22, 0x30, 0x41, 0x5A, 0x7D, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[place] = byte
        do {
          let formats = try RecordFormats(damaged, schema: schema)
          let codec = formats.codec(ofEntityCode: 1, format: 0)
          _ = codec?.defaults.map { row in row.layout.slots.map { row.value(at: $0) } }
        } catch {
          let code = (error as? PersistenceError)?.code
          #expect(code == .corruptStore || code == .persistentStoreIncompatibleSchema)
          failures += 1
        }
      }
    }
    #expect(failures > bytes.count)
  }

  @Test("the 65,537th format of an entity is refused, and none is read")
  func tooMany() throws {
    let version = try AttributeEvolutionTests.first()
    let layout = version.entity("Person").layout
    #expect(throws: PersistenceError(.corruptStore, "")) {
      try RecordCodec(format: RecordFormat(layout), layout: layout, formatNumber: 65_536)
    }
    _ = try RecordCodec(format: RecordFormat(layout), layout: layout, formatNumber: 65_535)
  }

  @Test("a text of a model that is too long is damage")
  func longText() throws {
    let store = try AttributeEvolutionTests.filled(.memory)
    let raw = try #require(store.store as? KeyValueStore)
    try raw.engine.write { _, batch in
      batch.setBlob([UInt8](repeating: 0, count: 16 << 20 + 1), named: KeyValueStore.modelName)
    }
    #expect(failure { _ = try raw.storedModel() }?.code == .corruptStore)
  }
}
