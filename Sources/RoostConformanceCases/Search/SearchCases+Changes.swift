// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

// Changes of texts, and their effect on searches.
extension SearchCases {
  static let changes: [ConformanceCase] = [
    notes("pending", "unsaved texts are searched as saved ones (T4)") { stack in
      let context = stack.context
      try context.named("Note", "a").set("title", "tame duck")
      try context.named("Note", "d").set("title", "wild goose")
      context.delete(try context.named("Note", "g"))
      try context.make("Note", ["name": "x", "title": "Goose, wild"])
      try expectEqual(try context.names("Note", "title SEARCH 'wild goose'").joined(), "dx")
      try expectEqual(try context.names("Note", "title SEARCH 'duck'").joined(), "a")
      context.rollback()
      try expectEqual(try context.names("Note", "title SEARCH 'wild goose'").joined(), "ag")
    },
    notes("saves", "updates and deletions that are saved are found at once (T8)") { stack in
      let context = stack.context
      let note = try context.named("Note", "a")
      for (title, wanted) in [
        ("wild wild duck", "a"), ("duck", "a"), (nil, ""), ("a duck again", "a"), ("", ""),
      ] {
        try note.set("title", title)
        try note.set("body", title)
        try context.save()
        try expectFound(stack, "duck", wanted, title ?? "nil")
        try expectFound(stack, "wild", title == "wild wild duck" ? "abg" : "bg", title ?? "nil")
      }
      context.delete(try context.named("Note", "b"))
      try context.save()
      try expectFound(stack, "wild*", "cg")
    },
    notes("conflicts", "a save that fails leaves what is found as it was (T8)") { stack in
      let (first, second) = (stack.makeContext(), stack.makeContext())
      let (one, two) = (try first.named("Note", "a"), try second.named("Note", "a"))
      try one.set("title", "duck")
      try one.set("body", "duck")
      try two.set("title", "swan")
      try second.make("Note", ["name": "x", "title": "swan"])
      try first.save()
      try expectError(.managedObjectMerge, "the conflict") { try second.save() }
      try expectFound(stack, "swan", "")
      try expectFound(stack, "duck", "a")
      second.mergePolicy = .mergeByPropertyObjectTrump
      try second.save()
      try expectEqual(
        try stack.makeContext().names("Note", "title SEARCH 'swan'").joined(), "ax")
      try expectEqual(try stack.makeContext().names("Note", "title SEARCH 'duck'"), [])
    },
    notes("batches", "batch requests of every kind are followed (T8)") { stack in
      func update(_ values: [String: Any], _ format: String) throws {
        let request = BatchUpdateRequest(entityName: "Note")
        request.predicate = try FetchPredicate(format)
        request.propertiesToUpdate = values
        try stack.context.execute(request)
      }
      try update(["title": "duck", "body": "duck"], "title SEARCH 'wild goose'")
      try expectFound(stack, "duck", "ag")
      try expectFound(stack, "wild", "b")
      try update(
        ["title": try FetchExpression(format: "body"), "rank": 1], "name == 'a'")
      try expectFound(stack, "duck", "ag")
      try update(["title": try FetchExpression(format: "uppercase(name)")], "name == 'c'")
      try expectEqual(try stack.makeContext().names("Note", "title SEARCH 'c'"), ["c"])
      try update(["title": "again", "body": "again"], "name == 'c'")
      let insertion = BatchInsertRequest(
        entityName: "Note",
        objects: (0..<5).map { number in
          ["name": "n\(number)", "title": "swan \(number)", "body": "swan \(number)"]
        })
      try stack.context.execute(insertion)
      try expectFound(stack, "swan", "n0n1n2n3n4")
      try expectFound(stack, "swan 3", "n3")
      let deletion = BatchDeleteRequest(
        fetchRequest: try stack.context.request("Note", "title SEARCH 'swan' AND name < 'n3'", []))
      try stack.context.execute(deletion)
      try expectFound(stack, "swan", "n3n4")
      try expectFound(stack, "again", "c")
    },
    notes("batches.ids", "a deletion by IDs takes the words with it (T8)") { stack in
      let ids = try stack.context.all("Note", "title SEARCH 'goose'").map(\.objectID)
      try stack.context.execute(BatchDeleteRequest(objectIDs: ids))
      try expectFound(stack, "goose", "")
      try expectFound(stack, "wild", "b")
    },
  ]

  /// Random texts of few words, so that searches find some of them.
  private struct Texts {
    var numbers: SplitMix64
    private static let words = [
      "wild", "Wilder", "goose", "GEESE", "göose", "the", "a", "東京", "タワー", "e-mail", "don't", "x1",
      "ﬁne", "🦆", "--", "longerword", "long",
    ]

    mutating func text(_ most: Int) -> String? {
      let count = numbers.below(most + 1)
      if count == 0 { return numbers.below(2) == 0 ? nil : "" }
      return (0..<count).map { _ in Self.words[numbers.below(Self.words.count)] }
        .joined(separator: numbers.below(3) == 0 ? ", " : " ")
    }

    mutating func query() -> String {
      var query = text(3) ?? "wild"
      switch numbers.below(4) {
      case 0: query = String(query.prefix(1 + numbers.below(4))) + "*"
      case 1: query = "\"\(query)\""
      default: break
      }
      return query
    }
  }

  static let questions: [ConformanceCase] = (1...4).map { seed in
    ConformanceCase(
      .search, "random-\(seed)",
      "random searches find and rank what the evaluator does in memory (T5, T6, T8)"
    ) { stage in
      let stack = try stage.open(model())
      var texts = Texts(numbers: SplitMix64(seed: UInt64(seed)))
      var content: [String: String?] = [:]
      for round in 0..<4 {
        for number in 0..<30 {
          let name = "n\(round)-\(10 + number)"
          content[name] = .some(texts.text(6))
          try stack.context.make("Note", ["name": name, "title": content[name] ?? nil])
        }
        for name in content.keys.sorted() where texts.numbers.below(5) == 0 {
          guard let note = try stack.context.all("Note", "name == %@", name).first else { continue }
          if texts.numbers.below(3) == 0 {
            stack.context.delete(note)
            content[name] = nil
          } else {
            content[name] = .some(texts.text(6))
            try note.set("title", content[name] ?? nil)
          }
        }
        if round.isMultiple(of: 2) { try stack.context.save() }
        for _ in 0..<25 {
          let text = texts.query()
          let query = SearchQuery(text)
          let matches = content.filter { query.matches($0.value ?? "") }.keys.sorted()
          try expectEqual(try stack.context.names("Note", "title SEARCH %@", text), matches, text)
          let scores = content.mapValues { query.score(of: $0 ?? "") }
          let best = content.keys.sorted {
            let (left, right) = (scores[$0] ?? 0, scores[$1] ?? 0)
            return left == right ? $0 < $1 : left > right
          }
          let request = try stack.context.request("Note", nil, [])
          request.sortDescriptors = [.relevance("title", to: text), SortOrdering("name")]
          request.fetchLimit = 10
          try expectEqual(
            try stack.context.fetch(request).map { try $0.text("name") ?? "" },
            Array(best.prefix(10)), "the best of \(text)")
        }
      }
    }
  }
}
