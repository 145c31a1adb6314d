// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostSQL
import RoostStore
import Testing

/// A condition and its expected SQL.
struct ConditionCase: CustomTestStringConvertible, Sendable {
  let entity: String
  let format: String
  let sql: String

  init(_ entity: String, _ format: String, _ sql: String) {
    self.entity = entity
    self.format = format
    self.sql = sql
  }

  var testDescription: String { "\(entity): \(format)" }
}

@Suite struct ConditionTests {
  static let cases = [
    ConditionCase("Author", "name == 'Ada'", #"t0."name" = ?1"#),
    ConditionCase("Author", "name != 'Ada'", #"t0."name" IS NOT ?1"#),
    ConditionCase("Author", "name == nil", #"t0."name" IS NULL"#),
    ConditionCase("Author", "NOT (name == nil)", #"NOT (t0."name" IS NULL)"#),
    ConditionCase("Author", "NOT (name > 'x')", #"(t0."name" > ?1) IS NOT TRUE"#),
    ConditionCase("Item", "year > 3 AND stock < 2", #"t0."year" > ?1 AND t0."stock" < ?2"#),
    ConditionCase("Item", "year == 3 OR year == nil", #"(t0."year" = ?1 OR t0."year" IS NULL)"#),
    ConditionCase("Item", "year == stock", #"t0."year" IS t0."stock""#),
    ConditionCase("Item", "year IN {1, 2}", #"t0."year" IN (?1, ?2)"#),
    ConditionCase(
      "Item", "year IN {1, 2, 3, 4, 5, 6, 7, 8, 9}",
      #"t0."year" IN (SELECT value FROM json_each(?1))"#),
    ConditionCase(
      "Item", "weight IN {1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5}",
      #"t0."weight" IN (SELECT roost_double(value) FROM json_each(?1))"#),
    ConditionCase("Item", "year BETWEEN {1, 2}", #"t0."year" BETWEEN ?1 AND ?2"#),
    ConditionCase("Author", "name BEGINSWITH 'ab'", #"(t0."name" >= ?1 AND t0."name" < ?2)"#),
    ConditionCase("Author", "name BEGINSWITH ''", #"t0."name" IS NOT NULL"#),
    ConditionCase(
      "Author", "name BEGINSWITH[c] 'ab'",
      #"instr(roost_fold(t0."name", 1), roost_fold(?1, 1)) = 1"#),
    ConditionCase("Author", "name CONTAINS 'ab'", #"instr(t0."name", ?1) > 0"#),
    ConditionCase(
      "Author", "name ENDSWITH 'ab'",
      #"substr(t0."name", length(t0."name") - length(?1) + 1) = ?1"#),
    ConditionCase("Author", "name LIKE[cd] 'a*'", #"roost_like(t0."name", ?1, 3)"#),
    ConditionCase("Author", "name MATCHES 'a.*'", #"roost_matches(t0."name", ?1, 0)"#),
    ConditionCase("Item", "weight * 2 > 3.5", #"(t0."weight" * ?1) > ?2"#),
    ConditionCase("Item", "stock + 1 > 2", #"roost_apply(0, 0, t0."stock", 0, ?1) > ?2"#),
    ConditionCase("Item", "length(title) > 2", #"length(t0."title") > ?1"#),
    ConditionCase(
      "Item", "TERNARY(year > 3, stock, 7) == 7",
      #"CASE WHEN t0."year" > ?1 THEN t0."stock" ELSE ?2 END = ?3"#),
    ConditionCase("Item", "3 <= year", #"t0."year" >= ?1"#),
    ConditionCase("Item", "3.5 <= weight * 2", #"(t0."weight" * ?1) >= ?2"#),
    ConditionCase("Item", "3.5 < weight * 2", #"(t0."weight" * ?1) > ?2"#),
    ConditionCase("Item", "3.5 >= weight * 2", #"(t0."weight" * ?1) <= ?2"#),
    ConditionCase("Item", "3 > year", #"t0."year" < ?1"#),
    ConditionCase("Item", "entity.name != 'Book'", #"((t0."_key" & 4095) IN (2)) IS NOT TRUE"#),
    ConditionCase("Item", "entity.name == 'Book'", #"(t0."_key" & 4095) IN (2)"#),
    ConditionCase(
      "Author", "ANY books.year > 3",
      #"EXISTS (SELECT 1 FROM "Item" AS t1 WHERE t1."author" = t0."_key" AND (t1."year" > ?1))"#),
    ConditionCase(
      "Author", "ALL books.year > 3",
      #"NOT EXISTS (SELECT 1 FROM "Item" AS t1 WHERE t1."author" = t0."_key""#
        + #" AND ((t1."year" > ?1) IS NOT TRUE))"#),
    ConditionCase(
      "Author", "ANY films.title == 'x'",
      #"EXISTS (SELECT 1 FROM "Author_films" AS t1 JOIN "Item" AS t2"#
        + #" ON t2."_key" = t1."destination" WHERE t1."source" = t0."_key""#
        + #" AND (t2."title" = ?1))"#),
    ConditionCase(
      "Author", "books.@count > 2",
      #"(SELECT count(*) FROM "Item" AS t1 WHERE t1."author" = t0."_key") > ?1"#),
    ConditionCase(
      "Author", "books.@sum.year > 2",
      #"(SELECT coalesce(sum(t1."year"), 0) FROM "Item" AS t1"#
        + #" WHERE t1."author" = t0."_key") > ?1"#),
    ConditionCase(
      "Author", "SUBQUERY(books, $b, $b.year > 3 AND $b.author == SELF).@count == 1",
      #"(SELECT count(*) FROM "Item" AS t1 WHERE t1."author" = t0."_key""#
        + #" AND ((t1."year" > ?1 AND t1."author" = t0."_key"))) = ?2"#),
  ]

  @Test("a condition becomes the SQL that says the same", arguments: cases)
  func condition(_ expected: ConditionCase) throws {
    let query = try Library().query(expected.entity, expected.format)
    let table = expected.entity == "Author" ? "Author" : "Item"
    #expect(
      query.text == #"SELECT t0."_key" FROM "\#(table)" AS t0 WHERE "# + expected.sql
        + #" ORDER BY t0."_key""#)
    #expect(query.remainder == nil)
  }

  @Test("to-one steps of all paths share their joins (B143)")
  func joins() throws {
    let query = try Library().query("Book", "author.name == 'Ada' AND author.born != nil")
    #expect(
      query.text.contains(
        #"FROM "Item" AS t0 LEFT JOIN "Author" AS t1 ON t1."_key" = t0."author" WHERE"#))
    #expect(query.text.contains(#"t1."name" = ?1 AND t1."born" IS NOT NULL"#))
  }

  @Test("a to-one relationship is compared without a look at its destination (B142)")
  func toOne() throws {
    let query = try Library().query("Book", "author == nil")
    #expect(!query.text.contains("JOIN"))
    #expect(query.text.contains(#"t0."author" IS NULL"#))
  }

  @Test("values are bound, never written into a statement")
  func values() throws {
    let hostile = "x'; DROP TABLE \"Author\"; --"
    let query = try Library().query("Author", "name == %@ OR name LIKE %@", hostile, hostile)
    #expect(!query.text.contains("DROP"))
    #expect(query.bindings == [.text(hostile), .text(hostile)])
  }

  @Test(
    "a truth value is written where it has a type, so that the database knows it while it plans")
  func truth() throws {
    let lite = try Library().query("Film", "silent == YES")
    #expect(lite.text.contains(#"t0."silent" = ?1"#) && lite.bindings == [.boolean(true)])
    let post = try Library(dialect: .postgreSQL)
    for (literal, text) in [("YES", "TRUE"), ("NO", "FALSE")] {
      let query = try post.query("Film", "silent == \(literal) AND minutes > 90")
      #expect(query.text.contains("t0.\"silent\" = \(text)"), "\(query.text)")
      #expect(query.bindings == [.integer(90)])
    }
  }

  @Test("what SQL cannot judge is left to memory, and the rest is not")
  func split() throws {
    let query = try Library().query("Author", "name ==[l] 'x' AND born != nil AND name != ''") {
      $0.fetchLimit = 3
    }
    #expect(query.text.contains(#"WHERE t0."born" IS NOT NULL AND t0."name" IS NOT ?1 ORDER BY"#))
    #expect(!query.text.contains("LIMIT"))
    #expect(query.inMemory.count == 1)
    #expect(query.remainder?.window == true)
    #expect(query.remainder?.sort == false)
    guard case .comparison? = query.remainder?.predicate, case .rows = query.shape else {
      Issue.record("\(query)")
      return
    }
  }

  @Test("a long OR is a shallow tree, a deep condition is refused before it runs")
  func depth() throws {
    let library = try Library()
    let format = (0..<5_000).map { "born == nil AND name == 'a\($0)'" }.joined(separator: " OR ")
    let query = try library.query("Author", format)
    #expect(query.bindings.count == 5_000)
    let predicate = (0..<300).reduce(ResolvedPredicate.constant(true)) { inner, _ in
      .not(.and([inner, .constant(true), .not(inner)]))
    }
    let author = try #require(library.model.entitiesByName["Author"])
    let deep = ResolvedFetch(entity: author, entities: [author], predicate: predicate)
    let error = #expect(throws: PersistenceError.self) {
      try FetchGenerator.query(for: deep, in: library.schema)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("a part that always or never holds decides its whole, or is left out")
  func constants() throws {
    let library = try Library()
    let author = try #require(library.model.entitiesByName["Author"])
    func text(_ predicate: ResolvedPredicate) throws -> String {
      let request = ResolvedFetch(entity: author, entities: [author], predicate: predicate)
      return try FetchGenerator.query(for: request, in: library.schema).text
    }
    let (yes, no) = (ResolvedPredicate.constant(true), ResolvedPredicate.constant(false))
    let everything = try text(yes)
    let nothing = try text(no)
    #expect(!everything.contains("WHERE") && nothing.contains("WHERE"))
    for predicate in [.or([no, yes]), .or([yes, no]), .and([yes, yes]), .not(no)]
      as [ResolvedPredicate]
    {
      #expect(try text(predicate) == everything, "\(predicate)")
    }
    // Inside another condition, where the parts of an AND are not split.
    let named = try RequestResolver(model: library.model).predicate(
      try FetchPredicate("name == 'a'"), of: author)
    #expect(try text(.or([.and([no, named]), no])) == nothing)
    #expect(try text(.not(.and([named, no]))) == everything)
    #expect(try text(.or([.and([named, no]), named])) == text(named))
    for predicate in [.and([no, yes]), .and([yes, no]), .or([no, no]), .not(yes)]
      as [ResolvedPredicate]
    {
      #expect(try text(predicate) == nothing, "\(predicate)")
    }
  }

  @Test("the terms of a long OR are grouped: a database limits how deep they are")
  func grouped() throws {
    let format = (0..<100).map { "name == 'a\($0)'" }.joined(separator: " OR ")
    let query = try Library().query("Author", "born == nil OR \(format)")
    let groups = query.text.split(separator: ") OR (")
    #expect(groups.count > 1)
    for group in groups {
      #expect(group.components(separatedBy: " OR ").count <= 33, "\(group)")
    }
  }

  @Test("more values than a statement takes are refused with a typed error")
  func parameterLimit() throws {
    var dialect = SQLDialect.sqlite
    dialect.parameterLimit = 10
    let library = try Library(dialect: dialect)
    let format = (0..<11).map { "name == 'a\($0)'" }.joined(separator: " OR ")
    let error = #expect(throws: PersistenceError.self) { try library.query("Author", format) }
    #expect(error?.code == .limitExceeded)
  }
}
