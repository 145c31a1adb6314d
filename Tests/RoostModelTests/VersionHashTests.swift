// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Version hashes")
struct VersionHashTests {
  @Test(
    "entities have the hashes that Apple's framework wrote into real stores (B248, B249)",
    .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with hash-vectors.tsv"))
  func vectors() throws {
    let rows = try Fixtures.table("hash-vectors.tsv")
    #expect(rows.count > 30)
    for row in rows {
      let model = try Fixtures.model(row[0])
      let entity = try #require(model.entitiesByName[row[1]], "\(row[0]) has no \(row[1])")
      #expect(hexadecimal(entity.versionHash) == row[2], "\(row[0]) \(row[1])")
    }
  }

  @Test("SHA-256 gives the digests of FIPS 180-4")
  func sha256() {
    #expect(
      hexadecimal(SHA256.hash("".utf8))
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      hexadecimal(SHA256.hash("abc".utf8))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      hexadecimal(SHA256.hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      hexadecimal(SHA256.hash(repeatElement(UInt8(ascii: "a"), count: 1_000_000)))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test("SHA-512 gives the digests of FIPS 180-4")
  func sha512() {
    #expect(
      hexadecimal(SHA512.hash("abc".utf8))
        == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    #expect(
      hexadecimal(SHA512.hash(repeatElement(UInt8(ascii: "a"), count: 1_000_000)))
        == "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
        + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b")
  }

  @Test(
    "digests do not depend on where blocks end",
    arguments: [0, 1, 54, 55, 56, 63, 64, 65, 110, 111, 112, 127, 128, 129, 200])
  func blocks(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    var split256 = SHA256()
    var split512 = SHA512()
    for byte in bytes {
      split256.update([byte])
      split512.update([byte])
    }
    #expect(split256.finish() == SHA256.hash(bytes))
    #expect(split512.finish() == SHA512.hash(bytes))
  }
}

func hexadecimal(_ data: Data) -> String {
  data.map { byte in
    let text = String(byte, radix: 16)
    return text.count == 1 ? "0" + text : text
  }.joined()
}
