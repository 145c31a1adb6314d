// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostStore
import Testing

@testable import RoostMigration

/// Tests of damaged or malicious files of mapping models.
@Suite("Damaged files of mapping models") struct MappingFuzzTests {
  /// A generator of random numbers that are the same for a seed.
  private struct Numbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(truncatingIfNeeded: (state >> 33) % UInt64(max(limit, 1)))
    }
  }

  private static let pieces: [[UInt8]] = [
    Array("<".utf8), Array("</object>".utf8), Array("idrefs=\"z1 z2 z999\"".utf8),
    Array("\u{0}".utf8),
    Array("&#x110000;".utf8), Array("<!DOCTYPE a [<!ENTITY b \"c\">]>&b;".utf8), Array("\"".utf8),
    Array("FUNCTION($manager, ".utf8), Array("{[{[".utf8), Array("-9223372036854775809".utf8),
    [0xFF, 0xFE], [0xD0 | 0x0F, 0xFF], [UInt8](repeating: 0x41, count: 5_000),
  ]

  /// Returns a file with damage in one to three places.
  private static func damaged(_ whole: [UInt8], _ numbers: inout Numbers) -> [UInt8] {
    var bytes = whole
    for _ in 0...numbers.below(3) where !bytes.isEmpty {
      let index = numbers.below(bytes.count)
      switch numbers.below(6) {
      case 0: bytes[index] = UInt8(numbers.below(256))
      case 1: bytes.removeSubrange(index..<min(bytes.count, index + 1 + numbers.below(200)))
      case 2: bytes.insert(contentsOf: bytes[index...].prefix(numbers.below(300)), at: index)
      case 3: bytes.insert(contentsOf: pieces[numbers.below(pieces.count)], at: index)
      case 4: bytes = Array(bytes.prefix(index))
      default: bytes[index] ^= 1 << UInt8(numbers.below(8))
      }
    }
    return bytes
  }

  /// Reads damaged files; each must give a usable mapping model or a typed error.
  private func fuzz(
    _ whole: [UInt8], rounds: Int, seed: UInt64, _ read: ([UInt8]) throws -> MappingModel
  ) -> (read: Int, refused: Int) {
    var numbers = Numbers(seed: seed)
    var counts = (read: 0, refused: 0)
    for round in 0..<rounds {
      let bytes = Self.damaged(whole, &numbers)
      do {
        let mapping = try read(bytes)
        counts.read += 1
        _ = mapping.leads(from: Staff.old(), to: Staff.new())
        _ = try? MappingCompiler(
          mapping: mapping, sourceModel: Staff.old(), destinationModel: Staff.new()
        ).run()
        for entity in mapping.entityMappings {
          _ = entity.description
          for property in (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? []) {
            _ = property.valueExpression?.description
          }
        }
      } catch {
        counts.refused += 1
        let code = (error as? PersistenceError)?.code
        let isTyped = code == .invalidModel || code == .invalidPredicate
        #expect(isTyped, "seed \(seed), round \(round): \(error)")
      }
    }
    return counts
  }

  private func fuzzFile(_ whole: [UInt8], name: String, rounds: Int, seed: UInt64) throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: name)
    let counts = fuzz(whole, rounds: rounds, seed: seed) { bytes in
      try Data(bytes).write(to: file)
      return try MappingModel(contentsOf: file)
    }
    #expect(counts.refused > rounds / 20, "\(counts)")
  }

  @Test("damaged JSON is a mapping model or a typed error (M53, A11)")
  func json() throws {
    let whole = [UInt8](try Staff.mapping().jsonData())
    let counts = fuzz(whole, rounds: 4_000, seed: 1) { try MappingModel(jsonData: Data($0)) }
    #expect(counts.refused > 200, "\(counts)")
  }

  @Test(
    "damaged files of Xcode's editor are mapping models or typed errors (M53, A11)",
    .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with mappings"))
  func xml() throws {
    // An unoptimized build takes a tenth of a second to read one of these files: `make soak` reads many more.
    for (index, file) in Fixtures.files(in: "mappings", suffix: "xcmapping.xml").enumerated() {
      let whole = [UInt8](try Data(contentsOf: file))
      try fuzzFile(whole, name: "xcmapping.xml", rounds: 60, seed: UInt64(100 + index))
    }
  }

  @Test(
    "damaged compiled mapping models are mapping models or typed errors (M53, A11)",
    .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with mappings"))
  func compiled() throws {
    let file = Fixtures.folder.appending(path: Fixtures.sample + "V2toV3.cdm")
    let whole = [UInt8](try Data(contentsOf: file))
    try fuzzFile(whole, name: "mapping.cdm", rounds: 3_000, seed: 7)
  }
}
