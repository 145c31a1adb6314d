// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostMacroExpansion

/// Tests of `@Composite`. Each refused source has a `‸` where the error is to be reported.
@Suite struct CompositeExtensionTests {
  @Test("a struct gets the declaration of its elements, and code that reads and writes them")
  func wholeExpansion() throws {
    let source = """
      @Composite public struct Address: Hashable {
        @Attribute(.indexed) public var street: String = ""
        var city: String?
        let id: UUID
        var `do`: Date = .now { didSet {} }
        let version: Int = 1
        static var all: [Address] = []
        var line: String { street }
        @Unmodeled var isShown: Bool = true
        func use() {}
      }
      """
    let expanded = try Compiler.composite(
      source, named: "Client.Address", in: ["public struct Client {}"])
    #expect(expanded.failures == [])
    #expect(
      expanded.expandedSource == """
        extension Client.Address: CompositeValue {
          nonisolated public static let _composite: CompositeDeclaration = {
            var _elements: [PropertyDeclaration] = []
            _elements.append(PropertyDeclaration.property("street", .of(String.self, default: ""), .indexed))
            _elements.append(PropertyDeclaration.property("city", .of(String?.self)))
            _elements.append(PropertyDeclaration.property("id", .of(UUID.self)))
            _elements.append(PropertyDeclaration.property("do", .of(Date.self, default: .now), renewsDefault: true))
            return CompositeDeclaration(Client.Address.self, elements: _elements)
          }()
          nonisolated public init(_elements: inout CompositeReader) {
            self.street = _elements.read(or: "")
            self.city = _elements.read()
            self.id = _elements.read()
            self.`do` = _elements.read(or: .now)
          }
          nonisolated public func _write(to _elements: inout CompositeWriter) {
            _elements.write(self.street)
            _elements.write(self.city)
            _elements.write(self.id)
            _elements.write(self.`do`)
          }
        }
        """)
  }

  @Test("elements between #if and #endif are elements where they are compiled")
  func conditions() throws {
    let source = "@Composite struct A {\n#if DEBUG\n  var a: Int\n#endif\n  var b: Int\n}"
    let expanded = try #require(try Compiler.composite(source).expandedSource)
    #expect(
      expanded.contains("    #if DEBUG\n    self.a = _elements.read()\n    #endif\n    self.b"))
  }

  @Test(
    "a type that can be no composite is refused at its name",
    arguments: [
      ("@Composite class ‸A { var a: Int = 1 }", "needs a struct"),
      ("@Composite final class ‸A: ManagedObject { var a: Int }", "needs a struct"),
      ("@Composite enum ‸A { case a }", "needs a struct"),
      ("@Composite actor ‸A {}", "needs a struct"),
      ("@Composite extension ‸A {}", "needs a struct"),
      ("@Composite struct ‸A<T> { var a: Int }", "generic"),
      ("@Composite struct ‸A { var a: Int { 1 } }", "no stored property"),
      ("@Composite struct ‸A {}", "no stored property"),
    ])
  func types(text: String, reason: String) throws {
    let marked = Marked(text)
    let expanded = try Compiler.composite(marked.source)
    #expect(expanded.failures.map(\.offset) == [marked.offset])
    #expect(expanded.failures.allSatisfy { $0.sentence.contains(reason) })
    #expect(expanded.expandedSource == "")
  }

  @Test(
    "a stored property that can be no element is refused, and the struct still compiles",
    arguments: [
      ("var ‸name = \"\"", "needs its type"),
      ("var a: Int, ‸b: Int", "'var' of its own"),
      ("var ‸(a, b): (Int, Int) = (1, 2)", "pattern"),
      ("lazy var ‸a: Int = 1", "'lazy'"),
      ("weak var ‸a: Person?", "'weak'"),
      ("@State var ‸a: Int = 1", "'@State'"),
      ("var a: ‸(Int) -> Void", "cannot be kept"),
      ("var a: ‸any P", "cannot be kept"),
      ("var a: ‸(x: Int, y: Int)", "cannot be kept"),
      ("@Attribute(‸.transient) var a: Int", "'.transient'"),
      ("@Attribute(.indexed, ‸transformer: \"x\") var a: Int", "'transformer:'"),
      ("@Attribute(‸derivation: \"b\") var a: Int", "'derivation:'"),
      ("var b: Int\n@Unmodeled var ‸a: Int", "needs an initial value"),
    ])
  func elements(member: String, reason: String) throws {
    let marked = Marked("@Composite struct A {\n  \(member)\n}")
    let expanded = try Compiler.composite(marked.source)
    #expect(expanded.failures.map(\.offset) == [marked.offset])
    #expect(expanded.failures.allSatisfy { $0.sentence.contains(reason) })
    #expect(
      expanded.expandedSource == """
        extension A: CompositeValue {
          nonisolated static let _composite: CompositeDeclaration = {
            let _elements: [PropertyDeclaration] = []
            return CompositeDeclaration(A.self, elements: _elements)
          }()
          nonisolated init(_elements: inout CompositeReader) {
            fatalError()
          }
          nonisolated func _write(to _elements: inout CompositeWriter) {
          }
        }
        """)
  }

  @Test("a struct within a generic type is as generic")
  func genericContext() throws {
    let expanded = try Compiler.composite(
      "@Composite struct A { var a: Int }", in: ["struct Box<T> {}"])
    #expect(expanded.failures.map(\.offset) == [18])
  }

  @Test(
    "the macros of properties know composites",
    arguments: [
      ("@Attribute(.indexed) var a: Int", nil), ("@Attribute let a: Int", nil),
      ("@Unmodeled var a: Int = 1", nil),
      ("@Attribute var a: Int { 1 }", "needs a stored property"),
      ("@Attribute static var a: Int = 1", "belongs to the type"),
      ("@Relationship var a: Person?", "only in a class with '@Entity'"),
    ] as [(String, String?)])
  func propertyMacros(member: String, reason: String?) throws {
    let macro = String(member.dropFirst().prefix { $0.isLetter })
    let failures = try Compiler.check(
      macro, attribute: "@\(macro)", of: member, in: ["@Composite struct A {}"]
    ).failures
    #expect(failures.count == (reason == nil ? 0 : 1))
    #expect(failures.allSatisfy { $0.sentence.contains(reason ?? "") })
  }
}
