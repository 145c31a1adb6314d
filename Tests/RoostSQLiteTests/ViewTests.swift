// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import TestEvolution
import Testing

@testable import RoostSQLite

/// Views in a SQLite file. The conformance kit reads their values.
@Suite("Views in a file") struct ViewTests {
  private func views(_ file: EvolvingFile) throws -> any StoreViews {
    try #require(file.evolving.store.views)
  }

  private func names(_ file: EvolvingFile) -> String? {
    RawDatabase(file.url).text(
      "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY 1)"
    )
  }

  @Test("every decimal is shown as it is (B369)")
  func decimals() throws {
    let file = try EvolvingFile(TestModel(.init("Account", .attribute("amount", .decimal))))
    var decimals = [
      "0", "1", "-1", "10", "0.1", "-0.1", "99", "-99", "100", "123456789.987654321",
      "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999",
      "0.00000000000000000001", "-1000000000000000000000", "1e127", "-1e-120", "1e-128",
    ].compactMap { Decimal(string: $0) }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let mantissa = Decimal(Int64.random(in: .min ... .max, using: &random))
      decimals.append(
        Decimal(
          sign: .plus, exponent: Int.random(in: -60...60, using: &random), significand: mantissa))
    }
    for (number, decimal) in decimals.enumerated() {
      try file.evolving.insert("Account", Int64(number + 1), ["amount": .decimal(decimal)])
    }
    try views(file).write()
    let sql = try #require(file.evolving.store.sql)
    let rows = try sql.rows(of: "SELECT amount FROM v_Account ORDER BY id")
    #expect(rows.count == decimals.count)
    for (row, decimal) in zip(rows, decimals) {
      let text = try row.value("amount", as: String.self)
      #expect(Decimal(string: text) == decimal, "\(decimal) is shown as \(text)")
      #expect(
        text.range(of: "^-?(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$", options: .regularExpression) != nil,
        "\(text)")
    }
  }

  @Test(
    "a divided evolution and one in a single transaction make the views anew (B369, M57)",
    arguments: [EvolutionBatches(), LargePeople.batches])
  func evolution(_ batches: EvolutionBatches) throws {
    let file = try EvolvingFile(LargePeople.before(), batches: batches)
    try LargePeople.fill(file.evolving)
    try views(file).write()
    try views(file).write(in: "bi_")
    #expect(names(file) == "bi_Person,v_Person")
    #expect(try file.evolving.evolve(to: LargePeople.after()))
    #expect(names(file) == "bi_Person,bi_Person_boss,v_Person,v_Person_boss")
    let database = RawDatabase(file.url)
    #expect(
      database.text("SELECT name || age || share || loud FROM v_Person WHERE name = 'person 3'")
        == "person 330.1PERSON 3")
    #expect(
      database.text("SELECT count(*) FROM v_Person_boss") == String(LargePeople.count - 1))
    #expect(LargePeople.schema(of: file)?.contains("gone") == false)
    try file.evolving.reopen()
    #expect(try views(file).remove() == ["\"v_Person\"", "\"v_Person_boss\""])
    #expect(names(file) == "bi_Person,bi_Person_boss")
  }

  @Test("columns that a migration leaves for later are removed while there are views (B369, M57)")
  func later() throws {
    let before = try TestModel(
      .init("Person", .attribute("name", .string), .attribute("age", .integer16)))
    let after = try TestModel(.init("Person", .attribute("name", .string)))
    let file = try EvolvingFile(before, batches: LargePeople.batches)
    for number in 1...40 {
      try file.evolving.insert("Person", Int64(number), ["name": "x", "age": 7])
    }
    try views(file).write()
    #expect(try file.evolving.evolve(to: after))
    while try file.evolving.store.evolution?.finishDeferredStep(isEvolving: false) == true {}
    #expect(RawDatabase(file.url).text("SELECT count(name) FROM v_Person") == "40")
    #expect(RawDatabase(file.url).text("SELECT age FROM Person LIMIT 1") == nil)
  }

  @Test("a view of another program is refused, even beside views of Roost (B369)")
  func foreign() throws {
    let file = try EvolvingFile(TestModel(.init("Person", .attribute("name", .string))))
    try views(file).write()
    try file.evolving.reopen()
    let database = RawDatabase(file.url)
    for statement in [
      "CREATE VIEW other AS SELECT 1",
      "CREATE VIEW other AS /* A view of Roost with the prefix v_ */ SELECT 1",
      "CREATE VIEW v_other AS /* A view of Roost with the prefix v_\" */ SELECT 1",
      "CREATE VIEW v_other AS SELECT 1 /* AS /* A view of Roost with the prefix v_ */",
    ] {
      #expect(database.run(statement) == 0, "\(statement)")
      let error = #expect(throws: PersistenceError.self) { try file.evolving.reopen() }
      #expect(error?.code == .corruptStore, "\(statement)")
      file.evolving.store.close()
      #expect(database.run("DROP VIEW IF EXISTS other; DROP VIEW IF EXISTS v_other") == 0)
    }
    try file.evolving.reopen()
  }

  @Test("a prefix with which a name would be that of a table gives the view another one (B369)")
  func taken() throws {
    let file = try EvolvingFile(
      TestModel(
        .init("v_Person", .attribute("name", .string)),
        .init("Person", .attribute("name", .string))))
    try file.evolving.insert("Person", 1, ["name": "view"])
    try file.evolving.insert("v_Person", 1, ["name": "table"])
    #expect(try views(file).write() == ["\"v_Person_2\"", "\"v_v_Person\""])
    let database = RawDatabase(file.url)
    #expect(database.text("SELECT name FROM v_Person_2") == "view")
    #expect(database.text("SELECT name FROM v_Person") == "table")
    for prefix in [
      "", "_x", "sqlite_", "SQLite_v", "a b", "1", "x\"", String(repeating: "x", count: 33),
    ] {
      let error = #expect(throws: PersistenceError.self) { try views(file).write(in: prefix) }
      #expect(error?.code == .invalidRequest, "\(prefix)")
    }
  }

  @Test("the printed statements make the same views (B369)")
  func statements() throws {
    let file = try EvolvingFile(LargePeople.before())
    try LargePeople.fill(file.evolving)
    try views(file).write()
    let database = RawDatabase(file.url)
    func definitions() -> String? {
      database.text("SELECT group_concat(sql, char(10)) FROM sqlite_schema WHERE type = 'view'")
    }
    let made = definitions()
    let statements = try views(file).statements()
    for _ in 0..<2 { #expect(database.run(statements.joined(separator: ";\n")) == 0) }
    #expect(definitions() == made)
    try file.evolving.reopen()
    #expect(
      database.text("SELECT boss_id FROM v_Person WHERE name = 'person 3'")
        == String(file.evolving.key("Person", 1)))
  }
}
