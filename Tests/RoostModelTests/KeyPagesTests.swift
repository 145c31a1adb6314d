// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite struct KeyPagesTests {
  @Test(
    "every key has a place of its own as long as its page is there, whatever comes and goes (B32)")
  func placesAreFoundAgain() {
    var pages = KeyPages()
    var keysOfPlace: [Int: Int64] = [:]
    var seed: UInt64 = 7
    for _ in 1...30_000 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let key = KeyPagesTests.key(seed >> 33)
      let place = pages.place(of: key)
      if place < 0 {
        let new = pages.takePage(for: key)
        pages.lead(to: new, forKey: key)
        #expect(pages.place(of: key) == new && new < pages.placeCount)
        keysOfPlace[new] = key
      } else if seed >> 62 == 0 {
        pages.removePage(ofKey: key)
        pages.giveBack(pageOf: place)
        for neighbour in (place & ~7)..<(place & ~7 + 8) {
          guard let gone = keysOfPlace.removeValue(forKey: neighbour) else { continue }
          #expect(pages.place(of: gone) < 0)
        }
      } else {
        #expect((keysOfPlace[place] ?? key) == key)
        keysOfPlace[place] = key
      }
    }
    #expect(!keysOfPlace.isEmpty)
    for (place, key) in keysOfPlace { #expect(pages.place(of: key) == place) }
  }

  @Test("the records that were made together are on one page, and those of another entity are not")
  func neighbours() {
    var pages = KeyPages()
    let first = RecordKey.make(sequence: 8, entityCode: 3)
    let place = pages.takePage(for: first)
    pages.lead(to: place, forKey: first)
    for number in Int64(8)..<16 {
      let key = RecordKey.make(sequence: number, entityCode: 3)
      #expect(pages.place(of: key) == place + Int(number) - 8)
    }
    #expect(pages.place(of: RecordKey.make(sequence: 16, entityCode: 3)) < 0)
    #expect(pages.place(of: RecordKey.make(sequence: 8, entityCode: 4)) < 0)
    #expect(pages.place(of: -first) < 0)
  }

  /// Returns a key of one of three kinds: of a record of one of two entities, or of an unsaved object.
  private static func key(_ random: UInt64) -> Int64 {
    let number = Int64(random % 500)
    switch random / 500 % 3 {
    case 0: return RecordKey.make(sequence: number, entityCode: 1)
    case 1: return RecordKey.make(sequence: number, entityCode: 4095)
    default: return -1 - number
    }
  }
}
