// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostMacroExpansion

@Suite("What stands where `@NSManaged` stood") struct ManagedMemberTests {
  private func accessors(_ source: String) throws -> Compiler.Expanded {
    try Compiler.expand("ManagedMacro", "accessor", attribute: ("@Managed", 0), source)
  }

  private func body(_ source: String) throws -> Compiler.Expanded {
    try Compiler.expand("ManagedMacro", "body", attribute: ("@ManagedMethod", 0), source)
  }

  @Test("a managed property is read and written by its name")
  func property() throws {
    let expanded = try accessors("@Managed public var `default`: NSSet?")
    #expect(
      expanded.expandedSource == """
        {
        get { self._managedValue("default") }
        set { self._setManagedValue(newValue, "default") }
        }
        """)
    #expect(expanded.failures == [])
  }

  @Test(
    "a managed property has a type, and neither an initial value nor accessors",
    arguments: [
      "var name = \"\"", "var age: Int = 0", "let name: String", "static var name: String?",
      "var name: String? { nil }", "func name() {}", "var (a, b): (Int, Int)",
    ])
  func refusedProperties(source: String) throws {
    let expanded = try accessors(source)
    #expect(expanded.expandedSource == nil)
    #expect(expanded.failures.map(\.offset) == [0])
  }

  @Test(
    "a managed method hands its arguments on with the name of the relationship",
    arguments: [
      ("public func addToPets(_ value: Pet)", "_addManaged(\"Pets\", value)"),
      ("func addToPets(_ values: NSSet)", "_addManaged(\"Pets\", values)"),
      ("func removeFromPets(_ value: Pet)", "_removeManaged(\"Pets\", value)"),
      ("func removeFromPets(at idx: Int)", "_removeManaged(\"Pets\", at: idx)"),
      (
        "func insertIntoPets(_ value: Pet, at idx: Int)",
        "_insertManaged(\"Pets\", value, at: idx)"
      ),
      (
        "func replacePets(at indexes: NSIndexSet, with values: [Pet])",
        "_replaceManaged(\"Pets\", at: indexes, with: values)"
      ),
    ])
  func method(source: String, call: String) throws {
    let expanded = try body(source)
    #expect(expanded.expandedSource == "{\nself.\(call)\n}")
    #expect(expanded.failures == [])
  }

  @Test(
    "a method that is none of a relationship's is refused",
    arguments: [
      "func save()", "func addTo(_ value: Pet)", "static func addToPets(_ value: Pet)",
      "var name: String?", "func addToPets<T>(_ value: T)",
    ])
  func refusedMethods(source: String) throws {
    let expanded = try body(source)
    #expect(expanded.expandedSource == nil)
    #expect(expanded.failures.map(\.offset) == [0])
  }
}
