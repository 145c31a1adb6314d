// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests that resolving a request from a cached shape has the same result as resolving it anew.
@Suite("Shapes of requests")
struct RequestShapeTests {
  private let company = Company()

  private func criteria(_ format: String, _ values: [Any?]) throws -> FetchCriteria {
    var criteria = FetchCriteria(entityName: "Person")
    criteria.predicate = try FetchPredicate(format: format, argumentArray: values)
    return criteria
  }

  private var cases: [(format: String, values: [[Any?]])] {
    [
      ("name == %@", [["Ada"], ["Bob"], [""], ["Zoë"], [nil], ["x"]]),
      ("age == %@", [[1], [17.5], [1e300], [-1e300], [nil], [true], [Decimal(3)], [2]]),
      ("age > %@ AND age <= %@", [[1, 5], [1.5, 5], [5, 1], [1, 5.5], [2, 6]]),
      ("height != %@", [[1.5], [2], [0], [-0.0], [Int64.max], [2.5]]),
      ("salary < %@", [[Decimal(1)], [10.1], [3], [Decimal(string: "1.50")]]),
      ("active == %@", [[true], [false], [1], [2], [0.5]]),
      ("age IN %@", [[[1, 2]], [[3, 4]], [[3, 4.5]], [[3]], [[]], [[5, 6]]]),
      ("age BETWEEN %@", [[[1, 2]], [[1.5, 2]], [[3, 1]], [[4, 9]]]),
      ("NOT (name == %@ OR name BEGINSWITH %@)", [["a", "b"], ["c", "d"], ["e", nil]]),
      ("department == %@", [[company.id(1)], [company.id(2)], [nil]]),
      ("department.name == %@", [["Lab"], ["Mill"]]),
      ("ANY reports.age > %@", [[3], [4], [4.5]]),
      ("%@ == name", [["a"], ["b"]]),
      ("name MATCHES %@", [["a.*"], ["b.*"]]),
      ("born < %@", [[Date(timeIntervalSinceReferenceDate: 5)], [Date.distantFuture]]),
      ("code == %@", [[UUID()], [UUID()]]),
      ("name.length > %@", [[1], [2]]),
      ("people.@count == 0 OR age == %@", []),
    ]
  }

  @Test("a request is resolved from the shape of an earlier one as it is anew (B121)")
  func sameResult() throws {
    let known = ResolvedRequests()
    var reusing = company.resolver
    reusing.known = known
    for (format, values) in cases {
      // In both orders, so that each set of values follows different ones.
      for values in values + values.reversed() {
        let criteria = try criteria(format, values)
        let anew = try company.resolver.resolve(criteria)
        let fetch = try reusing.resolve(criteria)
        #expect("\(fetch.predicate as Any)" == "\(anew.predicate as Any)", "\(format) \(values)")
      }
    }
    #expect(known.count > 5)
  }

  @Test("requests of one structure share a shape, and their arguments are converted (B121)")
  func sharing() throws {
    var resolver = company.resolver
    resolver.known = ResolvedRequests()
    let first = try resolver.resolve(criteria("age > %@ AND name == %@", [1, "a"]))
    let second = try resolver.resolve(criteria("age > %@ AND name == %@", [2.0, "b"]))
    let third = try resolver.resolve(criteria("age > %@ AND name == %@", [3, "c"]))
    let shape = try #require(first.shape)
    #expect(third.shape === shape)
    #expect(third.arguments == [.integer(3), .string("c")])
    // A double gives another shape, but the argument is an integer anyway.
    #expect(second.shape !== shape && second.arguments == [.integer(2), .string("b")])
    let other = try resolver.resolve(criteria("age >= %@ AND name == %@", [3, "c"]))
    #expect(other.shape != nil && other.shape !== shape)
    var refused = try criteria("age > %@ AND name == %@", [3, "c"])
    refused.fetchLimit = -1
    #expect(throws: PersistenceError.self) { try resolver.resolve(refused) }
  }

  @Test("limit and offset are the request's own, sort and result belong to the shape (B125)")
  func window() throws {
    var resolver = company.resolver
    resolver.known = ResolvedRequests()
    var criteria = try criteria("age > %@", [1])
    criteria.sortDescriptors = [SortOrdering("name")]
    let first = try resolver.resolve(criteria)
    criteria.fetchLimit = 3
    criteria.fetchOffset = 2
    let second = try resolver.resolve(criteria)
    #expect(second.shape === first.shape && second.limit == 3 && second.offset == 2)
    #expect(first.limit == nil && first.offset == 0)
    criteria.sortDescriptors = [SortOrdering("name", ascending: false)]
    #expect(try resolver.resolve(criteria).shape !== first.shape)
    criteria.sortDescriptors = [SortOrdering("name")]
    criteria.includesSubentities = false
    let narrow = try resolver.resolve(criteria)
    #expect(narrow.shape !== first.shape && narrow.entities.count == 1)
    var keys = first
    keys.askForKeys()
    var count = first
    count.askForCount()
    var moreKeys = second
    moreKeys.askForKeys()
    #expect(keys.shape != nil && keys.shape !== first.shape && keys.shape === moreKeys.shape)
    #expect(count.shape != nil && count.shape !== keys.shape && count.sort.isEmpty)
    var changed = first
    changed.predicate = nil
    #expect(changed.shape == nil)
  }

  @Test("what is refused is refused again after a request of its structure was resolved (B334)")
  func refusals() throws {
    var resolver = company.resolver
    resolver.known = ResolvedRequests()
    _ = try resolver.resolve(criteria("name == %@", ["a"]))
    #expect(throws: PersistenceError.self) {
      try resolver.resolve(criteria("name == %@", ["a\u{0}b"]))
    }
    _ = try resolver.resolve(criteria("height > %@", [1.5]))
    #expect(throws: PersistenceError.self) {
      try resolver.resolve(criteria("height > %@", [Double.nan]))
    }
    #expect(throws: PersistenceError.self) { try resolver.resolve(criteria("name == %@", [1])) }
    #expect(throws: PersistenceError.self) { try resolver.resolve(criteria("nothing == %@", [1])) }
  }

  @Test("what is kept of a request has the structure of its condition and none of its values")
  func values() throws {
    let predicate = try FetchPredicate(
      format: "photo == %@ AND (name IN %@ OR NOT (name == %@))",
      argumentArray: [Data("secret".utf8), ["secret", "x"], "secret"])
    let kept = predicate.withoutValues
    #expect(!"\(kept)".contains("secret") && !"\(kept)".contains("736563"))
    #expect("\(kept)".contains("photo == ") && "\(kept)".contains("name IN {"))
  }

  @Test("the number of shapes is bounded, and those in use stay")
  func bound() throws {
    let known = ResolvedRequests(capacity: 4)
    var resolver = company.resolver
    resolver.known = known
    let used = try #require(resolver.resolve(criteria("age == %@", [1])).shape)
    for number in 0..<40 {
      let format = "name == %@" + String(repeating: " AND name != %@", count: number % 12 + 1)
      _ = try resolver.resolve(
        criteria(format, (0..<number % 12 + 2).map { "\($0)" }))
      #expect(try resolver.resolve(criteria("age == %@", [number])).shape === used)
    }
    #expect(known.count <= 8)
  }
}
