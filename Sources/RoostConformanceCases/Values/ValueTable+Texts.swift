// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel

extension ValueTable {
  static let strings: [ValueRow] = [
    text("empty", "", "''/nil"),
    text("space", " "), text("spaces-around", "  a  "), text("letter", "a"),
    text("newline", "a\nb\r\nc"), text("tab", "\t"), text("quote", "it's"),
    text("double-quote", "say \"hi\""), text("backslash", "a\\b"), text("percent", "100%"),
    text("underscore", "a_b"), text("star", "a*b?c"), text("semicolon", "'; DROP TABLE x; --"),
    text("dollar", "$1 :name @p ?1"), text("null-word", "NULL"), text("number-word", "007"),
    text("exponent-word", "1e5"), text("hex-word", "0x10"), text("inf-word", "inf"),
    text("nfc", "\u{E9}", "NFC vs NFD"), text("nfd", "e\u{301}", "NFC vs NFD"),
    text("angstrom", "\u{212B}", "NFC vs NFD"), text("a-ring", "\u{C5}", "NFC vs NFD"),
    text("combining-first", "\u{301}a", "NFC vs NFD"),
    text("combining-stack", "a\u{300}\u{301}\u{302}\u{303}\u{304}", "NFC vs NFD"),
    text("combining-order", "a\u{323}\u{307}", "NFC vs NFD"),
    text("combining-order-reversed", "a\u{307}\u{323}", "NFC vs NFD"),
    text("hangul-syllable", "\u{D55C}", "NFC vs NFD"),
    text("hangul-jamo", "\u{1112}\u{1161}\u{11AB}", "NFC vs NFD"),
    text("ligature", "\u{FB01}"), text("full-width", "\u{FF21}\u{FF22}"),
    text("sharp-s", "Stra\u{DF}e"), text("dotless-i", "\u{131}\u{130}Ii"),
    text("greek", "\u{3A3}\u{3C2}\u{3C3}"), text("cyrillic", "\u{41F}\u{440}\u{438}"),
    text("arabic", "\u{645}\u{631}\u{62D}\u{628}\u{627}"), text("hebrew", "\u{5E9}\u{5DC}"),
    text("chinese", "\u{4F60}\u{597D}"), text("devanagari", "\u{928}\u{92E}\u{938}\u{94D}"),
    text("emoji", "\u{1F600}", "order"), text("flag", "\u{1F1EB}\u{1F1F7}", "order"),
    text("family", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "order"),
    text("skin", "\u{1F44B}\u{1F3FD}"), text("four-byte", "\u{10000}\u{10FFFF}", "order"),
    text("above-surrogates", "\u{FFFD}\u{FF5E}", "order"),
    text("private-use", "\u{E000}\u{F8FF}"), text("noncharacter", "\u{FFFE}\u{FFFF}"),
    text("byte-order-mark", "\u{FEFF}a"), text("zero-width", "a\u{200B}b\u{200C}"),
    text("right-to-left-mark", "\u{202E}abc"), text("line-separator", "a\u{2028}b\u{2029}"),
    text("control", "\u{1}\u{1F}\u{7F}\u{80}\u{9F}"),
    text("bytes-23", String(repeating: "x", count: 23)),
    text("bytes-24", String(repeating: "x", count: 24)),
    text("bytes-15", String(repeating: "y", count: 15)),
    text("bytes-16", String(repeating: "y", count: 16)),
    text("bytes-255", String(repeating: "z", count: 255)),
    text("bytes-511", String(repeating: "k", count: 511), "keys of 511 and 512 bytes"),
    text("bytes-512", String(repeating: "k", count: 512), "keys of 511 and 512 bytes"),
    text("bytes-4096", String(repeating: "p", count: 4096)),
    text("bytes-65536", String(repeating: "q", count: 65536)),
    text("bytes-1MB", String(repeating: "\u{E9}m", count: 349_526)),
    ValueRow(.string, "nul", .string("\0"), .refused, "NUL in string"),
    ValueRow(.string, "nul-inside", .string("a\0b"), .refused, "NUL in string"),
    ValueRow(.string, "nul-at-end", .string("ab\0"), .refused, "NUL in string"),
  ]

  private static func text(
    _ name: String, _ value: String, _ contract: String = "round trip"
  ) -> ValueRow {
    ValueRow(.string, name, .string(value), .kept, contract)
  }
}
