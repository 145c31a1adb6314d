// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import Testing

@Suite(
  "Xcode's models of real programs",
  .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with hash-vectors.tsv"))
struct RealXcodeModelTests {
  private func file(_ path: String) throws -> URL {
    try #require(Fixtures.folder).appending(path: path)
  }

  @Test("every model loads, and keeps nothing but parsed predicates")
  func all() throws {
    let models = try file("models")
    let names = FileManager.default.enumerator(atPath: models.path)?.compactMap { $0 as? String }
    let paths = (names ?? []).filter { $0.hasSuffix(".contents") }.sorted()
    #expect(paths.count > 80)
    var count = 0
    for path in paths {
      let model = try ManagedObjectModel(contentsOf: models.appending(path: path))
      count += model.entities.count
      for template in model.fetchRequestTemplatesByName.values {
        #expect(template is FetchCriteria)
      }
    }
    #expect(count > 200)
  }

  @Test("entities have the hashes that Apple's framework wrote into real stores (B248, B249)")
  func hashes() throws {
    let rows = try Fixtures.rows("hash-vectors.tsv")
    #expect(rows.count > 30)
    for columns in rows {
      let model = try ManagedObjectModel(contentsOf: try file(columns[0]))
      let entity = try #require(model.entitiesByName[columns[1]])
      let hash = entity.versionHash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      #expect(hash.joined() == columns[2], "\(columns[0]) \(columns[1])")
    }
  }

  @Test("a model cut off or damaged anywhere is refused or read, and never ends the program")
  func damage() throws {
    let folder = try ModelFolder()
    let files = try FileManager.default.contentsOfDirectory(
      at: try file("models/magicalpanda+MagicalRecord"), includingPropertiesForKeys: nil)
    let model = files.filter { $0.pathExtension == "contents" }.min { $0.path < $1.path }
    let bytes = try Data(contentsOf: try #require(model))
    for place in stride(from: 0, to: bytes.count, by: 37) {
      let message = try folder.refusal(Data(bytes.prefix(place)))
      #expect(message.contains("contents:"))
      var changed = bytes
      for damage: UInt8 in [0, UInt8(ascii: "<"), UInt8(ascii: "\""), UInt8(ascii: "&"), 0xFF] {
        changed[place] = damage
        _ = try folder.refusal(changed)
      }
    }
  }
}
