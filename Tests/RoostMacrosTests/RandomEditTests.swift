// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostMacroExpansion

/// Tests that the plugin responds to any source: the compiler fails when its plugin crashes.
@Suite struct RandomEditTests {
  /// A generator of random numbers that are the same for a seed everywhere.
  struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  static let source = """
    @Entity(name: "P", indexes: [["a", "b"]],) public class Person<T>: Model.Party where T: R {
      /// Doc
      @Attribute(.unique, matching: #"[a-z"]+"#) public private(set)
      var email: String = "\\(f("}") + \"""
        x
        \""")"
      #if DEBUG && !os(Linux) // note
      var `default`: [String: Set<Int>]? = nil, b: Int = max(1, 2)
      #elseif X
      lazy var c: Int = { /[{]/.count }() { willSet { } didSet { } }
      #else
      weak var d: Person?
      #endif
      @Relationship(deleteRule: .cascade, inverse: \\Department.people)
      var department: Department! /* { */
      @Unmodeled var scratch: (Int) -> Bool = { $0 > 1 }
      static let shared = Person(); var (x, y): (Int, Int) = (1, 2)
      var e: Int = f() #if A .b() #endif
      func f<U>(_ a: U) -> [U] where U: P { var z: Int = 1; return [a] }
      var computed: Int { get { 1 } set { print(newValue) } }
    }
    """

  static let pieces = [
    "{", "}", "(", ")", "[", "]", "<", ">", "\"", "\"\"\"", "#", "#\"", "\\(", "\\", "/", "/*",
    "*/",
    "//", "@", "`", ",", ":", ";", "=", ".", "\n", "#if A\n", "#else\n", "#endif\n", "var ",
    "class ",
    "private(set) ", "é", "\u{0}", "\r", "->", "@Attribute", "didSet", "inverse: \\.", "!", "?",
  ]

  @Test("random edits of a source never stop the plugin", arguments: 0..<40 as Range<UInt64>)
  func edits(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    for _ in 0..<25 {
      var bytes = Array(Self.source.utf8)
      for _ in 0..<Int.random(in: 1...12, using: &random) { edit(&bytes, &random) }
      let source = String(decoding: bytes, as: UTF8.self)
      let expanded = try Compiler.members(of: source)
      #expect(expanded.expandedSource != nil || !expanded.diagnostics.isEmpty)
      let piece = part(of: bytes, &random)
      _ = try Compiler.expand(
        "EntityMacro", "memberAttribute", attribute: ("@Entity", 0), piece.text, at: piece.offset,
        parent: source)
      _ = try Compiler.expand(
        "RelationshipMacro", "peer", attribute: (piece.text, piece.offset), source,
        context: [piece.text])
      _ = try Compiler.accessors(of: piece.text, number: "1", in: [source])
    }
  }

  @Test("the first bytes of a source, however many, never stop the plugin")
  func prefixes() throws {
    let bytes = Array(Self.source.utf8)
    for length in 0...bytes.count {
      let source = String(decoding: bytes[..<length], as: UTF8.self)
      _ = try Compiler.members(of: source)
      #expect(TokenList(source).tokens.allSatisfy { $0.start < $0.end })
    }
  }

  private func edit(_ bytes: inout [UInt8], _ random: inout SplitMix) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let end = min(bytes.count, place + Int.random(in: 1...30, using: &random))
      bytes.removeSubrange(place..<end)
    case 1:
      let piece = Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)]
      bytes.insert(contentsOf: piece.utf8, at: place)
    case 2 where place < bytes.count:
      bytes[place] = UInt8.random(in: 0...255, using: &random)
    default:
      let copied = part(of: bytes, &random).text
      bytes.insert(contentsOf: copied.utf8, at: place)
    }
  }

  private func part(
    of bytes: [UInt8], _ random: inout SplitMix
  ) -> (text: String, offset: Int) {
    let start = Int.random(in: 0...bytes.count, using: &random)
    let end = min(bytes.count, start + Int.random(in: 0...200, using: &random))
    return (String(decoding: bytes[start..<end], as: UTF8.self), start)
  }
}
