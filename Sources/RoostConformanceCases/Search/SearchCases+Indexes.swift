// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// A searchable text beside the same text that is not declared: what an index finds is what a scan finds.
extension SearchCases {
  static let indexes: [ConformanceCase] = contents + versions

  /// Sets both texts of a note.
  private static func write(_ text: String?, to note: ManagedObject) throws {
    try note.set("title", text)
    try note.set("body", text)
  }

  private static let contents: [ConformanceCase] = [
    ConformanceCase(
      .search, "index.texts", "texts of every kind are found by an index as by a scan (T1, T2, T10)"
    ) { stage in
      let stack = try stage.open(model())
      let long = (0..<160_000).map { "x\($0 % 50_000)" }.joined(separator: " ")
      let texts: KeyValuePairs<String, String?> = [
        "a": "don't e-mail: \"O'Neil\" <a@b.org>; 100% (50/50) * ^NEAR +x -y", "b": "", "c": nil,
        "d": "Größe ß İstanbul ΣΊΣΥΦΟΣ", "e": long + " needle", "f": " \u{1} nul\u{B}byte \n\t",
        "g": "AND OR NOT NEAR title: words rowid", "h": "!?…—", "i": "日本語のテキスト",
      ]
      for (name, text) in texts {
        try write(text, to: stack.context.make("Note", ["name": name]))
      }
      try stack.context.save()
      for (query, wanted) in [
        ("don't", "a"), ("t don", "a"), ("\"t don\"", ""), ("o'neil", "a"), ("a@b.org", "a"),
        ("50/50", "a"), ("NEAR", "ag"), ("AND", "g"), ("\"and or not\"", "g"), ("title:words", "g"),
        ("row*", "g"), ("grosse", "d"), ("größe ss", "d"), ("istanbul", "d"), ("σισυφος", "d"),
        ("needle", "e"), ("x49999 needle", "e"), ("\"x1 x2\"", "e"), ("\"x2 x1\"", ""),
        ("needl* x4999*", "e"), ("byte", "f"), ("nul byte", "f"), ("テキスト", "i"), ("本*", "i"),
        ("!?", ""),
      ] { try expectFound(stack, query, wanted) }
    },
    notes("index.rollback", "what is taken back is not found, and what is undone is (T8, T10)") {
      stack in
      let context = stack.context
      context.undoManager = ChangeUndoManager()
      let note = try context.named("Note", "a")
      try write("tame duck", to: note)
      context.processPendingChanges()
      context.rollback()
      try expectFound(stack, "duck", "", "rolled back")
      try expectFound(stack, "wild goose", "ag", "rolled back")
      try write("tame duck", to: note)
      context.processPendingChanges()
      try context.save()
      try expectFound(stack, "duck", "a", "saved")
      context.undo()
      try context.save()
      try expectFound(stack, "duck", "", "undone")
      try expectFound(stack, "wild goose", "ag", "undone")
      context.delete(note)
      context.processPendingChanges()
      try context.save()
      try expectFound(stack, "wild goose", "g", "deleted")
      context.undo()
      try context.save()
      try expectFound(stack, "wild goose", "ag", "there again")
    },
    ConformanceCase(
      .search, "index.upserts", "texts that an insertion overwrites are found at once (T8, T10)",
      needs: [.uniqueness]
    ) { stage in
      let stack = try stage.open(model(unique: true))
      try fill(stack.context)
      let request = BatchInsertRequest(
        entityName: "Note",
        objects: [
          ["name": "a", "title": "swan", "body": "swan"],
          ["name": "n", "title": "swan new", "body": "swan new"],
          ["name": "b", "rank": 7],
        ])
      try stack.context.execute(request)
      try expectFound(stack, "swan", "an")
      try expectFound(stack, "goose", "cg")
      try expectFound(stack, "wild", "bg")
      let context = stack.makeContext()
      context.mergePolicy = .mergeByPropertyObjectTrump
      try write("eider", to: context.make("Note", ["name": "b"]))
      try context.save()
      try expectFound(stack, "eider", "b")
      try expectFound(stack, "wild", "g")
    },
    ConformanceCase(
      .search, "index.subentities", "each entity's own searchable texts are found (T3, T10)"
    ) { stage in
      var sketch = ModelSketch()
      let (title, extra, other) = (
        AttributeDescription.string("title"), AttributeDescription.string("extra"),
        AttributeDescription.string("extra")
      )
      for text in [title, extra, other] { text.isSearchable = true }
      sketch.add("Note", [.string("name"), title])
      sketch.add("Memo", [extra], parent: "Note")
      sketch.add("Card", [other], parent: "Note")
      let stack = try stage.open(sketch.make())
      let context = stack.context
      try context.make("Note", ["name": "n", "title": "wild"])
      try context.make("Memo", ["name": "m", "title": "wild", "extra": "goose"])
      try context.make("Card", ["name": "c", "title": "tame", "extra": "wild goose"])
      try context.save()
      let reader = stack.makeContext()
      for (entity, format, wanted) in [
        ("Note", "title SEARCH 'wild'", "mn"), ("Memo", "title SEARCH 'wild'", "m"),
        ("Memo", "extra SEARCH 'goose'", "m"), ("Card", "extra SEARCH 'goose'", "c"),
        ("Card", "extra SEARCH 'wild' AND title SEARCH 'tame'", "c"),
        ("Memo", "extra SEARCH 'wild'", ""), ("Card", "NOT extra SEARCH 'goose'", ""),
      ] {
        try expectEqual(try reader.names(entity, format).joined(), wanted, "\(entity) \(format)")
      }
    },
  ]

  // MARK: - Versions of the model

  private static let versions: [ConformanceCase] = [
    ConformanceCase(
      .search, "index.versions",
      "a migration takes the words along, or finds them anew (T8, T10)",
      needs: [.reopening, .evolution]
    ) { stage in
      let stack = try stage.open(model())
      try fill(stack.context)
      func expect(_ entity: String, _ key: String, _ name: String) throws {
        let context = stack.context
        func found(_ query: String) throws -> String {
          try context.names(entity, "\(key) SEARCH %@", query).joined()
        }
        try expectEqual(try found("wild goose"), "ag", name)
        let note = try context.named(entity, "d")
        try note.set(key, "\(name) swan")
        try context.make(entity, ["name": "x", key: "swan"])
        try context.save()
        try expectEqual(try found("swan"), "dx", name)
        try expectEqual(try found(name), "d", name)
        context.delete(try context.named(entity, "x"))
        try context.save()
        try expectEqual(try found("swan"), "d", name)
      }
      try expect("Note", "title", "first")
      try stack.reopen(
        model: model { $0.declaredProperties.append(AttributeDescription.string("more")) })
      try expect("Note", "title", "wider")
      try stack.reopen(model: model { $0.rename("title", to: "heading") })
      try expect("Note", "heading", "renamed")
      try stack.reopen(
        model: model(entity: "Page") {
          $0.rename("title", to: "heading")
          $0.attribute("heading").renamingIdentifier = "heading"
          $0.renamingIdentifier = "Note"
        })
      try expect("Page", "heading", "elsewhere")
      try stack.reopen(
        model: model(entity: "Page") {
          $0.drop("title")
          let fresh = AttributeDescription.string("fresh")
          fresh.isSearchable = true
          $0.declaredProperties.append(fresh)
        })
      try expectEqual(try stack.context.names("Page", "fresh SEARCH 'wild'"), [])
      try expectEqual(try stack.context.names("Page", "body SEARCH 'wild goose'").joined(), "ag")
      try stack.context.named("Page", "a").set("fresh", "wild")
      try stack.context.save()
      try expectEqual(try stack.makeContext().names("Page", "fresh SEARCH 'wild'"), ["a"])
    },
    ConformanceCase(
      .search, "index.swap", "texts that exchange their names exchange their words (T8, T10)",
      needs: [.reopening, .evolution]
    ) { stage in
      let stack = try stage.open(model { $0.attribute("body").isSearchable = true })
      try stack.context.make("Note", ["name": "a", "title": "wild", "body": "tame"])
      try stack.context.save()
      try stack.reopen(
        model: model {
          $0.attribute("body").isSearchable = true
          let (title, body) = ($0.attribute("title"), $0.attribute("body"))
          (title.name, body.name) = ("body", "title")
          (title.renamingIdentifier, body.renamingIdentifier) = ("title", "body")
          $0.versionHashModifier = "2"
        })
      for (format, wanted) in [
        ("title SEARCH 'tame'", "a"), ("body SEARCH 'wild'", "a"), ("title SEARCH 'wild'", ""),
      ] { try expectEqual(try stack.context.names("Note", format).joined(), wanted, format) }
    },
  ]
}
