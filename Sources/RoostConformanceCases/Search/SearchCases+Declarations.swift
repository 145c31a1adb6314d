// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Declarations of searchable attributes, and invalid searches.
extension SearchCases {
  static let declarations: [ConformanceCase] = [
    ConformanceCase(
      .search, "declaring", "a declaration that comes or goes changes no answer (T9, T10)",
      needs: [.reopening]
    ) { stage in
      let stack = try stage.open(model(isSearchable: false))
      try fill(stack.context)
      for (round, isSearchable) in [true, false, true, true].enumerated() {
        try stack.reopen(model: model(isSearchable: isSearchable))
        try expectFound(stack, "wild goose", "ag", "\(round)")
        try expectFound(stack, "new", (0..<round).map { "n\($0)" }.joined(), "\(round)")
        try stack.context.make(
          "Note", ["name": "n\(round)", "title": "new one", "body": "new one"])
        let note = try stack.context.named("Note", "d")
        try note.set("title", "round \(round)")
        try note.set("body", "round \(round)")
        try stack.context.save()
        try expectFound(stack, "round \(round)", "d")
        try expectFound(stack, "creme", "")
      }
    },
    notes("explain", "explain says how a search is answered (T10, T11)") { stack in
      for key in ["title", "body"] {
        let plan = try stack.context.explain(
          try stack.context.request("Note", "\(key) SEARCH 'goose'", []))
        try expect(!plan.description.isEmpty, "the plan of \(key)")
      }
    },
    ConformanceCase(.search, "texts-only", "only stored texts are searchable (T9)") { stage in
      func model(_ change: (AttributeDescription) -> Void) -> ManagedObjectModel {
        var sketch = ModelSketch()
        let attribute = AttributeDescription.string("title")
        attribute.isSearchable = true
        change(attribute)
        sketch.add("Note", [.string("name"), attribute])
        return sketch.make()
      }
      try expectError(.invalidModel, "a number") {
        _ = try stage.open(model { $0.type = .integer64 })
      }
      try expectError(.invalidModel, "a transient text") {
        _ = try stage.open(model { $0.isTransient = true })
      }
    },
  ]

  static let refusals: [ConformanceCase] = [
    notes("refusals", "what cannot be searched is a typed error (T3, T12)") { stack in
      let context = stack.context
      let many = (0...SearchQuery.largestWordCount).map { "w\($0)" }.joined(separator: " ")
      for (code, format) in [
        (.invalidValue, "rank SEARCH 'a'"), (.invalidValue, "title SEARCH 5"),
        (.invalidRequest, "title SEARCH body"), (.invalidRequest, "title SEARCH[l] 'a'"),
        (.limitExceeded, "title SEARCH '\(many)'"), (.unknownKey, "nothing SEARCH 'a'"),
      ] as [(PersistenceError.Code, String)] {
        try expectRefused(code, format) { _ = try context.names("Note", format) }
      }
      for (code, key, query) in [
        (.invalidRequest, "rank", "a"), (.limitExceeded, "title", many),
        (.unknownKey, "nothing", "a"),
      ] as [(PersistenceError.Code, String, String)] {
        let request = try context.request("Note", nil, [])
        request.sortDescriptors = [.relevance(key, to: query)]
        try expectRefused(code, "the order of \(key)") { _ = try context.fetch(request) }
      }
      try expectEqual(try context.names("Note", "title SEARCH 'wild'").joined(), "abg", "after")
    }
  ]

  private static func expectRefused(
    _ code: PersistenceError.Code, _ what: String, _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as PersistenceError {
      return try expectEqual(error.code, code, what)
    }
    try expect(false, "\(what) is refused")
  }
}
