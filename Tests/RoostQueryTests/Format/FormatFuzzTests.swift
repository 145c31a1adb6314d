// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// A random number generator that gives the same numbers for the same seed.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Tests that the parser throws or succeeds, but never traps, and that it can parse the printed form of every result.
@Suite struct FormatFuzzTests {
  static let seeds = [
    "a == 1 AND b.c[FIRST] IN {1, 2.5, 'x'} OR NOT ANY d.@count > -3",
    "SUBQUERY(people, $x, $x.age BETWEEN {1, 5} AND NONE $x.b LIKE[cd] \"a*\\n\").@count == 0",
    "TERNARY(a == nil, now(), CAST(5.5, 'NSDate')) <= %@ && %K.%K != %d || %f < sum(a.b)",
    "(a + b) * -c ** 2 - ~d | e & 0xFF << 2 >> 1 ^ 3 %% 4 != 3CEF7AEA-11C2-48AB-B289-C3C02E6A38A6",
    "#and.#\"odd \\\"name\" == $var.x[3].@max.y AND SELF MATCHES '\\ud83c\\udf41[^a]' OR TRUEPREDICATE",
    "CAST('00ff', 'NSData') == x AND CAST(\"1.10\", \"NSDecimalNumber\") > y AND add:to:(1, 2) == z",
  ]

  private static let pieces = [
    "(", ")", "{", "}", "[", "]", ",", ".", "==", "<", "NOT ", "ANY ", " AND ", " OR ", "$x", "%@",
    "%K", "%d", "%%", "'",
    "\"", "\\", "\\u", "#", "@count", "nil", "0x", "1e", "-", "**", "<null>", "SUBQUERY(", "CAST(",
    "SELF", "é", "🍁",
    "\0", "\u{301}", "9223372036854775808", "FIRST", " IN ", " BETWEEN ", "sum:(", ":", "FUNCTION(",
  ]

  private static func mutate(_ text: String, with generator: inout SplitMix64) -> String {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0:
        bytes.insert(contentsOf: (pieces.randomElement(using: &generator) ?? "").utf8, at: place)
      case 1 where place < bytes.count: bytes.remove(at: place)
      case 2 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 3:
        let end = min(bytes.count, place + Int.random(in: 0...20, using: &generator))
        bytes.insert(contentsOf: bytes[place..<end], at: place)
      default:
        let end = min(bytes.count, place + Int.random(in: 0...10, using: &generator))
        bytes.removeSubrange(place..<end)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "mutated formats are refused with an error, or printed so that they parse again",
    arguments: 0..<8)
  func mutations(_ round: UInt64) throws {
    var generator = SplitMix64(state: round)
    let arguments: [Any?] = ["x", "key", "other.key", 3, 1.5]
    var parsed = 0
    for _ in 0..<500 {
      var format = Self.seeds.randomElement(using: &generator) ?? ""
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        format = Self.mutate(format, with: &generator)
      }
      for count in 0...arguments.count {
        do {
          let predicate = try FetchPredicate(
            format: format, argumentArray: Array(arguments.prefix(count)))
          let printed = predicate.predicateFormat
          #expect(try FetchPredicate(printed) == predicate, "\(format) -> \(printed)")
          parsed += 1
        } catch let error as PersistenceError {
          #expect([.invalidPredicate, .limitExceeded].contains(error.code), "\(error)")
        }
      }
    }
    #expect(parsed > 30)
  }

  /// The stack size of threads on Apple's systems; frames without optimisation are several times as large.
  #if DEBUG
  private static let stackSize = 4 * 1024 * 1024
  #else
  private static let stackSize = 512 * 1024
  #endif

  @Test(
    "the deepest formats are read, printed, compared and let go on a small stack (reliability 23)")
  func smallStack() async throws {
    let formats = [
      String(repeating: "NOT (", count: 199) + "a == 1" + String(repeating: ")", count: 199),
      (0..<99).map { _ in "(a == 1 OR (b == 2 AND " }.joined() + "c == 3"
        + String(repeating: "))", count: 99),
      String(repeating: "abs(", count: 198) + "a" + String(repeating: ")", count: 198) + " == 1",
      String(repeating: "1 + (", count: 198) + "a" + String(repeating: ")", count: 198) + " == 1",
      String(repeating: "SUBQUERY(a, $x, ", count: 49) + "b == 1"
        + String(repeating: ").@count > 0", count: 49),
      String(repeating: "(", count: 5000),
    ]
    let results = await withCheckedContinuation { continuation in
      let thread = Thread {
        continuation.resume(
          returning: formats.map { format -> Bool in
            guard let predicate = try? FetchPredicate(format) else { return false }
            return (try? FetchPredicate(predicate.predicateFormat)) == predicate
          })
      }
      thread.stackSize = Self.stackSize
      thread.start()
    }
    #expect(results == [true, true, true, true, true, false])
  }
}
