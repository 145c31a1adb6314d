// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostSQLite
import Testing

@Entity final class Letter: ManagedObject {
  @Attribute(.searchable) var text: String?
}

/// Tests of the index of words in a SQLite file that other programs write as well.
@Suite("Words in SQLite files") @MainActor
struct SQLiteWordTests {
  /// A file with letters of one to three words.
  private final class File {
    let folder: URL
    let url: URL

    init() throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "letters-\(UUID())")
      url = folder.appending(path: "letters.sqlite")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
      try? FileManager.default.removeItem(at: folder)
    }

    @MainActor func open(
      isSearchable: Bool = true, readOnly: Bool = false
    ) throws -> ManagedObjectContext {
      let model = try ManagedObjectModel(Letter.self)
      model.entitiesByName["Letter"]?.attributesByName["text"]?.isSearchable = isSearchable
      var store = PersistentStoreDescription.sqlite(at: url)
      store.isReadOnly = readOnly
      let container = try PersistentContainer(name: "Letters", model: model, stores: [store])
      try container.loadPersistentStores()
      return container.viewContext
    }

    /// Writes letters and closes the store.
    @MainActor func fill(_ texts: [String]) throws {
      let context = try open()
      for text in texts { _ = Letter(text: text, context: context) }
      try context.save()
    }

    var other: OtherProgram { OtherProgram(url) }
  }

  private func found(_ query: String, _ context: ManagedObjectContext) throws -> [String] {
    context.reset()
    return try context.fetch(Letter.where { $0.text.matches(search: query) })
      .compactMap(\.text).sorted()
  }

  private func plan(_ context: ManagedObjectContext) throws -> String {
    try context.explain(Letter.where { $0.text.matches(search: "goose") }).description
  }

  private let insertion = """
    INSERT INTO Letter (_key, _version, text) \
    SELECT max(_key) + 4096, 1, 'Sïlver goose' FROM Letter
    """

  @Test("other programs' texts are found before they are indexed, and after that (T13, T14)")
  func otherPrograms() throws {
    let file = try File()
    try file.fill(["wild goose", "tame goose", "wild duck"])
    let context = try file.open()
    let other = file.other
    other.run(insertion)
    other.run("UPDATE Letter SET text = 'tame swan' WHERE text = 'tame goose'")
    other.run("DELETE FROM Letter WHERE text = 'wild duck'")
    #expect(other.number("SELECT count(*) FROM _roost_unindexed_1") == 3)
    for isIndexed in [false, true] {
      #expect(try found("goose", context) == ["Sïlver goose", "wild goose"], "\(isIndexed)")
      #expect(try found("silv*", context) == ["Sïlver goose"], "\(isIndexed)")
      #expect(try found("swan", context) == ["tame swan"], "\(isIndexed)")
      #expect(try found("duck", context) == [], "\(isIndexed)")
      guard !isIndexed else { break }
      _ = Letter(text: "eider", context: context)
      try context.save()
      #expect(other.number("SELECT count(*) FROM _roost_unindexed_1") == 0)
      #expect(other.number("SELECT count(*) FROM _roost_words_1") == 4)
    }
  }

  @Test("a record to which other programs give another key is found, whatever they call it (T13)")
  func otherKeys() throws {
    let file = try File()
    try file.fill(["wild goose", "tame goose"])
    let context = try file.open()
    let other = file.other
    other.run("UPDATE Letter SET rowid = rowid + 40960 WHERE text = 'wild goose'")
    other.run("UPDATE Letter SET _key = _key + 81920 WHERE text = 'tame goose'")
    #expect(other.number("SELECT count(*) FROM _roost_unindexed_1") == 4)
    #expect(try found("goose", context) == ["tame goose", "wild goose"])
  }

  @Test("a search reads the records that the index names, and no others (T11)")
  func narrowing() throws {
    let file = try File()
    try file.fill(["wild goose", "tame goose", "wild duck"])
    let context = try file.open()
    #expect(try plan(context).contains("Letter.words(text)"))
    file.other.run("DELETE FROM _roost_words_1 WHERE words = 'wild goose'")
    #expect(try found("goose", context) == ["tame goose"])
    #expect(try found("wild", context) == ["wild duck"])
  }

  @Test("each kind of save leaves nothing that is not indexed (T8, T14)")
  func nothingLeft() throws {
    let file = try File()
    try file.fill((0..<100).map { "wild goose \($0)" })
    let context = try file.open()
    func expectIndexed(_ count: Int, _ name: String) {
      #expect(file.other.number("SELECT count(*) FROM _roost_unindexed_1") == 0, "\(name)")
      #expect(file.other.number("SELECT count(*) FROM _roost_words_1") == count, "\(name)")
    }
    expectIndexed(100, "insertions")
    let letters = try context.fetch(Letter.fetchRequest())
    for letter in letters.prefix(10) { letter.text = nil }
    context.delete(try #require(letters.last))
    try context.save()
    expectIndexed(89, "changes")
    let update = BatchUpdateRequest(entityName: "Letter")
    update.predicate = try FetchPredicate("text SEARCH 'goose' AND text ENDSWITH '1'")
    update.propertiesToUpdate = ["text": "swan"]
    try context.execute(update)
    expectIndexed(89, "a batch update")
    #expect(try found("swan", context).count == 9)
    let deletion = BatchDeleteRequest(
      fetchRequest: Letter.where { $0.text.matches(search: "swan") })
    try context.execute(deletion)
    expectIndexed(80, "a batch deletion")
  }

  @Test("a store that is opened for reading searches what is not indexed as well (T8, T13)")
  func readOnly() throws {
    let file = try File()
    try file.fill(["wild goose", "tame goose"])
    file.other.run(insertion)
    let context = try file.open(readOnly: true)
    #expect(try plan(context).contains("Letter.words(text)"))
    #expect(try found("goose", context).count == 3)
    #expect(file.other.number("SELECT count(*) FROM _roost_unindexed_1") == 1)
  }

  @Test("an index that is not finished is built on, and not used before (T15)")
  func resumed() throws {
    let file = try File()
    try file.fill(["wild goose", "tame goose", "grey goose"])
    file.other.run(
      "DELETE FROM _roost_words_1 WHERE words <> 'wild goose'; UPDATE _roost_words SET position ="
        + " (SELECT _key FROM Letter WHERE text = 'wild goose')")
    #expect(try found("goose", file.open(readOnly: true)).count == 3)
    #expect(try !plan(file.open(readOnly: true)).contains("words("))
    let context = try file.open()
    #expect(try found("goose", context).count == 3)
    #expect(try plan(context).contains("Letter.words(text)"))
    #expect(file.other.number("SELECT count(*) FROM _roost_words_1") == 3)
    #expect(file.other.number("SELECT count(*) FROM _roost_words WHERE position IS NULL") == 1)
  }

  @Test(
    "an index of other words, or whose triggers were changed, is built anew (T10)",
    arguments: [
      "UPDATE _roost_words SET signature = 'older'",
      "DROP TRIGGER _roost_words_1_update",
      "DROP TABLE _roost_unindexed_1",
      """
      DROP TRIGGER _roost_words_1_delete; CREATE TRIGGER _roost_words_1_delete \
      AFTER INSERT ON Letter BEGIN DELETE FROM Letter; END
      """,
      """
      CREATE TRIGGER _roost_words_9_x AFTER INSERT ON _roost_metadata \
      BEGIN DELETE FROM Letter; END
      """,
    ])
  func rebuilt(_ change: String) throws {
    let file = try File()
    try file.fill(["wild goose", "tame goose"])
    file.other.run(change)
    let context = try file.open()
    _ = Letter(text: "grey goose", context: context)
    try context.save()
    #expect(try found("goose", context).count == 3)
    #expect(try plan(context).contains("Letter.words(text)"))
    #expect(
      file.other.number("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == 4)
    #expect(file.other.number("SELECT count(*) FROM _roost_words") == 1)
  }

  @Test("what is no longer searchable leaves no table and no trigger behind (T10)")
  func removed() throws {
    let file = try File()
    try file.fill(["wild goose"])
    let count = """
      SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' OR name LIKE '%\\_words\\_%' \
      ESCAPE '\\' OR name LIKE '%unindexed%'
      """
    #expect(try #require(file.other.number(count)) > 4)
    let context = try file.open(isSearchable: false)
    #expect(file.other.number(count) == 0)
    #expect(try found("goose", context) == ["wild goose"])
    #expect(try !plan(context).contains("words("))
  }

  @Test("an index that another program removes is missed by nobody (T15)")
  func removedMeanwhile() throws {
    let file = try File()
    try file.fill(["wild goose", "tame goose"])
    let context = try file.open()
    let letter = try #require(try context.fetch(Letter.fetchRequest()).first)
    letter.text = "wild swan"
    let other = try file.open(isSearchable: false)
    try context.save()
    #expect(try found("wild", context) == ["wild swan"])
    #expect(try !plan(context).contains("words("))
    _ = Letter(text: "grey goose", context: other)
    try other.save()
    #expect(try found("goose", context) == ["grey goose", "tame goose"])
    // An index that is made again is another one, of which the first program does not know.
    let third = try file.open()
    #expect(try plan(third).contains("Letter.words(text)"))
    for (number, writer) in [context, other, third].enumerated() {
      _ = Letter(text: "eider \(number)", context: writer)
      try writer.save()
      for reader in [context, other, third] {
        #expect(try found("eider \(number)", reader) == ["eider \(number)"])
      }
    }
    let update = BatchUpdateRequest(entityName: "Letter")
    update.predicate = try FetchPredicate("text SEARCH 'eider'")
    update.propertiesToUpdate = ["text": "smew"]
    try context.execute(update)
    for reader in [context, other, third] { #expect(try found("smew", reader).count == 3) }
  }

  @Test("a large store is indexed in several portions (T10)")
  func portions() throws {
    let file = try File()
    let texts = (0..<40).map { number in
      String(repeating: "w\(number) goose ", count: 20_000) + "n\(number)"
    }
    let first = try file.open(isSearchable: false)
    for text in texts { _ = Letter(text: text, context: first) }
    try first.save()
    let context = try file.open()
    #expect(file.other.number("SELECT count(*) FROM _roost_words_1") == 40)
    #expect(try context.count(for: Letter.where { $0.text.matches(search: "n7 w7") }) == 1)
    #expect(try context.count(for: Letter.where { $0.text.matches(search: "goose") }) == 40)
  }
}
