// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostMacroExpansion

/// Tests of diagnostics. Each source has a `‸` where the error is to be reported.
@Suite struct DiagnosticTests {
  @Test(
    "a type that can be no entity is refused at its name",
    arguments: [
      ("@Entity struct ‸Person: ManagedObject {}", "needs a class"),
      ("@Entity enum ‸Person { case a }", "needs a class"),
      ("@Entity public actor ‸Person {}", "needs a class"),
      ("@Entity extension ‸Person {}", "needs a class"),
      ("/* é */ @Entity class ‸Person { var a: Int }", "no superclass"),
      ("@Entity class ‸Person where A == B {}", "no superclass"),
      ("@Entity class ‸Person<T>: ManagedObject {}", "generic"),
      ("@Entity\nprotocol ‸P: AnyObject {}", "needs a class"),
      ("@Entity class A: ‸NSObject { var a: Int }", "no class of managed objects"),
      ("@Entity class A: ‸Codable, Sendable {}", "'ManagedObject' first"),
      ("@Entity class A: ‸Foundation.NSObject {}", "no class of managed objects"),
    ])
  func types(text: String, reason: String) throws {
    let marked = Marked(text)
    let expanded = try Compiler.members(of: marked.source)
    #expect(expanded.failures.map(\.offset) == [marked.offset])
    #expect(expanded.failures.allSatisfy { $0.sentence.contains(reason) })
    #expect(expanded.expandedSource == nil)
  }

  @Test("a class within a generic type is as generic")
  func genericContext() throws {
    let failures = try Compiler.members(
      of: "@Entity class A: ManagedObject {}", in: ["struct Box<T> {}"]
    ).failures
    #expect(failures.map(\.offset) == [14])
  }

  @Test(
    "a stored property that can be no part of an entity is refused at its name",
    arguments: [
      ("var ‸name = \"\"", "needs its type"),
      ("var a: Int, ‸b: Int", "'var' of its own"),
      ("var a: Int = 1, ‸b = 2", "'var' of its own"),
      ("var ‸(a, b): (Int, Int) = (1, 2)", "pattern"),
      ("var ‸a: Int { didSet { } }", "'didSet'"),
      ("var ‸a: Int = 1 { willSet { } didSet { } }", "'didSet'"),
      ("@Attribute var ‸a: Int = 1 {\n  // note\n  @inline(never) didSet { } }", "'didSet'"),
      ("weak var ‸a: Person?", "'weak'"),
      ("unowned var ‸a: Person", "'unowned'"),
      ("unowned(unsafe) var ‸a: Person", "'unowned'"),
      ("public lazy var ‸a: Int = 1", "'lazy'"),
      ("lazy var ‸a = 1", "'lazy'"),
      ("/* é { */ var ‸größe = 1", "needs its type"),
      ("var a: ‸(Int) -> Void", "cannot be kept"),
      ("var a: ‸((Int) throws -> Void)? = nil", "cannot be kept"),
      ("var a: ‸@Sendable () -> Void = {}", "cannot be kept"),
      ("var a: ‸(x: Int, y: Int)", "cannot be kept"),
      ("var a: ‸any Codable & Sendable", "cannot be kept"),
      ("var a: ‸Any?", "cannot be kept"),
      ("var a: ‸Character", "cannot be kept"),
      ("var ‸description: String", "every managed object"),
      ("@Attribute var ‸`entity`: String = \"\"", "every managed object"),
      ("var ‸isDeleted: Bool = false", "every managed object"),
      ("‸@NSManaged var a: String?", "stands for '@NSManaged'"),
      ("@Attribute ‸@Published public var a: Int = 1", "storage of its own"),
      ("‸@AppStorage(\"a\", store: s) var a: Int = 1", "'@AppStorage'"),
      ("let ‸a: Int", "needs an initial value"),
      ("@Unmodeled var ‸a: Int", "needs an initial value"),
      ("‸init(a: Int) { super.init() }", "'convenience'"),
      ("public ‸init?(a: Int, context: C) { self.init(context: context) }", "'convenience'"),
      (
        "required init(entity: E, insertInto c: C?) { super.init(‸entity: entity, insertInto: c) }",
        "'super.init(overriding:insertInto:)'"
      ),
    ])
  func properties(text: String, reason: String) throws {
    let marked = Marked(
      "@Entity class A: ManagedObject {\n  var ok: Int\n  \(text)\n  var z: Int\n}")
    let expanded = try Compiler.members(of: marked.source)
    #expect(expanded.failures.map(\.offset) == [marked.offset])
    #expect(expanded.failures.allSatisfy { $0.sentence.contains(reason) })
    // The rest of the class is expanded anyway, so that one error does not cause twenty.
    let expansion = try #require(expanded.expandedSource)
    #expect(expansion.contains("\"ok\"") && expansion.contains("\"z\""))
  }

  @Test(
    "what is not part of the model is left alone",
    arguments: [
      "var a: Int { 1 }", "static var a = 1", "let a = 1", "class var a: Int { 1 }",
      "@Unmodeled var a = 1", "@Unmodeled lazy var a = 1", "@Unmodeled weak var a: B?",
      "@Unmodeled var a: Int = 1 { didSet {} }", "@Unmodeled var (a, b) = (1, 2)",
      "convenience init(a: Int) { self.init(context: c) }", "@Unmodeled var a: Int?",
      "let a: Int\n  required init(entity: E, insertInto c: C?) { a = 1 }",
      "let a: Int; init(a: Int) { self.a = a }\n required init(entity: E, insertInto c: C?) {}",
      "override var description: String { \"\" }", "static let description = 1",
      "override var a: Int { didSet {} }", "lazy let a = 1", "static lazy var a = 1",
    ])
  func leftAlone(source: String) throws {
    let expanded = try Compiler.members(of: "@Entity class A: ManagedObject {\n  \(source)\n}")
    #expect(expanded.failures == [])
    #expect(expanded.expandedSource?.contains(".append(") == false)
  }

  @Test(
    "a class that promises to decode or encode its objects does it itself",
    arguments: [
      ("class A: ManagedObject, ‸Codable {}", true),
      ("class A: ManagedObject, Named, ‸Swift.Decodable {}", true),
      ("class A: ManagedObject, ‸Encodable { convenience init(from: D) {} }", true),
      ("class A: ManagedObject, ‸Encodable { func encode(to e: E) {} }", false),
      ("class A: ManagedObject, ‸Codable { required convenience init(from d: D) {}", true),
      (
        "class A: ManagedObject, ‸Codable { convenience init(from d: D) {}\n func encode(to e: E) {} }",
        false
      ),
    ])
  func conformances(text: String, isRefused: Bool) throws {
    let marked = Marked("@Entity \(text)")
    let failures = try Compiler.members(of: marked.source).failures
    #expect(failures.map(\.offset) == (isRefused ? [marked.offset] : []))
    #expect(failures.allSatisfy { $0.sentence.contains("'A.Values'") })
  }

  @Test("an argument that the macro has to understand is a literal")
  func literals() throws {
    let marked = Marked("@Entity(name: \"B\", values: ‸wantsValues) class A: ManagedObject {}")
    let failures = try Compiler.members(of: marked.source).failures
    #expect(failures.map(\.offset) == [marked.offset])
    #expect(failures.allSatisfy { $0.sentence.contains("'values: false'") })
  }

  @Test("an override may call that of an entity class above it")
  func overrides() throws {
    let failures = try Compiler.members(
      of: """
        @Entity class B: A {
          required init(entity: E, insertInto c: C?) { super.init(entity: entity, insertInto: c) }
        }
        """
    ).failures
    #expect(failures == [])
  }

  @Test("a class is an entity once")
  func twice() throws {
    let source = "@Entity @Entity class A: ManagedObject { var a: Int }"
    for (offset, count) in [(0, 0), (8, 1)] {
      let expanded = try Compiler.expand(
        "EntityMacro", "member", attribute: ("@Entity ", offset), source)
      #expect(expanded.failures.count == count)
      #expect(expanded.failures.allSatisfy { $0.offset == 8 && $0.sentence.contains("twice") })
      #expect(expanded.expandedSource?.isEmpty == (count == 1))
      let attribute = try Compiler.expand(
        "EntityMacro", "memberAttribute", attribute: ("@Entity ", offset), "var a: Int", at: 41,
        parent: source)
      #expect(attribute.expandedSource?.isEmpty == (count == 1))
    }
  }

  @Test(
    "what can be mended in one way only comes with the change",
    arguments: [
      ("class A {}", "class A: ManagedObject {}"),
      ("class A: NSObject {}", "class A: ManagedObject {}"),
      ("class A: Named, Codable {}", nil),
      ("class A: Hashable {}", "class A: ManagedObject, Hashable {}"),
      ("class A: M { var a = 1 }", "class A: M { var a: Int = 1 }"),
      ("class A: M { var a = \"\" }", "class A: M { var a: String = \"\" }"),
      ("class A: M { var a = 1.5 }", "class A: M { var a: Double = 1.5 }"),
      ("class A: M { var a = false }", "class A: M { var a: Bool = false }"),
      ("class A: M { var a = f() }", nil),
      ("class A: M { init(a: Int) {} }", "class A: M { convenience init(a: Int) {} }"),
      ("class A: M { @NSManaged var a: Int? }", "class A: M { var a: Int? }"),
      (
        "class A: NSManagedObject { required init(entity: E, insertInto: C) "
          + "{ super.init(entity: entity, insertInto: c) } }",
        "class A: NSManagedObject { required init(entity: E, insertInto: C) "
          + "{ super.init(overriding: entity, insertInto: c) } }"
      ),
    ])
  func fixIts(source: String, mended: String?) throws {
    let problems = try Compiler.members(of: "@Entity \(source)").diagnostics
    #expect(problems.allSatisfy { $0.fixIts.isEmpty == (mended == nil) })
    guard let mended else { return }
    #expect(problems.count == 1)
    #expect(problems.first?.mend("@Entity \(source)") == "@Entity \(mended)")
  }

  @Test("the change of a property's macro is made in the property")
  func fixItsOfProperties() throws {
    for (text, mended) in [
      ("@Relationship var a: Set<B>?", "@Relationship var a: Set<B>"),
      ("@Relationship public let a: B?", "@Relationship public var a: B?"),
    ] {
      let problems = try Compiler.expand(
        "RelationshipMacro", "peer", attribute: ("@Relationship ", 0), text, context: Self.entity
      ).diagnostics
      #expect(problems.map { $0.mend(text) } == [mended])
    }
  }

  @Test("what is reported expands to nothing that would be reported again")
  func silence() throws {
    func accessors(_ property: String, _ number: String = "1") throws -> String {
      try Compiler.accessors(of: property, number: number, in: Self.entity).expandedSource ?? ""
    }
    let silent = "{\nget { fatalError() }\nset { fatalError() }\n}"
    #expect(try accessors("var a: Int", "!") == silent)
    #expect(try accessors("@Relationship var a: Set<String>") == silent)
    #expect(try accessors("@Relationship var a: Set<B>?") == silent)
    #expect(try accessors("@Relationship var a: B? = b") == silent)
    #expect(try accessors("@Relationship var a: B? = nil") != silent)
    let attribute = try Compiler.attribute(
      of: "var a: Int", in: "@Entity class A: NSObject { var a: Int }")
    #expect(attribute == "@_ManagedProperty(\"!\")")
    let members = try #require(
      try Compiler.members(
        of: """
          @Entity class A: M {
            @Relationship(inverse: \\.c) var a: Set<B>?
            @Relationship(maxCount: 1, wrong: 2, inverse: \\.c) var b: B?
            @Attribute(matching: "x", .unique, wrong: 1, originalName: "y") var c: String
            var c: Int
            let d: Int
          }
          """
      ).expandedSource)
    #expect(!members.contains("(\"a\"") && !members.contains("addToA"))
    #expect(members.contains(".to(B?.self), inverse: \"c\", { $0.c }, maxCount: 1)"))
    #expect(members.contains(".of(String.self), .unique, originalName: \"y\", matching: \"x\")"))
    #expect(members.components(separatedBy: "var c: ").count == 2)
    #expect(members.contains("required init("))
  }

  @Test("all errors of a class are reported together")
  func several() throws {
    let failures = try Compiler.members(
      of:
        "@Entity class A: M {\n var a = 1\n weak var b: B?\n #if X\n var c = 2\n #endif }"
    ).failures
    #expect(failures.count == 3)
  }

  static let entity = ["@Entity final class Person: ManagedObject {}"]

  @Test(
    "a macro in the wrong place is refused where it is written",
    arguments: [
      ("‸@Attribute let a: Int", entity, "constant"),
      ("‸@Attribute static var a: Int = 1", entity, "'static'"),
      ("‸@Attribute class var a: Int { 1 }", entity, "'static'"),
      ("‸@Attribute var a: Int { 1 }", entity, "computed"),
      ("‸@Attribute func a() {}", entity, "stored property"),
      ("‸@Attribute var a: Int", ["extension Person {}"], "extension"),
      ("‸@Attribute var a: Int", [], "class with '@Entity'"),
      ("‸@Attribute var a: Int", ["class Person: ManagedObject {}"], "class with '@Entity'"),
      ("‸@Attribute var a: Int", ["@Entity struct Person {}"], "class with '@Entity'"),
      ("‸@Attribute var a: Int", ["func f() {}"], "class with '@Entity'"),
      ("@Attribute(.unique)\n‸@Attribute var a: Int", entity, "twice"),
      ("@Relationship ‸@Attribute var a: Int", entity, "both"),
      ("@Unmodeled ‸@Attribute var a: Int", entity, "both"),
      ("‸@Relationship let a: B?", entity, "constant"),
      ("‸@Relationship var a: B? { nil }", entity, "computed"),
      ("@Attribute() ‸@Relationship var a: B?", entity, "both"),
      ("@Attribute(‸.searchable) var a: Int", entity, "for texts"),
      ("@Attribute(.indexed, ‸.searchable, originalName: \"b\") var a: Date?", entity, "for texts"),
      ("@Attribute(‸.searchable) var a: [String]", entity, "for texts"),
      ("@Relationship var a: ‸String", entity, "holds values"),
      ("@Relationship(inverse: \\.b) var a: ‸Set<B>?", entity, "write 'Set<B>'"),
      ("@Relationship var a: ‸[B]!", entity, "write '[B]'"),
      ("@Relationship var a: B? = ‸B()", entity, "no destinations"),
      ("@Relationship var a: Set<B> = ‸[b]", entity, "no destinations"),
      ("@Relationship var a: ‸Int32?", entity, "holds values"),
      ("@Relationship var a: ‸[String: Person]", entity, "holds values"),
      ("@Relationship var a: ‸Set<UUID>", entity, "holds values"),
      ("@Relationship var a: ‸[Optional<Date>] = []", entity, "holds values"),
      ("@Relationship var a: ‸(Person, Person)", entity, "holds values"),
      ("@Relationship(inverse: ‸\"people\") var a: B?", entity, "key path"),
      ("@Relationship(inverse: ‸\\B.c.d[0]) var a: B?", entity, "key path"),
      ("@Relationship(deleteRule: .deny, inverse: ‸\\B.c?.d) var a: B?", entity, "key path"),
      ("@Relationship(inverse: ‸\\.c.d) var a: B?", entity, "key path"),
      ("@Relationship(inverse: ‸\\B.self) var a: B?", entity, "key path"),
      ("@Relationship(inverse: ‸(\\B.c)) var a: B?", entity, "key path"),
      ("@Relationship(inverse: ‸path) var a: B?", entity, "key path"),
      ("@Relationship(inverse: ‸\\B) var a: B?", entity, "key path"),
      ("‸@Unmodeled var a: Int", [], "class with '@Entity'"),
      ("@Attribute ‸@Unmodeled var a: Int", entity, "both"),
    ])
  func placement(text: String, context: [String], reason: String) throws {
    let marked = Marked(text)
    let failures = try check(marked, context)
    #expect(failures.map(\.offset) == [marked.offset])
    #expect(failures.allSatisfy { $0.sentence.contains(reason) })
  }

  @Test(
    "a macro in its place has nothing to say",
    arguments: [
      ("‸@Attribute(.unique) public var a: Int", entity),
      ("‸@Attribute var a: Set<Int>", entity),
      ("‸@Relationship(inverse: \\.people) var a: B?", entity),
      ("‸@Relationship(inverse: \\B.people) var a: Set<B> = []", entity),
      ("‸@Relationship(inverse: \\Model.B.`default`) var a: [B]", entity),
      ("‸@Relationship var a: StringTable?", entity),
      ("‸@Relationship var a: B? = nil", entity),
      ("‸@Relationship var a: [B] = []", entity),
      ("‸@Unmodeled static var a: Int", entity),
      ("‸@Attribute var a: Int", ["@Roost.Entity() class A: B {}"]),
      ("‸@Attribute(.unique)\n@Attribute var a: Int", entity),
    ])
  func inPlace(text: String, context: [String]) throws {
    #expect(try check(Marked(text), context) == [])
  }

  /// Expands the macro at the mark, or the last one before it.
  private func check(_ marked: Marked, _ context: [String]) throws -> [Compiler.Failure] {
    let prefix = DeclarationParser(marked.source).property()?.prefix
    let list = TokenList(marked.source)
    let attributes = prefix?.attributes.map { (name: $0.name, start: list.offset($0.start)) }
    let last = attributes?.last { $0.start <= marked.offset }
    let start = last?.start ?? marked.offset
    // The compiler sends the attribute up to the next token.
    let end = list.tokens.first { token in
      token.start > start
        && ["var", "let", "func", "public", "static", "class"].contains { word in
          list.bytes[token.start..<token.end].elementsEqual(word.utf8)
        } || (token.start > start && list.bytes[token.start] == Byte.at)
    }
    let bytes = list.bytes[start..<(end?.start ?? list.bytes.count)]
    return try Compiler.expand(
      (last?.name ?? "Attribute") + "Macro", "peer",
      attribute: (String(decoding: bytes, as: UTF8.self), start), marked.source, context: context
    ).failures
  }
}
