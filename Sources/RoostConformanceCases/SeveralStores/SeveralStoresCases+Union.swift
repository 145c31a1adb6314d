// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension SeveralStoresCases {
  static let union: [ConformanceCase] = [
    mixed("fetch", "a fetch covers all stores, in one order, without duplicates (B233, B136)") {
      stack, first, second in
      try spread(stack, first, second)
      try expectEqual(try stack.context.names("Tag"), (0..<10).map { "t\($0)" })
      try expectEqual(try stack.context.names("Tag", "size > 6"), ["t7", "t8", "t9"])
      let request = try stack.context.request("Tag", "size %% 2 == 0", [])
      try expectEqual(try stack.context.count(for: request), 5)
    },
    mixed("windows", "limit and offset apply once, over all stores (B125, B136)") {
      stack, first, second in
      try spread(stack, first, second)
      for offset in 0..<11 {
        for limit in [1, 3, 10] {
          let request = try stack.context.request("Tag", nil, [])
          request.fetchOffset = offset
          request.fetchLimit = limit
          let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }
          let wanted = (0..<10).map { "t\($0)" }.dropFirst(offset).prefix(limit)
          try expectEqual(found, Array(wanted), "offset \(offset), limit \(limit)")
          try expectEqual(try stack.context.count(for: request), wanted.count, "the count")
        }
      }
    },
    mixed("descending", "a descending order over several stores has nil last (B124)") {
      stack, first, second in
      try spread(stack, first, second)
      for store in [first, second] {
        let tag = try stack.context.make("Tag", ["name": "nil"])
        try stack.context.assign(tag, to: store)
      }
      try stack.context.save()
      let request = FetchRequest<ManagedObject>(entityName: "Tag")
      request.sortDescriptors = [SortOrdering("size", ascending: false), SortOrdering("name")]
      let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(found, (0..<10).reversed().map { "t\($0)" } + ["nil", "nil"])
    },
    mixed("affected", "a fetch can be narrowed to some stores (B136)") { stack, first, second in
      try spread(stack, first, second)
      let request = try stack.context.request("Tag", nil, [])
      request.affectedStoreIdentifiers = [second.identity.identifier]
      let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(found, ["t1", "t3", "t5", "t7", "t9"])
      try expectEqual(try stack.context.count(for: request), 5)
      request.affectedStoreIdentifiers = []
      try expectEqual(try stack.context.fetch(request).count, 0, "what no store has")
    },
    mixed("affected-unsaved", "unsaved changes of other stores stay out of it (B121, B136)") {
      stack, first, second in
      try spread(stack, first, second)
      let context = stack.context
      let request = try context.request("Tag", "size >= 0", [])
      try context.named("Tag", "t1").set("name", "u1")
      try context.named("Tag", "t2").set("name", "u2")
      for store in [first, second] {
        let tag = try context.make(
          "Tag", ["name": store.identity === first.identity ? "v1" : "v2", "size": 1])
        try context.assign(tag, to: store)
      }
      try context.make("Tag", ["name": "w", "size": 1])
      request.affectedStoreIdentifiers = [second.identity.identifier]
      let found = try context.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(found.sorted(), ["t3", "t5", "t7", "t9", "u1", "v2"])
      try expectEqual(try context.count(for: request), 6)
      let child = ManagedObjectContext(.privateQueue, parent: context)
      try expectEqual(try child.count(for: request), 6, "the child's answer")
      request.affectedStoreIdentifiers = [first.identity.identifier]
      let others = try context.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(others.sorted(), ["t0", "t4", "t6", "t8", "u2", "v1", "w"])
    },
    mixed("dictionaries", "groups and aggregates span all stores (B134, B233)") {
      stack, first, second in
      try spread(stack, first, second)
      let request = FetchRequest<[String: Any]>(entityName: "Tag")
      request.propertiesToFetch = [
        ExpressionDescription(
          name: "sum", expression: FetchExpression.function(.sum, [.keyPath(["size"])]),
          resultType: .integer64),
        ExpressionDescription(
          name: "n", expression: FetchExpression.function(.count, [.keyPath(["name"])]),
          resultType: .integer64),
      ]
      let found = try stack.context.fetch(request)
      try expectEqual(found.map { whole($0["sum"]) }, [45], "the sum")
      try expectEqual(found.map { whole($0["n"]) }, [10], "the count")
    },
    mixed("ids", "IDs of several stores come in one order (B130, B233)") { stack, first, second in
      try spread(stack, first, second)
      let request = FetchRequest<ObjectID>(entityName: "Tag")
      request.sortDescriptors = [SortOrdering("size", ascending: false)]
      let ids = try stack.context.fetch(request)
      try expectEqual(ids.count, 10, "the number of IDs")
      try expectEqual(Set(ids).count, 10, "the number of different IDs")
      let first = try stack.context.existingObject(with: ids[0])
      try expectEqual(try first.text("name"), "t9")
    },
    mixed("pending", "unsaved objects are merged with those of all stores (B121, B233)") {
      stack, first, second in
      try spread(stack, first, second)
      try stack.context.make("Tag", ["name": "t45", "size": 4])
      stack.context.delete(try stack.context.named("Tag", "t5"))
      let request = try stack.context.request("Tag", nil, [])
      request.fetchOffset = 4
      request.fetchLimit = 3
      let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(found, ["t4", "t45", "t6"])
    },
  ]

  /// Ten tags, even ones in the first store, odd ones in the second.
  private static func spread(
    _ stack: ConformanceStack, _ first: any PersistentStore, _ second: any PersistentStore
  ) throws {
    for index in 0..<10 {
      let tag = try stack.context.make("Tag", ["name": "t\(index)", "size": index])
      try stack.context.assign(tag, to: index % 2 == 0 ? first : second)
    }
    try stack.context.save()
    stack.context.reset()
  }
}
