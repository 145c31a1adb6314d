// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostMacroExpansion

@Suite("Constraints and indexes by key paths") struct KeyPathMacroTests {
  private func check(_ marked: Marked, in context: [String]) throws -> Compiler.Expanded {
    try Compiler.expand(freestanding: marked.source, context: context)
  }

  private static let person = "@Entity final class Person: ManagedObject"

  @Test("the lists of key paths stand in the declaration of the entity, after those of @Entity")
  func declaration() throws {
    let source = """
      @Entity(uniqueness: [["a"]], indexes: [["b"]]) final class Person: ManagedObject {
        #Unique<Person>([\\.email], [\\Person.country, \\.`in`])
        var email: String = ""
        #Index<Person>([\\.address.city, \\.email])
        #warning("not ours")
      }
      """
    let expanded = try Compiler.members(of: source)
    #expect(expanded.failures == [])
    let text = try #require(expanded.expandedSource)
    #expect(
      text.contains(
        """
              uniqueness: [["a"]],
              indexes: [["b"]],
              uniquePaths: [["email"], ["country", "in"]],
              indexPaths: [["address.city", "email"]],
              properties: _properties)
        """))
  }

  @Test("a macro about several properties expands to nothing")
  func expansion() throws {
    for source in ["#Unique<Person>([\\.email])", "#Index<Demo.Person>([\\.a, \\.b], [\\.c])"] {
      let expanded = try Compiler.expand(freestanding: source, context: [Self.person])
      #expect(expanded.failures == [])
      #expect(expanded.expandedSource == "")
    }
  }

  @Test(
    "what is no list of key paths is refused where it stands",
    arguments: [
      "#Unique<Person>(‸lists)", "#Unique<Person>([\\.a], ‸lists)", "#Unique<Person>(‸[])",
      "#Index<Person>([‸path])", "#Index<Person>([\\.a, ‸path])", "#Index<Person>([‸\\.self])",
      "#Index<Person>([‸\\.a?.b])", "#Index<Person>([‸\\.a[0]])",
    ])
  func unread(text: String) throws {
    let marked = Marked(text)
    let failures = try check(marked, in: [Self.person]).failures
    #expect(failures.first?.offset == marked.offset)
    #expect(failures.allSatisfy { $0.sentence.contains("lists of key paths") })
  }

  @Test(
    "a macro that no entity reads is refused",
    arguments: [
      [], ["final class Person: ManagedObject"], ["@Entity struct Person"],
      ["extension Person"], ["func make()", person],
    ])
  func outside(context: [String]) throws {
    let failures = try check(Marked("‸#Unique<Person>([\\.email])"), in: context).failures
    #expect(failures.map(\.offset) == [0])
    #expect(failures.allSatisfy { $0.sentence.contains("'@Entity'") })
  }

  @Test("a macro about another class, and one that is not in every program, are refused")
  func misplaced() throws {
    let other = try check(Marked("‸#Unique<Team>([\\.name])"), in: [Self.person]).failures
    #expect(other.map(\.offset) == [0])
    #expect(other.first?.sentence.contains("'#Unique<Person>'") == true)
    let marked = Marked(
      "@Entity class A: ManagedObject {\n#if DEBUG\n‸#Index<A>([\\.a])\n#endif\nvar a: Int }")
    let conditional = try Compiler.members(of: marked.source).failures
    #expect(conditional.map(\.offset) == [marked.offset])
    #expect(conditional.first?.sentence.contains("'#if'") == true)
  }

  @Test("a macro that the plugin does not have is an error")
  func unknown() throws {
    let expanded = try Compiler.expand(freestanding: "#other(1)", context: [Self.person])
    #expect(expanded.failures.map(\.offset) == [0])
  }
}
