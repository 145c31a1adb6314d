// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite("Selections of columns")
struct SelectionTests {
  let tracker: Tracker
  var context: ManagedObjectContext { tracker.context }

  init() throws {
    tracker = try Tracker()
    try tracker.seed(6) { errand, index in
      errand.state = index < 4 ? .open : .closed
      errand.points = index == 0 ? nil : Int32(index)
      errand.created = Date(timeIntervalSinceReferenceDate: Double(index))
    }
    let context = tracker.anotherContext()
    try withExtendedLifetime(context) {
      let venture = Venture(context: context)
      venture.name = "Roost"
      try context.find(Errand.self, \.number, 1)?.venture = venture
      try context.save()
    }
  }

  @Test("groups come as tuples of typed values")
  func groups() throws {
    let rows = try context.select(Errand.self) { ($0.state, $0.count, $0.created.max) }
      .grouped(by: \.state).sorted(by: \.state).fetch()
    #expect(rows.map(\.0) == [.closed, .open])
    #expect(rows.map(\.1) == [2, 4])
    #expect(rows.map { $0.2?.timeIntervalSinceReferenceDate } == [5, 3])
  }

  @Test("aggregates of all objects are one tuple, and a single column is no tuple")
  func aggregates() throws {
    let rows = try context.select(Errand.self) {
      ($0.count, $0.points.count, $0.points.sum, $0.points.average, $0.points.min, $0.title.max)
    }.fetch()
    let row = try #require(rows.first)
    #expect(rows.count == 1 && row.0 == 6 && row.1 == 5 && row.2 == 15)
    #expect(row.3 == 3 && row.4 == 1 && row.5 == "5")
    let counts: [Int] = try context.select(Errand.self) { $0.count }.fetch()
    #expect(counts == [6])
    let nothing = try context.select(Errand.self) { ($0.count, $0.points.sum, $0.points.max) }
      .where { $0.number > 100 }.fetch()
    #expect(nothing.count == 1 && nothing[0].0 == 0 && nothing[0].1 == 0 && nothing[0].2 == nil)
  }

  @Test("columns of objects come with a condition, an order and a window")
  func columns() throws {
    let rows = try context.select(Errand.self) { ($0.number, $0.points, $0.venture.name) }
      .where { $0.number < 4 }.sorted(by: \.number, ascending: false).offset(1).limit(3).fetch()
    #expect(rows.map(\.0) == [2, 1, 0])
    #expect(rows.map(\.1) == [2, 1, nil])
    #expect(rows.map(\.2) == [nil, "Roost", nil])
    let states = try context.select(Errand.self) { $0.state }.distinct().fetch()
    #expect(Set(states) == [.open, .closed] && states.count == 2)
  }

  @Test("a condition on groups leaves some out")
  func having() throws {
    let rows = try context.select(Errand.self) { ($0.state, $0.points.sum) }
      .grouped(by: \.state).having { $0.count > 2 }.fetch()
    #expect(rows.map(\.0) == [.open] && rows.map(\.1) == [6])
  }

  @Test("groups are sorted by aggregates, with a window and ties in the order of their keys")
  func sortedGroups() throws {
    let all = context.select(Errand.self) { ($0.points, $0.count) }.grouped(by: \.points)
    let ties = try all.sorted(by: { $0.count }).fetch()
    #expect(ties.map(\.0) == [nil, 1, 2, 3, 4, 5])
    let page = try all.sorted(by: { $0.number.max }, ascending: false).offset(1).limit(2).fetch()
    #expect(page.map(\.0) == [4, 3])
    let states = context.select(Errand.self) { $0.state }.grouped(by: \.state)
    let byCount: [ErrandState] = try states.sorted(by: { $0.count }, ascending: false).fetch()
    #expect(byCount == [.open, .closed])
    let mixed = try context.select(Errand.self) { ($0.state, $0.venture.name, $0.count) }
      .grouped(by: \.state, \.venture?.name).sorted(by: \.state, ascending: false)
      .sorted(by: { $0.count }).fetch()
    #expect(mixed.map(\.0) == [.open, .open, .closed] && mixed.map(\.2) == [1, 3, 2])
    let distinct = try context.select(Errand.self) { $0.count }.grouped(by: \.points)
      .sorted(by: { $0.count }).distinct().fetch()
    #expect(distinct == [1])
  }

  @Test("orders by columns need groups, and errors name the column that is not grouped")
  func refusedOrders() throws {
    let columns = context.select(Errand.self) { $0.number }
    #expect(code { _ = try columns.sorted(by: { $0.count }).fetch() } == .invalidRequest)
    let groups = context.select(Errand.self) { $0.count }.grouped(by: \.state)
    #expect(code { _ = try groups.sorted(by: { $0.title }).fetch() } == .invalidRequest)
    #expect(code { _ = try groups.sorted(by: { $0.count }).limit(-1).fetch() } == .invalidRequest)
    #expect {
      try context.select(Errand.self) { ($0.title, $0.count) }.grouped(by: \.state).fetch()
    } throws: {
      ($0 as? PersistenceError)?.message.contains("“title” is neither grouped") == true
    }
  }

  @Test("a selection is a value: its methods leave it as it is")
  func copies() throws {
    let all = context.select(Errand.self) { $0.number }
    let one = all.where { $0.number == 3 }.limit(1)
    let three: [Int64] = try one.fetch()
    let six: [Int64] = try all.sorted(by: \.number).fetch()
    #expect(three == [3] && six == [0, 1, 2, 3, 4, 5])
    #expect(try all.fetch().count == 6)
  }

  @Test("unsaved changes do not count, as in a fetch of dictionaries")
  func unsaved() throws {
    _ = Errand(context: context)
    #expect(try context.select(Errand.self) { $0.count }.fetch() == [6])
  }

  @Test("columns that are neither grouped nor aggregates are refused, and so are wrong orders")
  func misuse() throws {
    let mixed = context.select(Errand.self) { ($0.title, $0.count) }
    #expect(code { _ = try mixed.fetch() } == .invalidRequest)
    #expect(code { _ = try mixed.grouped(by: \.state).fetch() } == .invalidRequest)
    let counts = context.select(Errand.self) { $0.count }.grouped(by: \.state)
    #expect(code { _ = try counts.sorted(by: \.title).fetch() } == .invalidRequest)
    #expect(code { _ = try counts.limit(-1).fetch() } == .invalidRequest)
    let ungrouped = context.select(Errand.self) { $0.count }.having { $0.count > 1 }
    #expect(code { _ = try ungrouped.fetch() } == .invalidRequest)
  }
}
