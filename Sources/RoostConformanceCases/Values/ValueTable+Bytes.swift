// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel

extension ValueTable {
  static let dates: [ValueRow] = [
    date("reference", 0), date("one", 1), date("minus-one", -1), date("epoch", -978_307_200),
    date("half", 0.5), date("tenth", 0.1), date("microsecond", 1e-6), date("nanosecond", 1e-9),
    date("now-with-fraction", 694_224_000.123_456_789),
    date("ulp", 694_224_000.nextUp), date("distant-past", -63_114_076_800),
    date("distant-future", 64_092_211_200), date("year-300000", 9.4e12),
    date("year-minus-300000", -9.5e12), date("denormal", .leastNonzeroMagnitude),
    date("greatest", .greatestFiniteMagnitude), date("least", -.greatestFiniteMagnitude),
    ValueRow(.date, "minus-zero", moment(-0.0), .becomes(moment(0)), "-0.0"),
    ValueRow(.date, "nan", moment(.nan), .refused, "NaN"),
  ]

  static let bytes: [ValueRow] = [
    data("empty", Data(), "''/nil"), data("zero", Data([0])), data("zeros", Data(count: 9)),
    data("all", Data(0...255)), data("high", Data([0xFF, 0xFE, 0xFD])),
    data("text", Data("text".utf8)), data("invalid-utf8", Data([0xC3, 0x28])),
    data("inside-zero", Data([1, 0, 2])), data("bytes-15", Data(repeating: 7, count: 15)),
    data("bytes-511", Data(repeating: 7, count: 511), "keys of 511 and 512 bytes"),
    data("bytes-512", Data(repeating: 7, count: 512), "keys of 511 and 512 bytes"),
    data("bytes-4097", Data(repeating: 0xA5, count: 4097)),
    data("bytes-1MB", Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) })),
    data("slice", Data([9, 8, 7, 6]).dropFirst(2)),
  ]

  static let identifiers: [ValueRow] = [
    uuid("zero", "00000000-0000-0000-0000-000000000000"),
    uuid("ones", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"),
    uuid("low", "00000000-0000-0000-0000-000000000001"),
    uuid("high-bit", "80000000-0000-0000-0000-000000000000"),
    uuid("random", "3F2504E0-4F89-41D3-9A0C-0305E82C3301"),
    uri("web", "https://example.org/a/b?c=d&e=f#g"), uri("file", "file:///a/b%20c"),
    uri("mail", "mailto:ada@example.org"), uri("relative", "a/b"),
    uri("urn", "urn:isbn:0451450523"),
    uri("percent", "https://example.org/%E2%82%AC"),
    uri("long", "https://example.org/" + String(repeating: "a", count: 600)),
  ]

  private static func moment(_ seconds: Double) -> Value {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  private static func date(_ name: String, _ seconds: Double) -> ValueRow {
    ValueRow(.date, name, moment(seconds), .kept, "Date")
  }

  private static func data(
    _ name: String, _ value: Data, _ contract: String = "round trip"
  ) -> ValueRow {
    ValueRow(.binaryData, name, .data(value), .kept, contract)
  }

  private static func uuid(_ name: String, _ text: String) -> ValueRow {
    ValueRow(.uuid, name, UUID(uuidString: text).map(Value.uuid) ?? .null)
  }

  private static func uri(_ name: String, _ text: String) -> ValueRow {
    ValueRow(.uri, name, URL(string: text).map(Value.uri) ?? .null)
  }
}
