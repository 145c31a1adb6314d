// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostSQL
import Testing

@Suite struct StatementTests {
  @Test("a hierarchy has one table, with the columns of all its entities")
  func tables() throws {
    let library = try Library()
    let definitions = library.schema.tables.map(library.schema.definition)
    #expect(
      definitions == [
        #"CREATE TABLE "Item" ("_key" INTEGER PRIMARY KEY, "_version" INTEGER NOT NULL,"#
          + #" "title" TEXT, "year" INTEGER, "price" BLOB, "stock" INTEGER, "weight" REAL,"#
          + #" "isbn" TEXT, "author" INTEGER, "position_Author_books" INTEGER, "minutes" INTEGER, "silent" INTEGER)"#
          + " STRICT",
        #"CREATE TABLE "Author" ("_key" INTEGER PRIMARY KEY, "_version" INTEGER NOT NULL,"#
          + #" "name" TEXT, "born" REAL) STRICT"#,
      ])
  }

  @Test("indexes serve the model's, the constraints and the way back of to-one relationships")
  func indexes() throws {
    let library = try Library()
    let definitions = library.schema.tables.flatMap { table in
      table.indexes.map { library.schema.definition($0, on: table) }
    }
    #expect(
      definitions == [
        #"CREATE INDEX "Item_by_year_title" ON "Item" ("year" DESC, "title")"#,
        #"CREATE INDEX "Item_by_stock" ON "Item" ("stock") WHERE "stock" > 0"#
          + #" AND "title" IS NOT NULL"#,
        #"CREATE INDEX "Item_by_price" ON "Item" ("price")"#,
        #"CREATE UNIQUE INDEX "Item_unique_isbn" ON "Item" ("isbn") WHERE ("_key" & 4095) = 2"#,
        #"CREATE INDEX "Item_by_author" ON "Item" ("author", "position_Author_books")"#,
        #"CREATE INDEX "Item_by_entity" ON "Item" (("_key" & 4095))"#,
        #"CREATE UNIQUE INDEX "Author_unique_name_born" ON "Author" ("name", "born")"#,
      ])
  }

  @Test("links have a table with both ends as its key, and an index for the way back")
  func links() throws {
    let schema = try Library().schema
    let table = try #require(schema.linkTables.first)
    #expect(
      schema.definition(table)
        == #"CREATE TABLE "Author_films" ("source" INTEGER NOT NULL,"#
        + #" "destination" INTEGER NOT NULL, "position" INTEGER, "inverse_position" INTEGER,"#
        + #" PRIMARY KEY ("source", "destination")) WITHOUT ROWID, STRICT"#)
    #expect(
      schema.reverseDefinition(table)
        == #"CREATE INDEX "Author_films_reverse" ON "Author_films" ("destination", "source")"#)
  }

  @Test("an order puts nil first, keeps to-one joins and ends with the key")
  func order() throws {
    let query = try Library().query("Book") {
      $0.sortDescriptors = [
        SortOrdering("author.name", ascending: false),
        SortOrdering("title", comparator: .caseInsensitive), SortOrdering("year"),
      ]
      $0.fetchLimit = 5
      $0.fetchOffset = 2
    }
    #expect(
      query.text.hasSuffix(
        #"ORDER BY t1."name" DESC, roost_fold(t0."title", 1), t0."year", t0."_key""#
          + " LIMIT ?1 OFFSET ?2"))
    #expect(query.bindings == [.integer(5), .integer(2)])
  }

  @Test("a count asks for a number, and obeys the limit (B137)")
  func count() throws {
    let library = try Library()
    let all = try library.query("Author") { $0.resultType = .countResultType }
    #expect(all.text == #"SELECT count(*) FROM "Author" AS t0"#)
    let some = try library.query("Author") {
      $0.resultType = .countResultType
      $0.fetchLimit = 3
    }
    #expect(
      some.text == #"SELECT count(*) FROM (SELECT 1 FROM "Author" AS t0 LIMIT ?1) AS counted"#)
  }

  @Test("rows of a hierarchy are read with the columns that its entities have (B299)")
  func rows() throws {
    let query = try Library().query("Film") { $0.resultType = .managedObjectResultType }
    #expect(
      query.text
        == #"SELECT t0."_key", t0."_version", t0."title", t0."year", t0."price", t0."stock","#
        + #" t0."weight", t0."minutes", t0."silent" FROM "Item" AS t0 WHERE (t0."_key" & 4095) = 3"#
        + #" ORDER BY t0."_key""#)
  }

  @Test("groups, aggregates and conditions on groups run in the database (B134)")
  func groups() throws {
    let library = try Library()
    let author = try #require(library.model.entitiesByName["Author"])
    let name = try #require(author.attributesByName["name"])
    let query = try library.query("Author", "born != nil") {
      let count = ExpressionDescription(name: "count")
      count.expressionResultType = .integer64
      count.expression = FetchExpression.function(.count, [.keyPath(["born"])])
      $0.resultType = .dictionaryResultType
      $0.propertiesToFetch = [name, count]
      $0.propertiesToGroupBy = [name]
      $0.havingPredicate = .comparison(
        ComparisonPredicate(
          .function(.count, [.keyPath(["born"])]), .greaterThan, .constant(.integer(1))))
    }
    #expect(
      query.text
        == #"SELECT t0."name", count(t0."born") FROM "Author" AS t0 WHERE t0."born" IS NOT NULL"#
        + #" GROUP BY t0."name" HAVING count(t0."born") > ?1 ORDER BY min(t0."_key")"#)
    #expect(query.remainder == nil)
  }

  @Test("groups are not taken from an index that lacks some of what is asked for (B134)")
  func uncoveredGroups() throws {
    func text(
      _ counted: String, _ dialect: SQLDialect = .sqlite, limit: Int? = nil
    ) throws -> String {
      let library = try Library(dialect: dialect)
      let item = try #require(library.model.entitiesByName["Item"])
      let year = try #require(item.attributesByName["year"])
      let count = ExpressionDescription(name: "count")
      count.expressionResultType = .integer64
      count.expression = FetchExpression.function(.count, [.keyPath([counted])])
      return try library.query("Item") {
        $0.resultType = .dictionaryResultType
        $0.propertiesToFetch = [year, count]
        $0.propertiesToGroupBy = [year]
        if let limit { $0.fetchLimit = limit }
      }.text
    }
    // The index contains the year and the title; the weight is only in the table.
    #expect(try text("weight", limit: 3).contains(#"GROUP BY +t0."year""#))
    #expect(try text("title").contains(#"GROUP BY t0."year""#))
    #expect(try text("weight", .postgreSQL).contains(#"GROUP BY t0."year""#))
  }

  @Test("distinct columns are grouped, so that their order is defined (B135)")
  func distinct() throws {
    let library = try Library()
    let author = try #require(library.model.entitiesByName["Author"])
    let query = try library.query("Author") {
      $0.resultType = .dictionaryResultType
      $0.propertiesToFetch = author.attributesByName["name"].map { [$0] }
      $0.returnsDistinctResults = true
      $0.sortDescriptors = [SortOrdering("name", ascending: false)]
    }
    #expect(
      query.text
        == #"SELECT t0."name" FROM "Author" AS t0 GROUP BY t0."name""#
        + #" ORDER BY t0."name" DESC, min(t0."_key")"#)
  }

  @Test("PostgreSQL is written from the same generator, by its own dialect")
  func postgreSQL() throws {
    let library = try Library(dialect: .postgreSQL)
    let query = try library.query("Author", "name != 'x' AND name IN {1, 2}") {
      $0.predicate = .and([
        .comparison(ComparisonPredicate(.keyPath(["name"]), .notEqualTo, .constant(.string("x")))),
        .comparison(
          ComparisonPredicate(.keyPath(["name"]), .contains, .constant(.string("y")))),
      ])
      $0.sortDescriptors = [SortOrdering("born", ascending: false)]
    }
    #expect(
      query.text
        == #"SELECT t0."_key" FROM "Author" AS t0 WHERE t0."name" IS DISTINCT FROM $1"#
        + #" AND pg_catalog.strpos(t0."name", $2) > 0 ORDER BY t0."born" DESC NULLS LAST, t0."_key""#
    )
    #expect(
      library.schema.definition(library.schema.tables[1])
        == #"CREATE TABLE "Author" ("_key" bigint PRIMARY KEY, "_version" bigint NOT NULL,"#
        + #" "name" text COLLATE "C", "born" double precision)"#)
  }

  @Test("a table and an index have their namespace where the dialect has one (B366)")
  func namespace() throws {
    var dialect = SQLDialect.postgreSQL
    dialect.namespace = "\"a\"\"b\"."
    let library = try Library(dialect: dialect)
    let schema = library.schema
    var texts = schema.tables.flatMap { table in
      [schema.definition(table)] + table.indexes.map { schema.definition($0, on: table) }
    }
    texts += schema.linkTables.flatMap { [schema.definition($0), schema.reverseDefinition($0)] }
    texts += schema.linkTables.map { schema.insertLink($0) }
    texts.append(try library.query("Author", "name == 'x'").text)
    for text in texts { #expect(text.contains("\"a\"\"b\".\""), "\(text)") }
    // The recorded definition of an index is the same in every namespace.
    let table = try #require(schema.tables.first { !$0.indexes.isEmpty })
    let noted = schema.definition(table.indexes[0], on: table, isQualified: false)
    #expect(!noted.contains("a\"\"b"))
    var catalog = SQLCatalog()
    catalog.definitionsByIndex = ["old": "CREATE INDEX", table.indexes[0].name: noted]
    let changes = try catalog.changes(to: schema, names: library.names).indexes
    #expect(changes.first == "DROP INDEX \"a\"\"b\".\"old\"")
    #expect(!changes.contains { $0.contains("\"\(table.indexes[0].name)\" ON") })
  }
}
