// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation

/// Texts that are searched for words.
enum SearchCases {
  static let all: [ConformanceCase] =
    words + places + ranking + changes + indexes + declarations + refusals + questions

  /// Notes with a title that is searchable and a body that is not, in folders with a searchable label.
  ///
  /// - Parameters:
  ///   - isSearchable: Whether title and label are declared as searchable.
  ///   - unique: Whether the names of notes are unique.
  ///   - entity: The name of the notes' entity.
  ///   - edit: Changes the entity.
  static func model(
    isSearchable: Bool = true, unique: Bool = false, entity: String = "Note",
    _ edit: (EntityDescription) -> Void = { _ in }
  ) -> ManagedObjectModel {
    var sketch = ModelSketch()
    let (title, label) = (
      AttributeDescription.string("title"), AttributeDescription.string("label")
    )
    title.isSearchable = isSearchable
    label.isSearchable = isSearchable
    edit(
      sketch.add(
        entity, [.string("name"), title, .string("body"), .integer("rank")],
        unique: unique ? [["name"]] : []))
    sketch.add("Memo", [.string("extra")], parent: entity)
    sketch.add("Folder", [.string("name"), label])
    sketch.relate(.init(entity, "folder", .one), .init("Folder", "notes", .many))
    return sketch.make()
  }

  /// The texts of most cases.
  static let titles: [(name: String, title: String?)] = [
    ("a", "The wild goose"), ("b", "Wild, WILD geese!"), ("c", "A goose in the wilderness"),
    ("d", "Crème brûlée for two"), ("e", nil), ("f", ""), ("g", "goose wild"),
  ]

  static func fill(_ context: ManagedObjectContext) throws {
    for (name, title) in titles {
      try context.make("Note", ["name": name, "title": title, "body": title])
    }
    try context.save()
  }

  static func notes(
    _ name: String, _ title: String, needs: Set<ConformanceFacet> = [],
    _ body: @escaping @Sendable (ConformanceStack) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.search, name, title, needs: needs) { stage in
      let stack = try stage.open(model())
      try fill(stack.context)
      try body(stack)
    }
  }

  /// Searches the declared and the undeclared attribute, in a new context.
  static func expectFound(
    _ stack: ConformanceStack, _ query: String, _ wanted: String, _ message: String = ""
  ) throws {
    let context = stack.makeContext()
    for key in ["title", "body"] {
      let found = try context.names("Note", "\(key) SEARCH %@", query).joined()
      try expectEqual(found, wanted, "\(message) \(key) SEARCH \(query)")
    }
  }

  private static let words: [ConformanceCase] = [
    notes("words", "all words must occur, whatever their case, order and marks (T1, T3)") {
      for (query, wanted) in [
        ("goose", "acg"), ("wild goose", "ag"), ("GOOSE wIlD", "ag"), ("creme BRULEE", "d"),
        ("wild", "abg"), ("goos", ""), ("wild duck", ""), ("ｗｉｌｄ", "abg"), ("the", "ac"),
      ] { try expectFound($0, query, wanted) }
    },
    notes("prefixes", "a star after a word finds what begins so (T2)") {
      for (query, wanted) in [
        ("wild*", "abcg"), ("g*", "abcg"), ("goo* wi*", "acg"), ("brû*", "d"), ("x*", ""),
        ("*", ""), ("wild *", "abg"), ("*oose", ""),
      ] { try expectFound($0, query, wanted) }
    },
    notes("phrases", "words in quotation marks follow one another (T2)") {
      for (query, wanted) in [
        ("\"wild goose\"", "a"), ("\"wild goo*\"", "a"), ("\"goose wild\"*", "g"),
        ("\"goose in\" wild*", "c"), ("\"wild goose", "a"), ("wild-goose", "a"),
        ("\"the wilderness\"", "c"),
      ] { try expectFound($0, query, wanted) }
    },
    notes("nothing", "a search without a word finds nothing, and its negation all (T2, T3)") {
      for query in ["", "  ", "\"\"", "!?", "*"] {
        try expectFound($0, query, "", "no word")
        try expectEqual(
          try $0.context.names("Note", "NOT title SEARCH %@", query).count, titles.count)
      }
      try expectEqual(try $0.context.names("Note", "title SEARCH nil"), [])
      try expectEqual(
        try $0.context.names("Note", "NOT title SEARCH 'goose'").joined(), "bdef", "nil has none")
    },
    ConformanceCase(.search, "scripts", "words of several scripts are found (T1)") { stage in
      let stack = try stage.open(model())
      let texts: KeyValuePairs = [
        "a": "東京タワーへ行く", "b": "Ελληνικός ΛΌΓΟΣ", "c": "Привет, ёлка", "d": "مرحبا بالعالم",
        "e": "한국어 문장", "f": "สวัสดีครับ", "g": "Straße Nº 5 ﬁne", "h": "co\u{AD}operate e-mail 3.5",
        "i": "हिन्दी भाषा", "j": "e\u{301}te\u{301} 🦆duck",
      ]
      for (name, text) in texts {
        try stack.context.make("Note", ["name": name, "title": text, "body": text])
      }
      try stack.context.save()
      for (query, wanted) in [
        ("東京", "a"), ("京東", ""), ("タワ", "a"), ("λογος", "b"), ("елка", "c"), ("مرحبا", "d"),
        ("한국어", "e"), ("한국", ""), ("한국*", "e"), ("สวัสดี", "f"), ("STRASSE fine", "g"),
        ("cooperate", "h"), ("\"e mail\"", "h"), ("email", ""), ("3.5", "h"), ("हिन्दी", "i"),
        ("ete duck", "j"), ("é*", "hj"),
      ] { try expectFound(stack, query, wanted) }
    },
    ConformanceCase(.search, "long", "very long texts and words are searched whole (T1)") {
      stage in
      let stack = try stage.open(model())
      let text = (0..<30_000).map { "w\($0)" }.joined(separator: " ") + " end"
      let word = String(repeating: "ö", count: 3_000)
      for (name, title) in [("a", text), ("b", word + " tail"), ("c", "w1")] {
        try stack.context.make("Note", ["name": name, "title": title, "body": title])
      }
      try stack.context.save()
      for (query, wanted) in [
        ("w29999 end", "a"), ("w1", "ac"), (word, "b"), (String(word.prefix(64)), "b"),
        (String(word.prefix(63)), ""), (String(word.prefix(63)) + "*", "b"), ("tail", "b"),
      ] { try expectFound(stack, query, wanted) }
      try stack.context.named("Note", "a").set("title", "w1")
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Note", "title SEARCH 'w29999'"), [])
    },
  ]

  private static let places: [ConformanceCase] = [
    ConformanceCase(
      .search, "relationships",
      "a search leads through relationships, and stands in every condition (T3)"
    ) { stage in
      let stack = try stage.open(model())
      try fill(stack.context)
      let birds = try stack.context.make("Folder", ["name": "B", "label": "Wild birds"])
      let sweets = try stack.context.make("Folder", ["name": "S", "label": "Sweet dishes"])
      for name in ["a", "c"] { try stack.context.named("Note", name).set("folder", birds) }
      for name in ["b", "d"] { try stack.context.named("Note", name).set("folder", sweets) }
      try stack.context.save()
      try stack.readAnew()
      let context = stack.context
      func notes(_ format: String) throws -> String {
        try context.names("Note", format).joined()
      }
      try expectEqual(try notes("folder.label SEARCH 'bird*'"), "ac")
      try expectEqual(try notes("folder.label SEARCH 'dishes' AND title SEARCH 'wild'"), "b")
      try expectEqual(try notes("title SEARCH 'creme' OR body SEARCH 'wilderness'"), "cd")
      try expectEqual(try notes("title SEARCH 'creme' OR title SEARCH 'geese'"), "bd")
      try expectEqual(try notes("title SEARCH[cd] 'CRÈME' OR rank == 4"), "d")
      for (format, wanted) in [
        ("ANY notes.title SEARCH 'goose'", "B"), ("ALL notes.title SEARCH 'goose'", "B"),
        ("SUBQUERY(notes, $n, $n.title SEARCH 'geese').@count == 1", "S"),
        ("NONE notes.title SEARCH 'goose'", "S"),
      ] { try expectEqual(try context.names("Folder", format).joined(), wanted, format) }
    },
    ConformanceCase(
      .search, "subentities", "a search finds the records of subentities, or only them (T3)"
    ) { stage in
      let stack = try stage.open(model())
      try fill(stack.context)
      try stack.context.make("Memo", ["name": "m", "title": "Goose memo", "body": "goose memo"])
      try stack.context.save()
      try expectFound(stack, "goose", "acgm")
      try expectEqual(try stack.context.names("Memo", "title SEARCH 'goose'"), ["m"])
      let request = try stack.context.request("Note", "title SEARCH 'goose'", [])
      request.includesSubentities = false
      try expectEqual(try stack.context.count(for: request), 3, "without subentities")
    },
    ConformanceCase(
      .search, "several-stores", "several stores answer a search as one (T7)"
    ) { stage in
      let stack = try stage.open(
        model(), on: [try stage.makeStore(), try stage.makeReferenceStore()])
      let stores = stack.coordinator.persistentStores
      for (number, (name, title)) in titles.enumerated() {
        let note = try stack.context.make("Note", ["name": name, "title": title, "body": title])
        try stack.context.assign(note, to: stores[number % 2])
      }
      try stack.context.save()
      try stack.readAnew()
      try expectFound(stack, "wild goo*", "ag")
      let request = try stack.context.request("Note", "title SEARCH 'wild'", [])
      request.sortDescriptors = [.relevance("title", to: "wild"), SortOrdering("name")]
      func found() throws -> String {
        try stack.context.fetch(request).map { try $0.text("name") ?? "" }.joined()
      }
      try expectEqual(try found(), "bga")
      (request.fetchOffset, request.fetchLimit) = (1, 1)
      try expectEqual(try found(), "g")
    },
  ]
}
