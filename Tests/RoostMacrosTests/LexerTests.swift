// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostMacroExpansion

@Suite struct LexerTests {
  private func texts(_ source: String) -> [String] {
    let list = TokenList(source)
    return (0..<list.count).map { list.text($0) }
  }

  @Test(
    "a literal is one token, whatever is in it",
    arguments: [
      #""plain""#, #""""#, #""a \" b""#, #""\\""#, #""\(x)""#, #""\(f(")"))""#,
      #""\(a ? "(" : "\(b ? ")" : "(")")""#, ##"#"raw " \( quote"#"##, ##"#"\#(a + ")")"#"##,
      ###"##"one "# two"##"###, ##"#"""#"##, "\"\"\"\n  a \"quote\" ) }\n  \"\"\"",
      "\"\"\"\n  \\(f(\"\"\"\n    }\n    \"\"\"))\n  \"\"\"",
      "#\"\"\"\n  \\(no) \"\"\" \n  \"\"\"#",
      #""\(a /* ) " */)""#, "\"\\(a // )\n)\"", #""é∀🦣""#, #""\u{1F9A3}""#,
      #"/["{]/"#, #"/a\/b/"#, ##"#/a/b"{/#"##, "#/\n  \"{ # } \n/#", ##"#/\/#/#"##,
      "`default`", "`a name with } in it`", "0x1F_FF", "1.5e10", "1_000", "0b1", "été", "$0", "_",
    ])
  func literals(source: String) {
    #expect(texts("= " + source) == ["=", source])
    let twice = texts("x = \(source) ;\n\(source)")
    #expect(twice == ["x", "=", source, ";", source])
  }

  @Test("a slash between operands divides")
  func division() {
    #expect(texts("a / b / c").count == 5)
    #expect(texts("a/b/c").count == 5)
    #expect(texts("x(1)/2 + y[0]/3").contains("/2 + y[0]/") == false)
    #expect(texts("reduce(1, /) + f(/, /)").contains { $0.count > 6 } == false)
    #expect(texts("f(/), (/)").contains { $0.count > 2 } == false)
    #expect(texts("a! / b! / c").count == 7)
    #expect(texts("return /x/") == ["return", "/x/"])
  }

  @Test("comments are no tokens, nested ones included")
  func comments() {
    #expect(texts("a /* b /* \" */ c */ d // e { \" \n f") == ["a", "d", "f"])
    #expect(texts("a /* never closed") == ["a"])
  }

  @Test("a token knows whether it begins a line, also after a comment of several lines")
  func lines() {
    let tokens = TokenList("a b\nc /* \n */ d // x\n e").tokens
    #expect(tokens.map(\.startsLine) == [true, false, true, true, true])
  }

  @Test("a line of conditional compilation is one token, without its comment")
  func directives() {
    #expect(
      texts("#if DEBUG && !os(Linux) // note\nx\n#endif") == [
        "#if DEBUG && !os(Linux)", "x", "#endif",
      ])
    #expect(texts("a #if b").count == 4)
    #expect(texts("#line").count == 2)
  }

  @Test("what is not closed ends with the line or the source")
  func unclosed() {
    #expect(texts("\"abc\nd") == ["\"abc", "d"])
    #expect(texts("\"\"\"\nabc\nd").count == 1)
    #expect(texts("`abc\nd") == ["`", "abc", "d"])
    #expect(texts("\"\\(") == ["\"\\("])
    #expect(texts("#") == ["#"])
    #expect(texts("\\") == ["\\"])
  }

  @Test("brackets are matched, and those left open end with the group around them")
  func brackets() {
    let list = TokenList("( [ { } ) x [")
    #expect((0..<list.count).map { list.closer(of: $0) } == [4, 4, 3, 3, 4, 5, 7])
    #expect(list.index(after: 6) == 7)
    #expect(TokenList(") ] }").closer(of: 0) == 0)
  }

  @Test("a hundred thousand interpolations within one another need no stack")
  func depth() {
    let count = 100_000
    let source = String(repeating: #""\("#, count: count) + String(repeating: ")\"", count: count)
    #expect(TokenList(source).count == 1)
    let groups = String(repeating: "[", count: count) + String(repeating: "]", count: count)
    #expect(TokenList(groups).closer(of: 0) == 2 * count - 1)
  }
}
