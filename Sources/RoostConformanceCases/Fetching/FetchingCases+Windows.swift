// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension FetchingCases {
  /// A window over ten objects in order.
  private struct Window {
    let name: String
    let limit: Int
    let offset: Int
    let wanted: String

    init(_ name: String, limit: Int, offset: Int, _ wanted: String) {
      self.name = name
      self.limit = limit
      self.offset = offset
      self.wanted = wanted
    }
  }

  static let windows: [ConformanceCase] = windowRows.map(windowCase) + sorts

  private static let windowRows: [Window] = [
    Window("none", limit: 0, offset: 0, "abcdefghij"),
    Window("limit", limit: 3, offset: 0, "abc"),
    Window("offset", limit: 0, offset: 7, "hij"),
    Window("both", limit: 2, offset: 4, "ef"),
    Window("past-the-end", limit: 5, offset: 8, "ij"),
    Window("beyond-the-end", limit: 5, offset: 10, ""),
    Window("far-beyond", limit: 1, offset: 1000, ""),
    Window("limit-beyond", limit: 1000, offset: 0, "abcdefghij"),
    Window("one", limit: 1, offset: 9, "j"),
    Window("greatest", limit: .max, offset: 1, "bcdefghij"),
  ]

  private static func windowCase(_ window: Window) -> ConformanceCase {
    ConformanceCase(
      .fetching, "window.\(window.name)",
      "limit \(window.limit) and offset \(window.offset) apply after filter and sort (B125, B137)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      for letter in "jihgfedcba" {
        try stack.context.make("Sample", ["name": String(letter), "integer64": 1])
      }
      for _ in 0..<3 { try stack.context.make("Sample", ["name": "x", "integer64": 2]) }
      try stack.context.save()
      try stack.readAnew()
      for format in ["integer64 == 1", "string == nil AND integer64 == 1"] {
        let request = try stack.context.request("Sample", format, [])
        request.fetchLimit = window.limit
        request.fetchOffset = window.offset
        let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }
        try expectEqual(found.joined(), window.wanted, "the window of \(format)")
        try expectEqual(
          try stack.context.count(for: request), window.wanted.count, "the count of the window")
      }
    }
  }

  /// The names of the company's people in an order.
  private static func sorted(_ context: ManagedObjectContext, _ order: SortOrdering...) throws
    -> [String]
  {
    let request = FetchRequest<ManagedObject>(entityName: "Person")
    request.sortDescriptors = order
    return try context.fetch(request).map { try $0.text("name") ?? "" }
  }

  private static let sorts: [ConformanceCase] = [
    company("sort.nil-first", "nil comes first when ascending (value contract: NULL order)") {
      try expectEqual(
        try sorted($0, SortOrdering("age"), SortOrdering("name")),
        ["Cleo", "Bob", "Eve", "Ada", "Dan"])
    },
    company("sort.nil-last", "nil comes last when descending (value contract: NULL order)") {
      try expectEqual(
        try sorted($0, SortOrdering("age", ascending: false), SortOrdering("name")),
        ["Dan", "Ada", "Bob", "Eve", "Cleo"])
    },
    company("sort.two-keys", "the second order decides where the first is equal (B124)") {
      try expectEqual(
        try sorted($0, SortOrdering("age"), SortOrdering("name", ascending: false)),
        ["Cleo", "Eve", "Bob", "Ada", "Dan"])
    },
    company("sort.through-to-one", "an order goes through a to-one relationship (B124)") {
      try expectEqual(
        try sorted($0, SortOrdering("department.name"), SortOrdering("name")),
        ["Eve", "Ada", "Bob", "Cleo", "Dan"])
    },
    company("sort.two-steps", "an order goes through several to-one relationships (B124)") {
      try expectEqual(
        try sorted(
          $0, SortOrdering("manager.department.name", ascending: false), SortOrdering("name")),
        ["Dan", "Bob", "Cleo", "Ada", "Eve"])
    },
    company("sort.identity", "without an order the object ID orders (value contract: NULL order)") {
      let found = try $0.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
      let keys = found.map(\.objectID.key)
      try expectEqual(keys, keys.sorted(), "the keys of the people")
      try expectEqual(found.count, 5, "the number of people")
    },
    company("sort.ties", "the object ID breaks ties (value contract: NULL order)") {
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = [SortOrdering("age", ascending: false)]
      let young = try $0.fetch(request).filter { try $0.number("age") == 25 }
      try expectEqual(young.count, 2, "the number of people of 25")
      try expect(
        young[0].objectID.key < young[1].objectID.key, "the smaller key comes first in a tie")
    },
    ConformanceCase(
      .fetching, "sort.case-insensitive",
      "an order can leave case aside; bytes decide then (value contract: [c]/[cd])"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      for name in ["b", "B", "a", "C", "\u{E9}", "\u{C9}a"] {
        try stack.context.make("Sample", ["name": name])
      }
      try stack.context.save()
      try stack.readAnew()
      let request = FetchRequest<ManagedObject>(entityName: "Sample")
      request.sortDescriptors = [
        SortOrdering("name", comparator: .caseInsensitive), SortOrdering("name"),
      ]
      let found = try stack.context.fetch(request).map { try $0.text("name") ?? "" }
      try expectEqual(found, ["a", "B", "b", "C", "\u{E9}", "\u{C9}a"], "the order")
    },
    ConformanceCase(
      .fetching, "sort.window-of-ties",
      "pages of one order overlap nowhere and leave nothing out (B125)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      for index in 0..<25 {
        try stack.context.make("Sample", ["name": "\(index)", "integer16": index % 2])
      }
      try stack.context.save()
      try stack.readAnew()
      var seen: [String] = []
      for page in 0..<5 {
        let request = FetchRequest<ManagedObject>(entityName: "Sample")
        request.sortDescriptors = [SortOrdering("integer16", ascending: false)]
        request.fetchLimit = 5
        request.fetchOffset = page * 5
        seen += try stack.context.fetch(request).map { try $0.text("name") ?? "" }
      }
      let odd = stride(from: 1, to: 25, by: 2).map(String.init)
      let even = stride(from: 0, to: 25, by: 2).map(String.init)
      try expectEqual(seen, odd + even, "all pages")
    },
    ConformanceCase(
      .fetching, "sort.window-of-prefetching",
      "a window cuts what is found, and not what is read along with it (B125, B127)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let context = stack.context
      for name in ["A", "B", "C"] {
        let department = try context.make("Department", ["name": name])
        for number in 0..<5 {
          try context.make("Person", ["name": "\(name)\(number)", "department": department])
        }
      }
      try context.save()
      try stack.readAnew()
      let request = FetchRequest<ManagedObject>(entityName: "Department")
      request.sortDescriptors = [SortOrdering("name")]
      request.relationshipKeyPathsForPrefetching = ["people"]
      (request.fetchOffset, request.fetchLimit) = (1, 1)
      let found = try stack.context.fetch(request)
      try expectEqual(try found.map { try $0.text("name") }, ["B"], "the departments")
      let people = ["B0", "B1", "B2", "B3", "B4"]
      try expectEqual(try found.first?.names("people"), people, "its people")
      try expectEqual(
        try stack.context.names("Person", "department.name == 'B'"), people, "those of a condition")
    },
  ]
}
