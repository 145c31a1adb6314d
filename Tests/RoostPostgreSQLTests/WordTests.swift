// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostPostgreSQL
import RoostStore
import Testing

@Entity final class Letter: ManagedObject {
  @Attribute(.searchable) var text: String?
}

/// Tests of the index of words in a schema that other programs write as well.
@Suite("Words on PostgreSQL servers", .enabled(if: Servers.isThere, "there is no server"))
struct WordTests {
  /// A schema with letters.
  private struct Schema {
    let description: PersistentStoreDescription
    let name: String
    let session: RawSession

    init() throws {
      name = "words_" + UUID().uuidString.prefix(8).lowercased()
      let uri = try #require(TestDatabase.uri)
      description = try .postgresql(uri, schema: name)
      session = try RawSession(uri)
    }

    func open(
      isSearchable: Bool = true, _ description: PersistentStoreDescription? = nil
    ) throws -> PersistentStoreCoordinator {
      let model = try ManagedObjectModel(Letter.self)
      model.entitiesByName["Letter"]?.attributesByName["text"]?.isSearchable = isSearchable
      let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(with: description ?? self.description)
      return coordinator
    }

    func run(_ statements: String...) throws {
      try session.run(["SET search_path = \(name)"] + statements)
    }

    /// Changes a text as a program must that writes records: with a new version.
    func change(_ old: String, to new: String) throws {
      try run(
        "UPDATE \"Letter\" SET _version = _version + 1, text = '\(new)' WHERE text = '\(old)'")
    }

    func number(_ query: String) throws -> Int? {
      try run()
      return try session.rows(query).first.flatMap { Int($0) }
    }
  }

  private func write(_ texts: [String?], _ coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    for text in texts { Letter(context: context).text = text }
    try context.save()
  }

  private func found(
    _ query: String, _ coordinator: PersistentStoreCoordinator
  ) throws -> [String] {
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    return try withExtendedLifetime(context) {
      try context.fetch(Letter.where { $0.text.matches(search: query) }).compactMap(\.text)
        .sorted()
    }
  }

  private func plan(_ coordinator: PersistentStoreCoordinator) throws -> String {
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    return try context.explain(Letter.where { $0.text.matches(search: "goose") }).description
  }

  private func withSchema(_ body: (Schema) throws -> Void) throws {
    let schema = try Schema()
    defer {
      var description = schema.description
      try? description.setOption(.boolean(true), forKey: StoreOption.forceDestroy)
      try? description.type.driver.destroy(description)
    }
    try body(schema)
  }

  private let insertion = """
    INSERT INTO "Letter" (_key, _version, text) \
    SELECT max(_key) + 4096, 1, 'Sïlver goose' FROM "Letter"
    """

  @Test("other programs' texts are found before they are indexed, and after that (T13, T14)")
  func otherPrograms() throws {
    try withSchema { schema in
      let first = try schema.open()
      try write(["wild goose", "tame goose", "wild duck", nil], first)
      try schema.run(
        insertion, "DELETE FROM \"Letter\" WHERE text = 'wild duck'")
      try schema.change("tame goose", to: "tame swan")
      #expect(try schema.number("SELECT count(*) FROM _roost_words_1") == 0)
      for isIndexed in [false, true] {
        // Opening the store indexes what is left.
        let reader = isIndexed ? try schema.open() : first
        #expect(try found("goose", reader) == ["Sïlver goose", "wild goose"], "\(isIndexed)")
        #expect(try found("silv*", reader) == ["Sïlver goose"], "\(isIndexed)")
        #expect(try found("swan", reader) == ["tame swan"], "\(isIndexed)")
        #expect(try found("duck", reader) == [], "\(isIndexed)")
        #expect(try plan(reader).contains("Letter.words(text)"), "\(isIndexed)")
      }
      #expect(try schema.number("SELECT count(*) FROM _roost_words_1") == 3)
      #expect(try schema.number("SELECT count(*) FROM _roost_unindexed_1") == 0)
      try schema.change("wild goose", to: "eider")
      #expect(try found("goose", first) == ["Sïlver goose"])
      #expect(try found("eider", first) == ["eider"])
    }
  }

  @Test("a search reads the records that the index names, and no others (T11)")
  func narrowing() throws {
    try withSchema { schema in
      try write(["wild goose", "tame goose", "wild duck"], schema.open())
      let reader = try schema.open()
      try schema.run("DELETE FROM _roost_words_1 WHERE words @@ 'goose & wild'")
      #expect(try found("goose", reader) == ["tame goose"])
      #expect(try found("wild", reader) == ["wild duck"])
      let context = ManagedObjectContext(.privateQueue, coordinator: reader)
      let either = Letter.fetchRequest()
      either.predicate = try FetchPredicate(
        "text SEARCH 'goose' OR (text SEARCH 'wild' AND text ENDSWITH 'k')")
      #expect(try context.count(for: either) == 2)
    }
  }

  @Test("many saved records and batch requests are indexed at once (T14)")
  func indexedAtOnce() throws {
    try withSchema { schema in
      let coordinator = try schema.open()
      try write((0..<300).map { "wild goose \($0)" }, coordinator)
      #expect(try schema.number("SELECT count(*) FROM _roost_unindexed_1") == 0)
      #expect(try schema.number("SELECT count(*) FROM _roost_words_1") == 300)
      let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
      let update = BatchUpdateRequest(entityName: "Letter")
      update.predicate = try FetchPredicate("text SEARCH 'goose'")
      update.propertiesToUpdate = ["text": "swan"]
      try context.execute(update)
      #expect(try schema.number("SELECT count(*) FROM _roost_unindexed_1") == 0)
      #expect(try found("swan", coordinator).count == 300)
      #expect(try found("goose", coordinator) == [])
    }
  }

  @Test("a text with too many words for an index is found (T13)")
  func large() throws {
    try withSchema { schema in
      let long = (0..<150_000).map { "x\($0)y" }.joined(separator: " ")
      try write([long + " needle", "needle"], schema.open())
      let reader = try schema.open()
      #expect(try schema.number("SELECT count(*) FROM _roost_unindexed_1 WHERE is_large") == 1)
      #expect(try found("needle", reader).count == 2)
      #expect(try found("x149999y", reader).count == 1)
      try schema.change(long + " needle", to: "short")
      #expect(try found("short", reader) == ["short"])
      _ = try schema.open()
      #expect(try schema.number("SELECT count(*) FROM _roost_unindexed_1") == 0)
      #expect(try found("short", reader) == ["short"])
    }
  }

  @Test("an index that is not finished is built on, and not used before (T15)")
  func resumed() throws {
    try withSchema { schema in
      try write(["wild goose", "tame goose", "grey goose"], schema.open())
      _ = try schema.open()
      try schema.run(
        "DELETE FROM _roost_words_1 WHERE NOT words @@ 'wild'",
        "UPDATE _roost_words SET position = (SELECT _key FROM \"Letter\" WHERE text LIKE 'wild%')")
      var readOnly = schema.description
      readOnly.isReadOnly = true
      let reader = try schema.open(readOnly)
      #expect(try found("goose", reader).count == 3)
      #expect(try !plan(reader).contains("words("))
      let writer = try schema.open()
      #expect(try schema.number("SELECT count(*) FROM _roost_words_1") == 3)
      #expect(try found("goose", writer).count == 3)
      #expect(try plan(writer).contains("Letter.words(text)"))
    }
  }

  @Test(
    "an index of other words, or whose triggers were changed, is built anew (T10)",
    arguments: [
      "UPDATE _roost_words SET signature = 'older'",
      "DROP TRIGGER _roost_words_1_update ON \"Letter\"",
      "ALTER TABLE \"Letter\" DISABLE TRIGGER _roost_words_1_insert",
      "DROP TABLE _roost_words_1",
    ])
  func rebuilt(_ change: String) throws {
    try withSchema { schema in
      try write(["wild goose", "tame goose"], schema.open())
      try schema.run(change)
      try schema.change("tame goose", to: "grey duck")
      let coordinator = try schema.open()
      #expect(try found("duck", coordinator) == ["grey duck"])
      #expect(try found("goose", coordinator) == ["wild goose"])
      #expect(try schema.number("SELECT id FROM _roost_words") == 2)
      #expect(try plan(coordinator).contains("Letter.words(text)"))
    }
  }

  @Test("what is no longer searchable leaves no table and no function, and nobody misses it (T15)")
  func removed() throws {
    try withSchema { schema in
      let first = try schema.open()
      try write(["wild goose", "tame goose"], first)
      let second = try schema.open(isSearchable: false)
      let left = """
        SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = '\(schema.name)'::regnamespace \
        AND relkind = 'r' AND (relname LIKE '%words\\_%' OR relname LIKE '%unindexed%')) \
        + (SELECT count(*) FROM pg_proc WHERE pronamespace = '\(schema.name)'::regnamespace)
        """
      #expect(try schema.number(left) == 0)
      #expect(try found("wild", first) == ["wild goose"])
      try write(["grey goose"], first)
      for reader in [first, second] { #expect(try found("goose", reader).count == 3) }
      #expect(try !plan(first).contains("words("))
      let third = try schema.open()
      #expect(try plan(third).contains("Letter.words(text)"))
      for (number, writer) in [first, second, third].enumerated() {
        try write(["eider \(number)"], writer)
        for reader in [first, second, third] {
          #expect(try found("eider \(number)", reader) == ["eider \(number)"])
        }
      }
    }
  }

  @Test("a schema that is renamed gets an index whose triggers write into it (T10)")
  func renamed() throws {
    try withSchema { schema in
      try write(["wild goose"], schema.open())
      let new = schema.name + "_new"
      try schema.run("ALTER SCHEMA \(schema.name) RENAME TO \(new)")
      let moved = try PersistentStoreDescription.postgresql(
        try #require(TestDatabase.uri), schema: new)
      do {
        let coordinator = try schema.open(moved)
        try write(["tame goose"], coordinator)
        #expect(try found("goose", coordinator) == ["tame goose", "wild goose"])
      }
      try schema.run("ALTER SCHEMA \(new) RENAME TO \(schema.name)")
    }
  }

  @Test("texts that a transaction writes while another program indexes are found (T13)")
  func concurrent() throws {
    try withSchema { schema in
      let coordinator = try schema.open()
      try write(["wild goose", "tame goose"], coordinator)
      try schema.run("BEGIN")
      try schema.change("wild goose", to: "swan")
      // It reads the text of before, and leaves the note of the other one.
      let other = try schema.open()
      #expect(try found("wild", other) == ["wild goose"])
      try schema.run("COMMIT")
      #expect(try found("wild", other) == [])
      #expect(try found("swan", other) == ["swan"])
      _ = try schema.open()
      #expect(try schema.number("SELECT count(*) FROM _roost_unindexed_1") == 0)
      #expect(try found("swan", other) == ["swan"])
    }
  }

  @Test("a user without the privileges for an index opens the store and searches (T15)")
  func rights() throws {
    let server = try #require(Servers.network)
    let name = "w\(UUID().uuidString.replacing("-", with: "").lowercased())"
    try Servers.administer(
      server, "CREATE ROLE \(name) LOGIN", "CREATE SCHEMA \(name) AUTHORIZATION \(name)")
    let own = try PersistentStoreDescription.postgresql(
      server.uri.replacing("user=roost", with: "user=\(name)"), schema: name)
    let schema = try Schema()
    try write(["wild goose"], schema.open(isSearchable: false, own))
    try Servers.administer(
      server, "REVOKE CREATE ON SCHEMA \(name) FROM \(name)",
      "ALTER SCHEMA \(name) OWNER TO postgres",
      "GRANT USAGE ON SCHEMA \(name) TO \(name)")
    let limited = try schema.open(own)
    #expect(try found("goose", limited) == ["wild goose"])
    #expect(try !plan(limited).contains("words("))
    try write(["tame goose"], limited)
    #expect(try found("goose", limited).count == 2)
    // One that may not read the words writes texts that are found.
    try Servers.administer(
      server, "GRANT CREATE ON SCHEMA \(name) TO \(name)")
    let indexing = try schema.open(own)
    #expect(try plan(indexing).contains("Letter.words(text)"))
    let guest = "g\(name)"
    try Servers.administer(
      server, "CREATE ROLE \(guest) LOGIN", "GRANT USAGE ON SCHEMA \(name) TO \(guest)",
      "GRANT ALL ON ALL TABLES IN SCHEMA \(name) TO \(guest)",
      "GRANT ALL ON ALL SEQUENCES IN SCHEMA \(name) TO \(guest)",
      "REVOKE ALL ON \(name)._roost_words_1, \(name)._roost_unindexed_1, \(name)._roost_words "
        + "FROM \(guest)")
    let poor = try schema.open(
      .postgresql(server.uri.replacing("user=roost", with: "user=\(guest)"), schema: name))
    try write(["grey goose"], poor)
    for reader in [poor, indexing] { #expect(try found("goose", reader).count == 3) }
  }
}
