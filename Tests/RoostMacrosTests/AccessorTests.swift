// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostMacroExpansion

@Suite struct AccessorTests {
  static let source = """
    @Entity final class Person: ManagedObject {
      @Attribute(.unique) var email: String
      var computed: String { email }
      static let shared: Int = 1
      let constant: Int = 1
      @Unmodeled var scratch: Int = 0
      var name: String = "var email: String"
      func f() { var age: Int = 1 }
      var age: Int32 = 0
    }
    """

  @Test("the stored properties of an entity are numbered in the order of the source")
  func numbers() throws {
    let members = [
      "\n  @Attribute(.unique) var email: String", "\n  var name: String = \"var email: String\"",
      "\n  var age: Int32 = 0",
    ]
    let attributes = try members.map { try Compiler.attribute(of: $0, in: Self.source) }
    #expect(
      attributes == [
        "@_ManagedProperty(\"0\")", "@_ManagedProperty(\"1\")", "@_ManagedProperty(\"2\")",
      ])
  }

  @Test("a property with a codec of its own is read and written through it")
  func transformed() throws {
    let plain = try Compiler.accessors(
      of: "@Attribute(.unique) var email: String", number: "0", in: [])
    #expect(plain.expandedSource?.contains("get { self._get(0) }") == true)
    let secret = try Compiler.accessors(
      of: "@Attribute(.unique, transformer: \"Secret\") var note: String", number: "0", in: [])
    #expect(secret.expandedSource?.contains("get { self._getTransformed(0) }") == true)
    #expect(secret.expandedSource?.contains("set { self._setTransformed(0, newValue) }") == true)
  }

  @Test("other members get no attribute")
  func otherMembers() throws {
    let members = [
      "var computed: String { email }", "static let shared: Int = 1", "let constant: Int = 1",
      "@Unmodeled var scratch: Int = 0", "func f() { var age: Int = 1 }",
    ]
    for member in members {
      #expect(try Compiler.attribute(of: member, in: Self.source) == "")
    }
  }

  @Test("accessors call the object with the number")
  func accessors() throws {
    let expanded = try Compiler.accessors(
      of: "var name: String = \"\"", number: "Person._base_Person + 1",
      in: ["class Person: Party {}"])
    #expect(
      expanded.expandedSource == """
        {
        get { self._get(Person._base_Person + 1) }
        set { self._set(Person._base_Person + 1, newValue) }
        }
        """)
    #expect(expanded.failures == [])
  }

  @Test(
    "the accessors of a public property of a public class can be inlined",
    arguments: [
      ("public var a: Int", ["public class P: M {}"], true, true),
      ("open var a: Int", ["open class P: M {}", "public enum B {}"], true, true),
      ("public private(set) var a: Int", ["public class P: M {}"], true, false),
      ("public var a: Int", ["class P: M {}"], false, false),
      ("public var a: Int", ["public class P: M {}", "extension B {}"], false, false),
      ("var a: Int", ["public class P: M {}"], false, false),
      ("package var a: Int", ["package class P: M {}"], false, false),
      ("public var a: Int", [], false, false),
    ])
  func inlining(source: String, context: [String], getter: Bool, setter: Bool) throws {
    let expansion = try #require(
      try Compiler.accessors(of: source, number: "0", in: context).expandedSource)
    #expect(expansion.contains("@inlinable get") == getter)
    #expect(expansion.contains("@inlinable set") == setter)
  }

  @Test("the attribute that the macro writes is of no use to a person")
  func handwritten() throws {
    let failures = try Compiler.expand(
      "ManagedPropertyMacro", "accessor", attribute: ("@_ManagedProperty", 3), "var a: Int"
    ).failures
    #expect(failures.map(\.offset) == [3])
  }
}
