// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostModel
import RoostQuery
import Testing

@testable import RoostMigration

private let fetch = "fetchRequestForSourceEntityNamed:predicateString:"

@Suite("Expressions of mapping models") struct ExpressionTests {
  @Test(
    "what is printed parses as an equal expression (M20)",
    arguments: [
      "$source.name", "\"text\"", "3", "$source.department.name", "nil",
      "FUNCTION($entityPolicy, \"f:\", $source.a, \"FUNCTION($x, 'y')\")",
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"AToB\", $source.b)",
      "FUNCTION($entityPolicy, 'f', FUNCTION($entityPolicy, 'g:', {1, 2}, $source.a.@count))",
      "FUNCTION($entityPolicy, \"f:\", 1) + FUNCTION($entityPolicy, \"g:\", 2)",
      "function($entityPolicy, \"f\")",
      "FETCH(FUNCTION($manager, \"\(fetch)\", \"A\", \"b == \\\"c\\\"\"), $manager.sourceContext, NO)",
    ])
  func roundTrip(format: String) throws {
    let expression = try MappingExpression(format: format)
    #expect(try MappingExpression(format: expression.description) == expression)
  }

  @Test("made expressions are those that are parsed")
  func made() throws {
    #expect(try MappingExpression.source("a.b") == MappingExpression(format: "$source.a.b"))
    #expect(
      try MappingExpression.policyFunction("f:", [.source("a")])
        == MappingExpression(format: "FUNCTION($entityPolicy, \"f:\", $source.a)"))
    #expect(
      try MappingExpression.destinations(of: "a", by: "AToB")
        == MappingExpression(
          format: "FUNCTION($manager, "
            + "\"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"AToB\", $source.a)"
        ))
    #expect(
      try MappingExpression.fetch(entityName: "A", where: FetchPredicate("b > 1"))
        == MappingExpression(
          format: "FETCH(FUNCTION($manager, \"\(fetch)\", "
            + "\"A\", \"b > 1\"), $manager.sourceContext, NO)"))
  }

  @Test(
    "what is no expression is refused, and nothing is nested without end (M53)",
    arguments: [
      "", "FUNCTION(", "FUNCTION()", "FUNCTION($entityPolicy)", "FUNCTION($source, \"delete\")",
      "FUNCTION(name, \"f\")", "FUNCTION($entityPolicy, 3)", "FUNCTION($entityPolicy, \"f\"",
      "FETCH($source)",
      "FETCH(FUNCTION($manager, \"other:\", \"A\", \"B\"), $manager.sourceContext, NO)",
      "FETCH(FUNCTION($manager, \"\(fetch)\", \"A\", \"((\"), $manager.sourceContext, NO)",
      "FETCH(FUNCTION($manager, \"\(fetch)\", \"A\", \"b\"), $manager.sourceContext, YES)",
    ])
  func refused(format: String) {
    #expect(throws: PersistenceError(.invalidPredicate, "")) {
      try MappingExpression(format: format)
    }
  }

  @Test("deep and long texts are errors (M53)")
  func deep() {
    let deep =
      String(repeating: "FUNCTION($entityPolicy, \"f\", ", count: 10_000) + "1"
      + String(repeating: ")", count: 10_000)
    #expect(throws: PersistenceError(.limitExceeded, "")) { try MappingExpression(format: deep) }
    let nested =
      String(repeating: "FUNCTION($entityPolicy, \"f\", ", count: 100) + "1"
      + String(repeating: ")", count: 100)
    #expect(throws: PersistenceError(.limitExceeded, "")) { try MappingExpression(format: nested) }
  }
}

@Suite("Which records were made of which") struct AssociationTests {
  @Test("pairs are found from both sides, in any order of adding, and keep their order (M23)")
  func table() {
    var table = AssociationTable()
    for (source, destination) in [(5, 9), (1, 8), (5, 3), (2, 8), (1, 1)] as [(Int64, Int64)] {
      table.add(source, destination)
    }
    #expect(table.destinations(of: 5) == [9, 3])
    #expect(table.destinations(of: 1) == [8, 1])
    #expect(table.destinations(of: 4) == [])
    #expect(table.sources(of: 8) == [1, 2])
    #expect(table.sources(of: 7) == [])
    table.add(9, 7)
    #expect(table.sources(of: 7) == [9])
    #expect(table.destinations(of: 9) == [7])
  }
}
