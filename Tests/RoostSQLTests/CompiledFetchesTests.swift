// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostSQL
import Testing

/// Tests that the cached statements of a request's shape equal newly written ones.
@Suite("Statements by shape")
struct CompiledFetchesTests {
  private final class NoDecoder: StatementDecoder {}

  private func fetch(
    _ resolver: RequestResolver, _ format: String, _ values: [Any?], limit: Int = 0, offset: Int = 0
  ) throws -> ResolvedFetch {
    var criteria = FetchCriteria(entityName: "Film")
    criteria.predicate = try FetchPredicate(format: format, argumentArray: values)
    criteria.fetchLimit = limit
    criteria.fetchOffset = offset
    return try resolver.resolve(criteria)
  }

  @Test(
    "a kept statement with new values is the statement that is written anew (B121)",
    arguments: [SQLDialect.sqlite, .postgreSQL])
  func sameStatement(dialect: SQLDialect) throws {
    let library = try Library(dialect: dialect)
    var resolver = RequestResolver(model: library.model)
    resolver.known = ResolvedRequests()
    let fetches = CompiledFetches(library.schema) { _, _ in NoDecoder() }
    let long = (0..<20).map { $0 }
    let cases: [(String, [[Any?]])] = [
      ("title == %@", [["a"], ["b"], [nil], ["c"]]),
      ("title != %@ AND year > %@", [["a", 1], ["b", 2], ["c", 1.5], ["d", 1e9]]),
      ("title BEGINSWITH %@", [["a"], ["b"], [""], ["%_"]]),
      ("title CONTAINS[c] %@", [["a"], ["b"], [""]]),
      ("title ==[c] %@", [["a"], ["B"]]),
      ("year IN %@", [[[1, 2]], [[3, 4]], [[3, 4.5]], [long], [long.reversed()]]),
      ("stock BETWEEN %@", [[[1, 2]], [[3, 4]]]),
      ("silent == %@", [[true], [false], [true]]),
      ("weight < %@", [[1.5], [2], [Double.infinity]]),
      ("price == %@", [[Decimal(2)], [2.5], [3]]),
      ("NOT (year == %@ OR title == %@)", [[1, "a"], [2, "b"]]),
      ("ANY actors.name == %@", [["a"], ["b"]]),
    ]
    for (format, values) in cases {
      for (limit, offset) in [(0, 0), (3, 0), (0, 2), (3, 2), (4, 9)] {
        for values in values + values {
          let request = try fetch(resolver, format, values, limit: limit, offset: offset)
          let anew = try FetchGenerator.query(for: request, in: library.schema)
          let compiled = try fetches.fetch(for: request)
          #expect(compiled.statement.query.text == anew.text, "\(format) \(values)")
          #expect(compiled.bindings == anew.bindings, "\(format) \(values)")
          #expect(compiled.statement.query.inMemory == anew.inMemory, "\(format) \(values)")
        }
      }
    }
  }

  @Test(
    "columns of slots that are not needed are not read (X47)",
    arguments: [SQLDialect.sqlite, .postgreSQL])
  func neededSlots(dialect: SQLDialect) throws {
    let library = try Library(dialect: dialect)
    let fetches = CompiledFetches(library.schema) { _, _ in NoDecoder() }
    let request = try fetch(RequestResolver(model: library.model), "year > %@", [1])
    func query(_ slots: Set<String>?) throws -> SQLQuery {
      try fetches.fetch(for: request, needing: slots).statement.query
    }
    let (whole, part) = (try query(nil), try query(["title", "stock", "unknown"]))
    guard case .rows(let columns) = part.shape else {
      Issue.record("The request is one for rows.")
      return
    }
    // The result has the same columns, so that it is decoded in the same way.
    #expect(try query(nil).text == whole.text && !whole.text.contains("NULL"))
    #expect(part.text.components(separatedBy: "CAST(NULL AS ").count == columns.count - 1)
    let selection = try #require(part.text.components(separatedBy: " FROM ").first)
    let named = columns.filter { selection.contains(dialect.quoted($0.name)) }
    #expect(named.count == 2)
  }

  @Test("a request that comes again is not written again, whatever its values are")
  func reuse() throws {
    let library = try Library()
    var resolver = RequestResolver(model: library.model)
    resolver.known = ResolvedRequests()
    let written = Counter()
    let fetches = CompiledFetches(library.schema) { _, _ in
      written.count += 1
      return NoDecoder()
    }
    for number in 1...20 {
      _ = try fetches.fetch(
        for: fetch(resolver, "title == %@ AND year > %@", ["\(number)", number], limit: number))
    }
    #expect(written.count == 1 && fetches.count == 1)
    var keys = try fetch(resolver, "title == %@ AND year > %@", ["a", 1])
    keys.askForKeys()
    #expect(try fetches.fetch(for: keys).statement.query.text.hasPrefix("SELECT t0.\"_key\" FROM"))
    _ = try fetches.fetch(for: keys)
    #expect(written.count == 2)
    // A request that is assembled by hand has no shape.
    var own = keys
    own.predicate = nil
    _ = try fetches.fetch(for: own)
    #expect(fetches.count == 2)
  }

  private final class Counter: @unchecked Sendable {
    // Sendable: one thread uses it.
    var count = 0
  }
}
