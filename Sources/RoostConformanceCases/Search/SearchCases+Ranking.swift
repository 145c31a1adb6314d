// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// The order of scores.
extension SearchCases {
  /// Returns the names of the matches, best first.
  static func ranked(
    _ context: ManagedObjectContext, _ query: String, condition: Bool = true, limit: Int = 0,
    offset: Int = 0, ties: SortOrdering = SortOrdering("name")
  ) throws -> String {
    let request = try context.request("Note", condition ? "title SEARCH %@" : nil, [query])
    request.sortDescriptors = [.relevance("title", to: query), ties]
    (request.fetchLimit, request.fetchOffset) = (limit, offset)
    return try context.fetch(request).map { try $0.text("name") ?? "" }.joined()
  }

  static let ranking: [ConformanceCase] = [
    notes("rank", "the best answers come first, ties as the next step says (T5, T6)") { stack in
      let context = stack.makeContext()
      // Twice in three words, once in two, once in three.
      try expectEqual(try ranked(context, "wild"), "bga")
      try expectEqual(try ranked(context, "wild goose"), "ga")
      try expectEqual(try ranked(context, "goose"), "gac")
      try expectEqual(
        try ranked(context, "wild", condition: false), "bgacdef", "what does not match is last")
      try expectEqual(
        try ranked(context, "no", condition: false, ties: SortOrdering("name", ascending: false)),
        "gfedcba", "all the same")
    },
    notes("rank.window", "limit and offset count in the order of scores (T6)") { stack in
      let context = stack.makeContext()
      try expectEqual(try ranked(context, "wild", limit: 1), "b")
      try expectEqual(try ranked(context, "wild", limit: 1, offset: 1), "g")
      try expectEqual(try ranked(context, "wild", offset: 2), "a")
      try expectEqual(try ranked(context, "wild", condition: false, limit: 4, offset: 2), "acde")
    },
    notes("rank.pending", "unsaved texts have their place among saved ones (T4, T6)") { stack in
      let context = stack.context
      try context.make("Note", ["name": "x", "title": "wild"])
      try context.named("Note", "b").set("title", "wild and so many other words than that")
      context.delete(try context.named("Note", "a"))
      try expectEqual(try ranked(context, "wild"), "xgb")
      try expectEqual(try ranked(context, "wild", limit: 2), "xg")
      try context.save()
      try expectEqual(try ranked(stack.makeContext(), "wild"), "xgb", "saved")
    },
    notes("rank.child", "a child context searches what its parent has (T4, T6)") { stack in
      try stack.context.make("Note", ["name": "x", "title": "wild"])
      let child = ManagedObjectContext(.privateQueue, parent: stack.context)
      try child.performAndWait {
        try child.make("Note", ["name": "y", "title": "wild wild"])
        try expectEqual(try ranked(child, "wild"), "ybxga")
        try expectEqual(try child.names("Note", "title SEARCH 'wild'").joined(), "abgxy")
        child.rollback()
        try expectEqual(try child.names("Note", "title SEARCH 'wild'").joined(), "abgx")
      }
    },
    ConformanceCase(
      .search, "rank.path", "texts at the end of to-one relationships are ranked (T6)"
    ) { stage in
      let stack = try stage.open(model())
      try fill(stack.context)
      for (number, label) in ["goose", "goose and duck", "duck"].enumerated() {
        let folder = try stack.context.make("Folder", ["name": label, "label": label])
        try stack.context.named("Note", titles[2 - number].name).set("folder", folder)
      }
      try stack.context.save()
      let request = try stack.makeContext().request("Note", nil, [])
      request.sortDescriptors = [.relevance("folder.label", to: "goose"), SortOrdering("name")]
      request.fetchLimit = 3
      let context = stack.makeContext()
      try expectEqual(
        try context.fetch(request).map { try $0.text("name") ?? "" }.joined(), "cba")
    },
  ]
}
