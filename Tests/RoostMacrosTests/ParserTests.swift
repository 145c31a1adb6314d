// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostMacroExpansion

/// The expected result of the parser for an unusually written declaration.
struct ParserCase: CustomTestStringConvertible, Sendable {
  var source: String
  var name: String?
  var type: String?
  var value: String?
  var modelled = true

  var testDescription: String { source }

  init(
    _ source: String, _ name: String?, _ type: String?, _ value: String? = nil,
    modelled: Bool = true
  ) {
    self.source = source
    self.name = name
    self.type = type
    self.value = value
    self.modelled = modelled
  }
}

@Suite struct ParserTests {
  static let cases: [ParserCase] = [
    ParserCase("var a: Int", "a", "Int"),
    ParserCase("var a:Int=1", "a", "Int", "1"),
    ParserCase("var a : Int\n  = 1", "a", "Int", "1"),
    ParserCase("var\n  a:\n  Int\n  =\n  1", "a", "Int", "1"),
    ParserCase("var `default`: Int", "`default`", "Int"),
    ParserCase("var `a name`: Int", "`a name`", "Int"),
    ParserCase("var größe: Länge = .null", "größe", "Länge", ".null"),
    ParserCase("var a: String? = nil", "a", "String?", "nil"),
    ParserCase("var a: String! = \"x\"", "a", "String!", "\"x\""),
    ParserCase("var a: [String: [Int?]] = [:]", "a", "[String: [Int?]]", "[:]"),
    ParserCase(
      "var a: Dictionary<String, Set<Int>>=[:]", "a", "Dictionary<String, Set<Int>>", "[:]"),
    ParserCase("var a: (x: Int, y: Int) = (1, 2)", "a", "(x: Int, y: Int)", "(1, 2)"),
    ParserCase("var a: any Codable & Sendable", "a", "any Codable & Sendable"),
    ParserCase("var a: (Int) -> Bool = { $0 > 1 }", "a", "(Int) -> Bool", "{ $0 > 1 }"),
    ParserCase("var a: @Sendable () -> Void = {}", "a", "@Sendable () -> Void", "{}"),
    ParserCase("var a: Model.Kind = .guest", "a", "Model.Kind", ".guest"),
    ParserCase("var a: Int /* why */ = /* because */ 1 // end", "a", "Int", "1"),
    ParserCase("var a: Int = 1 // a, b: {\n", "a", "Int", "1"),
    ParserCase(
      "var a: String = \"}, b: Int { \\(c ? \"{\" : \"\")\"", "a", "String",
      "\"}, b: Int { \\(c ? \"{\" : \"\")\""),
    ParserCase("var a: String = #\"{\"\\#(\"}\")\"#", "a", "String", "#\"{\"\\#(\"}\")\"#"),
    ParserCase(
      "var a: String = \"\"\"\n  var b: Int {\n  \"\"\"", "a", "String",
      "\"\"\"\n  var b: Int {\n  \"\"\""),
    ParserCase("var a: String = /[{\"]/.description", "a", "String", "/[{\"]/.description"),
    ParserCase(
      "var a: Int = { let b = 1\n  var c: Int { 2 }\n  return b + c }()", "a", "Int",
      "{ let b = 1\n  var c: Int { 2 }\n  return b + c }()"),
    ParserCase("var a: Int = b\n  .c()\n  .d { $0 }", "a", "Int", "b\n  .c()\n  .d { $0 }"),
    ParserCase("var a: Int = b ? c\n  : d", "a", "Int", "b ? c\n  : d"),
    ParserCase("var a: Int = 1 +\n  open", "a", "Int", "1 +\n  open"),
    ParserCase("var a: Int = if b { 1 } else { 2 }", "a", "Int", "if b { 1 } else { 2 }"),
    ParserCase(
      "var a: Pair = Pair<Int, String>(1, \"\")", "a", "Pair", "Pair<Int, String>(1, \"\")"),
    ParserCase("var a: Int = max(1, 2), b: Int = 3", "a", "Int", "max(1, 2)", modelled: false),
    ParserCase("var a: Int, b: Int", "a", "Int", modelled: false),
    ParserCase("var a = 1", "a", nil, "1", modelled: false),
    ParserCase("var (a, b): (Int, Int) = (1, 2)", nil, "(Int, Int)", "(1, 2)", modelled: false),
    ParserCase("var a: Int { 1 }", "a", "Int", modelled: false),
    ParserCase("var a: Int { get { 1 } set { } }", "a", "Int", modelled: false),
    ParserCase("var a: Int = 1 { didSet { print(a) } }", "a", "Int", "1", modelled: false),
    ParserCase(
      "var a: Int = make { 1 } { willSet { } }", "a", "Int", "make { 1 }", modelled: false),
    ParserCase("var a: Int = make { didSet }", "a", "Int", "make", modelled: false),
    ParserCase("let a: Int", "a", "Int", modelled: false),
    ParserCase("static var a: Int = 1", "a", "Int", "1", modelled: false),
    ParserCase("class var a: Int { 1 }", "a", "Int", modelled: false),
    ParserCase("lazy var a: Int = 1", "a", "Int", "1", modelled: false),
    ParserCase("weak var a: Person?", "a", "Person?", modelled: false),
    ParserCase("unowned(unsafe) var a: Person", "a", "Person", modelled: false),
    ParserCase("override var a: Int { didSet {} }", "a", "Int", modelled: false),
    ParserCase("@Unmodeled var a: Int = 1", "a", "Int", "1", modelled: false),
    ParserCase("@Roost.Unmodeled() var a: Int = 1", "a", "Int", "1", modelled: false),
    ParserCase("public private(set) var a: Int", "a", "Int"),
    ParserCase("private (set) public final var a: Int", "a", "Int"),
    ParserCase("nonisolated(unsafe) var a: Int", "a", "Int"),
    ParserCase("@available(*, deprecated, message: \"var b: Int\")\n  var a: Int", "a", "Int"),
    ParserCase("@Attribute(.unique, matching: #\"[\")}]\"#) @objc\npublic var a: Int", "a", "Int"),
    ParserCase("@Wrapper<Set<Int>>(1) var a: Int", "a", "Int"),
    ParserCase("/// Doc: `var b: Int`\n@Attribute\n// more\nvar a: Int", "a", "Int"),
    ParserCase(
      "var a: Int = f()\n#if DEBUG\n  .b()\n#else\n  .c()\n#endif", "a", "Int",
      "f()\n#if DEBUG\n  .b()\n#else\n  .c()\n#endif"),
    ParserCase("var a: InlineArray<3, Int> = [1, 2, 3]", "a", "InlineArray<3, Int>", "[1, 2, 3]"),
    ParserCase("var a: Int = #line", "a", "Int", "#line"),
    ParserCase("var a: Int;", "a", "Int"),
  ]

  @Test("a property is read exactly as it is written", arguments: cases)
  func properties(_ expected: ParserCase) throws {
    // Among other members, and alone, as the compiler sends it to a macro of the property.
    let before = "class C: M {\n  func f() { var z: Int = 1 }\n  "
    let after = "\n  @Attribute var last: Int\n  init() {}\n  deinit {}\n}"
    let parser = DeclarationParser(before + expected.source + after)
    let type = try #require(parser.type())
    let found = type.members.compactMap { member in
      if case .property(let node) = member { node } else { nil }
    }
    try #require(found.count == 2)
    #expect(found[1].name == "last")
    let alone = DeclarationParser(expected.source)
    for (parser, node) in [(parser, found[0]), (alone, try #require(alone.property()))] {
      #expect(node.name == expected.name)
      #expect(node.type.map { parser.list.text($0) } == expected.type)
      #expect(node.initialValue.map { parser.list.text($0) } == expected.value)
      #expect(EntityOutline.isModelled(node) == expected.modelled)
    }
  }

  @Test(
    "members that are no properties do not swallow the next one",
    arguments: [
      "func f<T>(_ a: T) -> [T] where T: P { [a] }", "subscript(a: Int) -> Int { a }",
      "required init?(a: Int) { nil }", "deinit { }", "struct S { var a: Int\n var b: Int }",
      "typealias A = [Int]", "enum E { case a, b; case c }", "#warning(\"var a: Int\")",
      "#makeMembers(\"a\") { 1 }", "static func == (a: C, b: C) -> Bool { true }",
      "class func make() {}", "private class var shared: Int { 1 }", "@objc func a() {}", ";",
      "nonisolated static let b = 1", "var computed: Int {\n  1\n}", "lazy var x = { 1 }()",
      "convenience init() { self.init(a: 1) }", "@MainActor class Inner { var c: Int = 1 }",
      "indirect enum Tree { case leaf }", "func open() {}", "static let regex = /[{]/",
    ])
  func otherMembers(source: String) throws {
    let parser = DeclarationParser("class C: M {\n  \(source)\n  var last: Int\n}")
    let outline = EntityOutline(try #require(parser.type()).members)
    let names = outline.elements.compactMap { element in
      if case .property(let node, _) = element { node.name } else { nil }
    }
    #expect(names == ["last"])
  }

  @Test(
    "the head of a type is read",
    arguments: [
      ("class A: B {}", "A", ["B"], false),
      (
        "@Entity(name: \"class X: Y {\") public final class A: M.B, P & Q, @unchecked Sendable {}",
        "A", ["M.B", "P & Q", "@unchecked Sendable"], false
      ),
      ("class A<T: P>: B<T, Int>, Q where T: R, T.X == [Int] {}", "A", ["B<T, Int>", "Q"], true),
      ("class `A b`: `B`\n{}", "`A b`", ["`B`"], false),
      ("class A {}", "A", [], false),
      ("class A where B == C {}", "A", [], false),
    ])
  func heads(source: String, name: String, inherited: [String], isGeneric: Bool) throws {
    let parser = DeclarationParser(source)
    let type = try #require(parser.type())
    #expect(type.name == name)
    #expect(type.inheritedTypes.map { parser.list.text($0) } == inherited)
    #expect(type.isGeneric == isGeneric)
  }

  @Test("the arguments of an attribute are read with their labels")
  func arguments() throws {
    let parser = DeclarationParser(
      "@Attribute(.unique, originalName: \"a, b\", userInfo: [\"x\": 1], matching: r(1, 2),) var a"
    )
    let attribute = try #require(parser.property()?.prefix.attributes.first)
    #expect(attribute.arguments.map(\.label) == [nil, "originalName", "userInfo", "matching"])
    #expect(
      attribute.arguments.map { parser.list.text($0.value) }
        == [".unique", "\"a, b\"", "[\"x\": 1]", "r(1, 2)"])
  }
}
