// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostMacroExpansion

@Suite("The values of an entity class") struct ValueMembersTests {
  /// Returns the expansion from `Values` on.
  private func members(of source: String) throws -> String {
    let expanded = try Compiler.members(of: source)
    #expect(expanded.failures == [])
    let expansion = try #require(expanded.expandedSource)
    guard let start = expansion.firstRange(of: "nonisolated struct Values")?.lowerBound else {
      return expansion.components(separatedBy: "\n}\n").last ?? ""
    }
    return String(expansion[start...])
  }

  private func initializer(_ body: String, _ head: String = "class A: ManagedObject") throws
    -> String
  {
    let lines = try members(of: "@Entity \(head) {\n\(body)\n}").split(separator: "\n")
    let line = lines.first { $0.contains("init(") && !$0.contains("_list") } ?? ""
    return line.trimmingCharacters(in: .whitespaces)
  }

  @Test(
    "the initializer has a parameter for each attribute that is certainly one",
    arguments: [
      ("var a: String", "init(a: String) {"),
      ("var a: Int?", "init(a: Int? = nil) {"),
      ("var a: URL!", "init(a: URL! = nil) {"),
      ("var a: Optional<Int>", "init(a: Optional<Int> = nil) {"),
      ("var a: Int = 3", "init(a: Int = 3) {"),
      ("var a: [String] = []", "init(a: [String] = []) {"),
      ("var a: [String: B] = [:]", "init(a: [String: B] = [:]) {"),
      ("var a: Kind = .guest", "init(a: Kind? = nil) {"),
      ("var a: Date? = Date()", "init(a: Date?? = nil) {"),
      ("var a: B<C & D> = b()", "init(a: (B<C & D>)? = nil) {"),
      ("@Attribute(.unique) var a: Kind", "init(a: Kind) {"),
      ("@Attribute(transformer: \"S\") var a: String", "init(a: String) {"),
      ("enum Kind: String { case a }\nvar a: Kind", "init(a: Kind) {"),
      ("struct Kind: Codable {}\nvar a: [Kind]?", "init(a: [Kind]? = nil) {"),
      ("var `default`: Int", "init(`default`: Int) {"),
      ("var a: Department?", "init() {"),
      ("var a: Kind", "init() {"),
      ("var a: [B] = []", "init() {"),
      ("var a: B? = nil", "init() {"),
      ("class Kind {}\nvar a: Kind", "init() {"),
      ("@Relationship var a: Set<B>", "init() {"),
      ("@Attribute(derivation: \"now()\") var a: Date?", "init() {"),
      ("@Attribute(.transient) var a: Int = 0", "init() {"),
      ("@Unmodeled var a: Int = 0", "init() {"),
      ("let a: Int = 0", "init() {"),
      ("#if X\nvar a: Int = 0\n#endif\nvar b: Int = 1", "init(b: Int = 1) {"),
      ("private var a: Int = 0\nvar b: Int", "init(b: Int) {"),
      ("private var a: Int", "fileprivate init(a: Int) {"),
    ])
  func parameters(body: String, line: String) throws {
    #expect(try initializer(body) == line)
  }

  @Test(
    "the initializers are as visible as the least visible parameter, and as the class",
    arguments: [
      ("public", "public var a: Int", "public init(a: Int) {"),
      ("open", "open var a: Int", "public init(a: Int) {"),
      ("public", "public var a: Int; var b: Int", "init(a: Int, b: Int) {"),
      ("public", "public var a: Int; package var b: Int", "package init(a: Int, b: Int) {"),
      ("public", "public var a: Int; private var b: Int = 0", "public init(a: Int) {"),
      ("", "public var a: Int", "init(a: Int) {"),
      ("package", "public var a: Int", "package init(a: Int) {"),
    ])
  func access(modifier: String, body: String, line: String) throws {
    let expansion = try #require(
      try Compiler.members(of: "@Entity \(modifier) class A: ManagedObject { \(body) }")
        .expandedSource)
    let lines = expansion.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.contains(line))
    let object = line.replacing("init(", with: "convenience init(")
      .replacing(") {", with: ", context: ManagedObjectContext) {")
    #expect(lines.contains(object))
  }

  @Test("a property of the values reads and writes the number of the object's property")
  func properties() throws {
    let expansion = try members(
      of: """
        @Entity class A: ManagedObject {
          @Relationship var b: B?
          @Attribute(transformer: "S") var c: String
          #if X
          var d: Int = 0
          #endif
          private var e: Kind = .guest
        }
        """)
    #expect(
      expansion.contains(
        """
            self.c = c
          }
          var c: String { get { _getTransformed(1) } set { _setTransformed(1, newValue) } }
          #if X
          var d: Int { get { _get(2) } set { _set(2, newValue) } }
          #endif
          fileprivate var e: Kind { get { _get(2 + A._entity_A._block0) } set { _set(2 + \
        A._entity_A._block0, newValue) } }
        }
        """))
  }

  @Test("an initial value that is no literal is made where the parameter is nil")
  func expressions() throws {
    let expansion = try members(of: "@Entity class A: ManagedObject { var a: Date = .now }")
    #expect(expansion.contains("    if let a { self.a = a }\n"))
  }

  @Test("the values of a subentity begin with those of its superclass, and read them")
  func subentity() throws {
    let expansion = try members(of: "@Entity class B: Model.A { var b: Int = 0 }")
    #expect(
      expansion == """
        nonisolated struct Values: EntityValues {
          typealias _Object = B
          var _list: AttributeValueList
          init(_list: AttributeValueList) { self._list = _list }
          init(_ _base: Model.A._OwnValues, b: Int = 0) {
            _list = AttributeValueList(B.self, _base)
            self.b = b
          }
          var b: Int { get { _get(B._entity_B._base) } set { _set(B._entity_B._base, newValue) } }
          subscript<T>(dynamicMember path: WritableKeyPath<Model.A._OwnValues, T>) -> T {
            get { _inherited(path) }
            set { _setInherited(path, newValue) }
          }
        }
        typealias _OwnValues = Values
        convenience init(_ values: Values, context: ManagedObjectContext) {
          self.init(context: context)
          values._write(to: self)
        }
        @_disfavoredOverload
        convenience init(_ _base: Model.A._OwnValues, b: Int = 0, context: ManagedObjectContext) {
          self.init(context: context)
          Values(_base, b: b)._write(to: self)
        }
        """)
  }

  @Test("what a class declares itself is not written again")
  func declared() throws {
    func contains(_ part: String, _ body: String, _ arguments: String = "") throws -> Bool {
      let source = "@Entity\(arguments) class A: ManagedObject {\nvar a: Int\n\(body)\n}"
      return try #require(try Compiler.members(of: source).expandedSource).contains(part)
    }
    let object = "init(a: Int, context: ManagedObjectContext)"
    let values = "init(_ values: Values, context: ManagedObjectContext)"
    #expect(try contains(object, "") && contains(values, "") && contains("var values: Values", ""))
    #expect(
      try !contains(object, "convenience init(a: Int, context: C) { self.init(context: context) }"))
    #expect(try contains(object, "init?(b: Int, context: C) { fatalError() }"))
    #expect(try contains(values, "init<T>(_ json: T, context: C) { fatalError() }"))
    #expect(try !contains(values, "init(_ values: Values, context: C) { fatalError() }"))
    #expect(try !contains("var values: Values", "var values: [Int] = []"))
    #expect(try !contains("var values: Values", "func values() -> Int { 1 }"))
    #expect(try !contains("Values", "struct Values {}"))
    #expect(try !contains("Values", "typealias Values = Int"))
    #expect(try !contains(object, "var context: Int"))
    #expect(try !contains("Values", "", "(values: false)"))
    #expect(
      try contains(
        "EntityDeclaration(\n      \"A\",\n      class: A.self,\n      prop", "", "(values: true)"))
    #expect(try contains("struct Values", "", "(abstract: true)"))
    #expect(try !contains("convenience", "", "(abstract: true)"))
  }
}
