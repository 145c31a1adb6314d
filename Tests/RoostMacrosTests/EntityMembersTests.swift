// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostMacroExpansion

@Suite struct EntityMembersTests {
  private func members(of source: String, in context: [String] = []) throws -> String {
    let expanded = try Compiler.members(of: source, in: context)
    #expect(expanded.failures == [])
    return try #require(expanded.expandedSource)
  }

  /// Returns the statements that declare the properties.
  private func declarations(in body: String) throws -> [String] {
    let source = try members(of: "@Entity class A: ManagedObject {\n\(body)\n}")
    return source.components(separatedBy: "\n    _properties.append(PropertyDeclaration")
      .dropFirst().map { part in
        part.components(separatedBy: "\n    return ")[0]
      }
  }

  @Test("an entity class gets its declaration and the numbers of its properties")
  func wholeExpansion() throws {
    let source = """
      @Entity final class Person: ManagedObject {
        @Attribute(.unique) var email: String
        var name: String = ""
        @Relationship(inverse: \\.b) var boss: Person?
      }
      """
    #expect(
      try members(of: source) == """
        override class var _entityDeclaration: EntityDeclaration? {
          _entity_Person._declaration
        }
        nonisolated enum _entity_Person {
          fileprivate static let _declaration: EntityDeclaration = {
            var _properties: [PropertyDeclaration] = []
            _properties.append(PropertyDeclaration.property("email", .of(String.self), .unique))
            _properties.append(PropertyDeclaration.property("name", .of(String.self, default: "")))
            _properties.append(PropertyDeclaration.relationship("boss", .to(Person?.self), inverse: "b", { $0.b }))
            return EntityDeclaration(
              "Person",
              class: Person.self,
              properties: _properties)
          }()
          static var _base: Int { 0 }
          static var _count: Int { _base + 3 }
        }
        nonisolated struct Values: EntityValues {
          typealias _Object = Person
          var _list: AttributeValueList
          init(_list: AttributeValueList) { self._list = _list }
          init(email: String, name: String = "") {
            _list = AttributeValueList(Person.self)
            self.email = email
            self.name = name
          }
          var email: String { get { _get(0) } set { _set(0, newValue) } }
          var name: String { get { _get(1) } set { _set(1, newValue) } }
        }
        typealias _OwnValues = Values
        var values: Values { Values(self) }
        convenience init(_ values: Values, context: ManagedObjectContext) {
          self.init(context: context)
          values._write(to: self)
        }
        @_disfavoredOverload
        convenience init(email: String, name: String = "", context: ManagedObjectContext) {
          self.init(context: context)
          Values(email: email, name: name)._write(to: self)
        }
        """)
  }

  @Test("a subentity counts from its superclass, and passes the arguments of the macro on")
  func subentity() throws {
    let source = """
      @Entity(name: "Firm", indexes: [["a", "b"]],) public class Company: Model.Party, Named {
        var size: Int = 0
      }
      """
    let expansion = try members(of: source)
    #expect(expansion.hasPrefix("public override class var _entityDeclaration"))
    #expect(expansion.contains("class: Company.self,\n      superclass: Model.Party.self,"))
    #expect(expansion.contains("name: \"Firm\",\n      indexes: [[\"a\", \"b\"]],\n      prop"))
    let base = "@inlinable public static var _base: Int { Model.Party._entity_Party._count }"
    #expect(expansion.contains("nonisolated public enum _entity_Company {"))
    #expect(expansion.contains(base))
    #expect(expansion.contains("@inlinable public static var _count: Int { _base + 1 }"))
  }

  @Test(
    "types, defaults and options are passed on exactly as they are written",
    arguments: [
      ("var a: String!", ".property(\"a\", .of(String?.self))"),
      ("var a: String! = \"b\"", ".property(\"a\", .of(String?.self, default: \"b\"))"),
      ("var a: [any P & Q]", ".property(\"a\", .of(([any P & Q]).self))"),
      ("var a: B<(Int, Int)>", ".property(\"a\", .of((B<(Int, Int)>).self))"),
      ("var a: [String: Int]? = nil", ".property(\"a\", .of([String: Int]?.self, default: nil))"),
      ("var a: Set<\n  Int // why\n>", ".property(\"a\", .of(Set<\n  Int // why\n>.self))"),
      ("var a: [Int] = [-1, 2]", ".property(\"a\", .of([Int].self, default: [-1, 2]))"),
      (
        "var a: Date = .now", ".property(\"a\", .of(Date.self, default: .now), renewsDefault: true)"
      ),
      ("var `default`: Int = 1", ".property(\"default\", .of(Int.self, default: 1))"),
      ("var `a \"b\"`: Int", ".property(\"a \\\"b\\\"\", .of(Int.self))"),
      (
        "var a: String = \"\\(x + \"}\") // no\" // yes",
        ".property(\"a\", .of(String.self, default: \"\\(x + \"}\") // no\"), renewsDefault: true)"
      ),
      (
        "var a: String = \"\"\"\n    b\n    \"\"\"",
        ".property(\"a\", .of(String.self, default: \"\"\"\n    b\n    \"\"\"))"
      ),
      (
        "var a: Int = f /* g */ (1)",
        ".property(\"a\", .of(Int.self, default: f /* g */ (1)), renewsDefault: true)"
      ),
      (
        "var a: Int = { () -> Int in\n  1 }()",
        ".property(\"a\", .of(Int.self, default: { () -> Int in\n  1 }()), renewsDefault: true)"
      ),
      (
        "@Attribute(.unique, matching: #\"[a-z\"]+\"#) var a: String",
        ".property(\"a\", .of(String.self), .unique, matching: #\"[a-z\"]+\"#)"
      ),
      (
        "@Roost.Attribute(minimum: f(1, 2), maximum: g /* h */) public var a: Int = 1",
        ".property(\"a\", .of(Int.self, default: 1), minimum: f(1, 2), maximum: g)"
      ),
      ("@Attribute() var a: Int", ".property(\"a\", .of(Int.self))"),
      (
        "@Relationship(deleteRule: .deny, inverse: \\B.`default`, ordered: a) var a: Set<B> = []",
        ".relationship(\"a\", .to(Set<B>.self, default: []), deleteRule: .deny, "
          + "inverse: \"default\", { ($0 as B).`default` }, ordered: a)"
      ),
      (
        "@Relationship(inverse: \\ Model . B . c ) var a: [Model.B]",
        ".relationship(\"a\", .to([Model.B].self), inverse: \"c\", { ($0 as Model . B).c })"
      ),
      (
        "var a: Int = f()\n#if D\n .b()\n#endif",
        ".property(\"a\", .of(Int.self, default: f()\n#if D\n .b()\n#endif\n), renewsDefault: true)"
      ),
    ])
  func slices(body: String, declaration: String) throws {
    #expect(try declarations(in: body) == [declaration + ")"])
  }

  @Test("properties between conditions are declared between them, and counted as they are compiled")
  func conditions() throws {
    let source = """
      @Entity class A: B {
        var a: Int
        #if DEBUG // note
        var b: Int
        #if os(Linux)
        var c: Int
        #endif
        #elseif X
        func f() {}
        #else
        var d: Int
        #endif
        #if Y
        func g() {}
        #endif
        var e: Int
      }
      """
    let expansion = try members(of: source)
    #expect(
      expansion.contains(
        """
            _properties.append(PropertyDeclaration.property("a", .of(Int.self)))
            #if DEBUG
            _properties.append(PropertyDeclaration.property("b", .of(Int.self)))
            #if os(Linux)
            _properties.append(PropertyDeclaration.property("c", .of(Int.self)))
            #endif
            #elseif X
            #else
            _properties.append(PropertyDeclaration.property("d", .of(Int.self)))
            #endif
            _properties.append(PropertyDeclaration.property("e", .of(Int.self)))
            return
        """))
    #expect(
      expansion.contains(
        """
          static var _count: Int { _base + 2 + _block0 }
          #if DEBUG
          static var _block0: Int { 1 + _block1 }
          #elseif X
          static var _block0: Int { 0 }
          #else
          static var _block0: Int { 1 }
          #endif
          #if os(Linux)
          static var _block1: Int { 1 }
          #else
          static var _block1: Int { 0 }
          #endif
        }
        """))
    let numbers = try ["a", "b", "c", "d", "e"].map { name in
      try Compiler.attribute(of: "var \(name): Int", in: source)
    }
    #expect(
      numbers == [
        "@_ManagedProperty(\"A._entity_A._base\")", "@_ManagedProperty(\"A._entity_A._base + 1\")",
        "@_ManagedProperty(\"A._entity_A._base + 2\")",
        "@_ManagedProperty(\"A._entity_A._base + 1\")",
        "@_ManagedProperty(\"A._entity_A._base + 1 + A._entity_A._block0\")",
      ])
  }

  @Test("the names of a class in backticks are put together within backticks where needed")
  func escapedNames() throws {
    let spaced = try members(of: "@Entity class `A b`: Roost.ManagedObject { var a: Int }")
    #expect(spaced.contains("enum `_entity_A b` {"))
    #expect(spaced.contains("\"A b\",\n      class: `A b`.self,"))
    let keyword = try members(of: "@Entity class `default`: `Super` { var a: Int }")
    #expect(keyword.contains("static var _base: Int { `Super`._entity_Super._count }"))
    #expect(keyword.contains("\"default\",\n      class: `default`.self"))
  }

  @Test(
    "members are as visible as the class, and inlinable where every one around it is public",
    arguments: [
      ("open class A: ManagedObject {}", [], "open", "  @inlinable public static"),
      ("public class A: ManagedObject {}", ["public enum B {}"], "public", "  @inlinable public"),
      ("public class A: ManagedObject {}", ["enum B {}"], "public", "  public static"),
      ("class A: ManagedObject {}", ["public extension B {}"], "public", "  public static"),
      ("package class A: ManagedObject {}", [], "package", "  package static"),
      ("private class A: ManagedObject {}", [], "", "  static"),
    ])
  func access(head: String, context: [String], level: String, number: String) throws {
    let expansion = try members(of: "@Entity " + head, in: context)
    #expect(expansion.hasPrefix(level.isEmpty ? "override class" : level + " override class"))
    let base = try #require(expansion.split(separator: "\n").first { $0.contains("var _base") })
    #expect(base.hasPrefix(number))
  }
}
