// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostSQLite
import Testing

@Suite("Pages")
struct PageTests {
  let tracker: Tracker
  var context: ManagedObjectContext { tracker.context }

  init() throws {
    tracker = try Tracker()
    try tracker.seed(10) { errand, index in errand.points = Int32(index / 5) }
  }

  private func encoded(_ cursor: FetchCursor) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(cursor), as: UTF8.self)
  }

  private func decoded(_ text: String) throws -> FetchCursor {
    try JSONDecoder().decode(FetchCursor.self, from: Data(text.utf8))
  }

  @Test("pages go on from an encoded cursor, in another context, and leave the request as it is")
  func cursors() throws {
    let request = Errand.fetchRequest().sorted(by: \.points, ascending: false)
    let before = request.description
    let first = try context.page(request, size: 3)
    #expect(first.objects.map(\.number) == [5, 6, 7])
    let cursor = try decoded(encoded(#require(first.next)))
    let other = tracker.anotherContext()
    let second = try other.page(request, after: cursor, size: 4)
    #expect(second.objects.map(\.number) == [8, 9, 0, 1])
    let last = try other.page(request, after: second.next, size: 3)
    #expect(last.objects.map(\.number) == [2, 3, 4] && last.next == nil)
    #expect(request.description == before && request.predicate == nil)
    #expect(!request.shouldRefreshRefetchedObjects)
  }

  @Test("a page costs one request, and reads one object more than it has")
  func cost() throws {
    let request = Errand.fetchRequest().sorted(by: \.title)
    let first = try context.page(request, size: 3)
    context.resetCounters()
    _ = try context.page(request, after: first.next, size: 3)
    #expect(context.counters.roundTrips == 1 && context.counters.rowsFetched == 4)
  }

  @Test("the condition may differ from page to page")
  func conditions() throws {
    let first = try context.page(Errand.where { $0.number < 9 }.sorted(by: \.number), size: 2)
    let odd = Errand.where { $0.number > 5 }.sorted(by: \.number)
    let second = try context.page(odd, after: first.next, size: 2)
    #expect(second.objects.map(\.number) == [6, 7])
  }

  @Test("a cursor of another request is refused, and so is a request with a window")
  func misuse() throws {
    let request = Errand.fetchRequest().sorted(by: \.points)
    let next = try context.page(request, size: 1).next
    let refused: [(FetchRequest<Errand>, Int)] = [
      (Errand.fetchRequest(), 1),
      (Errand.fetchRequest().sorted(by: \.points, ascending: false), 1),
      (request.sorted(by: \.title), 1),
      (Errand.fetchRequest().sorted(by: \.title), 1),
      (request.limit(5), 1), (request.offset(5), 1), (request, 0), (request, -1),
    ]
    for (request, size) in refused {
      #expect(code { _ = try context.page(request, after: next, size: size) } == .invalidRequest)
    }
    let repairs = Repair.fetchRequest().sorted(by: "points")
    #expect(code { _ = try context.page(repairs, after: next, size: 1) } == .invalidRequest)
    let localized = Errand.fetchRequest().sorted(by: \.title, comparator: .localized)
    let first = try context.page(localized, size: 2)
    #expect(first.objects.count == 2)
    #expect(
      code { _ = try context.page(localized, after: first.next, size: 2) } == .invalidRequest)
  }

  @Test("a size as large as there are numbers is as good as any")
  func largestSize() throws {
    let request = Errand.fetchRequest()
    let first = try context.page(request, size: 1)
    let rest = try context.page(request, after: first.next, size: .max)
    #expect(rest.objects.count == 9 && rest.next == nil)
  }

  @Test("a cursor that was tampered with leads to an error or to other results of the request")
  func tampering() throws {
    let request = Errand.fetchRequest().sorted(by: \.title)
    let text = try encoded(#require(try context.page(request, size: 2).next))
    #expect(text.contains(#"["string","1"]"#))
    for (old, new) in [
      (#"["string","1"]"#, ""), (#"["string","1"]"#, #"["string","1"],["string","1"]"#),
      (#"["string","1"]"#, #"["integer","one"]"#), (#"["string","1"]"#, #"["list",""]"#),
      (#"["string","1"]"#, #"["double","9221120237041090560"]"#), (#""id""#, #""no""#),
    ] {
      let changed = text.replacingOccurrences(of: old, with: new)
      #expect(throws: DecodingError.self) { try decoded(changed) }
    }
    let otherType = text.replacingOccurrences(of: #"["string","1"]"#, with: #"["integer","1"]"#)
    #expect(throws: PersistenceError(.invalidValue, "")) {
      try context.page(request, after: decoded(otherType), size: 2)
    }
    let elsewhere = text.replacingOccurrences(of: "roost:", with: "nowhere:")
    #expect(throws: PersistenceError(.storeRemoved, "")) {
      try context.page(request, after: decoded(elsewhere), size: 2)
    }
    let later = text.replacingOccurrences(of: #"["string","1"]"#, with: #"["string","8"]"#)
    let page = try context.page(request, after: decoded(later), size: 2)
    #expect(page.objects.map(\.title) == ["8", "9"])
  }

  @Test("the cursor of an unsaved object goes on, and is encoded after the save")
  func unsaved() throws {
    let request = Errand.fetchRequest().sorted(by: \.points, ascending: false)
    for index in 0..<2 {
      let errand = Errand(context: context)
      (errand.number, errand.points) = (Int64(20 + index), 9)
    }
    let first = try context.page(request, size: 1)
    #expect(first.objects.map(\.number) == [20])
    #expect(throws: EncodingError.self) { try encoded(#require(first.next)) }
    #expect(try context.page(request, after: first.next, size: 2).objects.map(\.number) == [21, 5])
    try context.save()
    let cursor = try decoded(encoded(#require(first.next)))
    #expect(try context.page(request, after: cursor, size: 2).objects.map(\.number) == [21, 5])
  }

  @Test("a page begins to read where an index has its cursor", arguments: [true, false])
  func plan(ascending: Bool) throws {
    let tracker = try Tracker([.sqlite(at: "/dev/null")])
    try tracker.seed(5)
    let request = Errand.fetchRequest().sorted(by: \.number, ascending: ascending)
    let last = try #require(try tracker.context.fetch(request.offset(2)).first)
    let position = PagePosition(values: [.integer(2)], id: last.objectID)
    let conditions = try position.conditions(
      after: request.sortDescriptors ?? [], includesEqualKeys: false)
    for condition in conditions {
      let plan = "\(try tracker.context.explain(request.filter(condition).limit(2)))"
      #expect(plan.contains("index: Errand_unique_number"), "\(plan)")
    }
  }

  @Test("pages of a child context show what its parent has not saved")
  func child() throws {
    let child = ManagedObjectContext(.privateQueue, parent: context)
    let errand = Errand(context: context)
    (errand.number, errand.points) = (20, 0)
    let request = Errand.fetchRequest().sorted(by: \.points)
    var found: [Int64] = []
    var cursor: FetchCursor?
    repeat {
      let page = try child.page(request, after: cursor, size: 2)
      found += page.objects.map(\.number)
      cursor = page.next
    } while cursor != nil
    #expect(found == [0, 1, 2, 3, 4, 20, 5, 6, 7, 8, 9])
  }
}
