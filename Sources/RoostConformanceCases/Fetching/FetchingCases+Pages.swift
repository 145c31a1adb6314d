// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// Keyset pagination: all pages together are the results of the whole request (B124, B125).
extension FetchingCases {
  static let pages: [ConformanceCase] =
    SampleModel.types.map { pagesByType($0) }
    + [pagesByNothing, pagesByTwo, pagesWithoutCase, pagesByDestination, pagesByEntity]
    + [pagesOfMoving, pagesOfPending, pagesOfUnsaved, pagesOfOthers, orderOfKeys]

  /// The objects of all pages of a request, each cursor encoded and decoded between two pages.
  static func paged(
    _ request: FetchRequest<ManagedObject>, in context: ManagedObjectContext, size: Int
  ) throws -> [ManagedObject] {
    var found: [ManagedObject] = []
    var cursor: FetchCursor?
    repeat {
      let page = try context.page(request, after: cursor, size: size)
      try expect(page.objects.count <= size, "a page of \(size) has \(page.objects.count) objects")
      found += page.objects
      cursor = try page.next.map { next in
        try expectEqual(page.objects.count, size, "a page that another one follows")
        return try JSONDecoder().decode(FetchCursor.self, from: JSONEncoder().encode(next))
      }
    } while cursor != nil
    return found
  }

  private static func expectPages(
    _ request: FetchRequest<ManagedObject>, in context: ManagedObjectContext,
    sizes: [Int] = [1, 2, 5, 100]
  ) throws {
    let wanted = try context.fetch(request).map(\.objectID)
    for size in sizes {
      let found = try paged(request, in: context, size: size).map(\.objectID)
      try expectEqual(found, wanted, "the pages of \(size) of \(request)")
    }
  }

  // MARK: Orders

  private static func pagesByType(_ type: AttributeType) -> ConformanceCase {
    ConformanceCase(
      .fetching, "page.\(type.description)",
      "pages by \(type.description) leave nothing out, nil and ties included (B124, B125)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      for index in 0..<14 {
        let sample = try stack.context.make("Sample", ["name": "\(index)"])
        let value = values(of: type)[index % 4]
        if !value.isNull { try sample.set(type.description, value.anyValue) }
      }
      try stack.context.save()
      try stack.readAnew()
      for ascending in [true, false] {
        let request = FetchRequest<ManagedObject>(entityName: "Sample")
        request.sortDescriptors = [SortOrdering(type.description, ascending: ascending)]
        try expectPages(request, in: stack.context)
      }
    }
  }

  /// nil and three values of a type.
  private static func values(of type: AttributeType) -> [Value] {
    let three: [Value] =
      switch type {
      case .integer16, .integer32, .integer64: [.integer(-3), .integer(0), .integer(7)]
      case .decimal: ["-0.1", "12345678901234567890.12", "2"].map { decimal($0) }
      case .double: [.double(-0.1), .double(.infinity), .double(1.0 / 3)]
      case .float: [.double(-0.5), .double(3), .double(Double(Float(0.1)))]
      case .boolean: [.boolean(true), .boolean(false), .boolean(true)]
      case .date: [-1.1, 0, 1.0 / 3].map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case .binaryData: [.data(Data()), .data(Data([0])), .data(Data([0, 255]))]
      case .uuid: [0, 128, 255].map { .uuid(UUID(uuid: bytes($0))) }
      case .uri: ["a:b", "http://x/?a=1", "z:"].compactMap { URL(string: $0).map(Value.uri) }
      default: [.string(""), .string("\u{E9}'\""), .string("Z")]
      }
    return [.null] + three
  }

  private static func decimal(_ text: String) -> Value {
    Decimal(string: text).map(Value.decimal) ?? .null
  }

  private static func bytes(_ first: UInt8) -> uuid_t {
    (first, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  }

  private static let pagesByNothing = company(
    "page.identity", "pages without an order are in that of the object IDs (B125)"
  ) { context in
    let request = FetchRequest<ManagedObject>(entityName: "Person")
    try expectPages(request, in: context)
    request.sortDescriptors = [SortOrdering("SELF", ascending: false)]
    try expectPages(request, in: context)
    request.predicate = try FetchPredicate(format: "age == 25", argumentArray: [])
    request.sortDescriptors = [SortOrdering("age", ascending: false)]
    try expectPages(request, in: context)
  }

  private static let pagesByTwo = ConformanceCase(
    .fetching, "page.several-keys", "pages by several keys go on where all are equal (B124, B125)"
  ) { stage in
    let stack = try stage.open(SampleModel.make())
    for index in 0..<27 {
      let sample = try stack.context.make("Sample")
      if index % 3 > 0 { try sample.set("name", "\(index % 3)") }
      if index / 3 % 3 > 0 { try sample.set("integer16", index / 3 % 3) }
    }
    try stack.context.save()
    try stack.readAnew()
    for (first, second) in [(true, true), (true, false), (false, true), (false, false)] {
      let request = FetchRequest<ManagedObject>(entityName: "Sample")
      request.sortDescriptors = [
        SortOrdering("name", ascending: first), SortOrdering("integer16", ascending: second),
      ]
      try expectPages(request, in: stack.context, sizes: [1, 4])
    }
  }

  private static let pagesWithoutCase = ConformanceCase(
    .fetching, "page.case-insensitive",
    "pages can leave case aside (B125; value contract: [c]/[cd])"
  ) { stage in
    let stack = try stage.open(SampleModel.make())
    for name in ["b", "B", "a", "A", "C", "\u{E9}", "\u{C9}", ""] {
      try stack.context.make("Sample", ["name": name])
    }
    try stack.context.make("Sample")
    try stack.context.save()
    try stack.readAnew()
    for ascending in [true, false] {
      let request = FetchRequest<ManagedObject>(entityName: "Sample")
      request.sortDescriptors = [
        SortOrdering("name", ascending: ascending, comparator: .caseInsensitive)
      ]
      try expectPages(request, in: stack.context)
      request.sortDescriptors?.append(SortOrdering("name", ascending: false))
      try expectPages(request, in: stack.context)
    }
  }

  private static let pagesByDestination = company(
    "page.to-one", "pages go by what lies behind a to-one relationship (B124, B125)"
  ) { context in
    for ascending in [true, false] {
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = [
        SortOrdering("department.name", ascending: ascending), SortOrdering("age"),
      ]
      try expectPages(request, in: context)
    }
  }

  private static let pagesByEntity = ConformanceCase(
    .fetching, "page.subentities", "pages have the objects of subentities (B125)"
  ) { stage in
    let stack = try stage.open(UniqueModel.make())
    for index in 0..<9 {
      let name = ["Account", "Staff", "Guest"][index % 3]
      try stack.context.make(name, ["name": "\(index % 2)", "email": "\(index)"])
    }
    try stack.context.save()
    try stack.readAnew()
    let request = FetchRequest<ManagedObject>(entityName: "Account")
    try expectPages(request, in: stack.context)
    request.sortDescriptors = [SortOrdering("name", ascending: false)]
    try expectPages(request, in: stack.context)
  }

  // MARK: Changes

  private static let pagesOfMoving = ConformanceCase(
    .fetching, "page.changes",
    "what others insert and delete moves nothing else from page to page (B125)"
  ) { stage in
    let stack = try stage.open(SampleModel.make())
    for index in 0..<9 {
      try stack.context.make("Sample", ["name": "\(index)", "integer16": index / 3])
    }
    try stack.context.save()
    try stack.readAnew()
    let request = FetchRequest<ManagedObject>(entityName: "Sample")
    request.sortDescriptors = [SortOrdering("integer16")]
    func names(_ page: FetchPage<ManagedObject>) throws -> [String] {
      try page.objects.map { try $0.text("name") ?? "" }
    }
    let first = try stack.context.page(request, size: 5)
    try expectEqual(try names(first), ["0", "1", "2", "3", "4"], "the first page")
    let other = stack.makeContext()
    for name in ["0", "4", "6"] { other.delete(try other.named("Sample", name)) }
    try other.make("Sample", ["name": "before", "integer16": 0])
    try other.make("Sample", ["name": "tie", "integer16": 1])
    try other.save()
    let second = try stack.context.page(request, after: first.next, size: 2)
    try expectEqual(try names(second), ["5", "tie"], "the second page")
    let third = try stack.context.page(request, after: second.next, size: 9)
    try expectEqual(try names(third), ["7", "8"], "the third page")
    try expect(third.next == nil, "nothing follows")
  }

  private static let pagesOfUnsaved = ConformanceCase(
    .fetching, "page.of-unsaved",
    "pages in the order of the objects have unsaved ones after all others (B121, B124, B125)"
  ) { stage in
    let stack = try stage.open(SampleModel.make())
    for index in 0..<20 { try stack.context.make("Sample", ["name": "\(index)"]) }
    try stack.context.save()
    let names = (0..<20).map { "\($0)" } + ["new 0", "new 1", "new 2"]
    for index in 0..<3 { try stack.context.make("Sample", ["name": "new \(index)"]) }
    for ascending in [true, false] {
      let request = FetchRequest<ManagedObject>(entityName: "Sample")
      request.sortDescriptors = [SortOrdering("SELF", ascending: ascending)]
      let found = try stack.context.fetch(request).map { try $0.text("name") ?? "-" }
      try expectEqual(found, ascending ? names : names.reversed(), "all of them")
      for size in [1, 4, 7, 100] {
        // The cursor of an unsaved object cannot be encoded.
        var paged: [String] = []
        var cursor: FetchCursor?
        repeat {
          let page = try stack.context.page(request, after: cursor, size: size)
          paged += try page.objects.map { try $0.text("name") ?? "-" }
          cursor = page.next
        } while cursor != nil && paged.count < 2 * names.count
        try expectEqual(paged, found, "the pages of \(size)")
      }
    }
  }

  private static let pagesOfPending = company(
    "page.pending", "pages show unsaved changes, new objects behind their equals (B121, B125)"
  ) { context in
    try context.make("Person", ["name": "Fay", "age": 25])
    try context.make("Person", ["name": "Gus"])
    try context.make("Person", ["name": "Hal", "age": 25])
    try context.named("Person", "Dan").set("age", 25)
    context.delete(try context.named("Person", "Ada"))
    for order in [[SortOrdering("age")], [SortOrdering("age", ascending: false)], []] {
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.sortDescriptors = order
      let wanted = try context.fetch(request).map(\.objectID)
      var found: [ObjectID] = []
      var cursor: FetchCursor?
      repeat {
        let page = try context.page(request, after: cursor, size: 2)
        found += page.objects.map(\.objectID)
        cursor = page.next
      } while cursor != nil
      try expectEqual(found, wanted, "the pages by \(order.map(\.key))")
    }
  }

  private static let pagesOfOthers = company(
    "page.stale", "a page goes on from the values that the store has, not from older ones (B145)"
  ) { context in
    let known = try context.all("Person")
    for person in known { _ = try person.number("age") }
    let other = ManagedObjectContext(
      .privateQueue, coordinator: try require(context.persistentStoreCoordinator))
    for person in try other.all("Person") {
      try person.set("age", 100 - (try person.number("age") ?? 0))
    }
    try other.save()
    let request = FetchRequest<ManagedObject>(entityName: "Person")
    request.sortDescriptors = [SortOrdering("age")]
    let found = try paged(request, in: context, size: 1).map(\.objectID)
    try expectEqual(found, try other.fetch(request).map(\.objectID), "the pages")
  }

  private static let orderOfKeys = company(
    "page.key-order", "SELF is compared with an ID by the order that breaks ties (B124)"
  ) { context in
    let request = FetchRequest<ManagedObject>(entityName: "Person")
    let ids = try context.fetch(request).map(\.objectID)
    for (place, id) in ids.enumerated() {
      for (comparison, wanted) in [
        ("SELF > %@", ids[(place + 1)...]), ("SELF >= %@", ids[place...]),
        ("SELF < %@", ids[..<place]), ("%@ >= SELF", ids[...place]),
      ] {
        request.predicate = try FetchPredicate(format: comparison, argumentArray: [id])
        try expectEqual(
          try context.fetch(request).map(\.objectID), Array(wanted), "\(comparison) of \(place)")
        try expectEqual(try context.count(for: request), wanted.count, "the count")
      }
    }
    request.predicate = try FetchPredicate(format: "department > %@", argumentArray: [ids[0]])
    try expectError(.invalidRequest, "an order of destinations") { _ = try context.fetch(request) }
  }
}
