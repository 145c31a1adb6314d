// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests of the arguments that placeholders accept.
@Suite struct FormatArgumentTests {
  private func constant(_ format: String, _ argument: Any?) throws -> FetchExpression {
    guard case .comparison(let comparison) = try FetchPredicate(format, argument) else {
      throw PersistenceError(.invalidPredicate, "no comparison")
    }
    return comparison.right
  }

  @Test("%@ takes numbers of all widths, and NSNumbers")
  func numbers() throws {
    let numbers: [Any] = [
      5, Int8(5), Int16(5), Int32(5), Int64(5), UInt(5), UInt8(5), UInt16(5), UInt32(5), UInt64(5),
      NSNumber(value: 5), NSNumber(value: Int16(5)), Optional(5) as Any,
      Optional(Optional(5)) as Any,
    ]
    for number in numbers {
      #expect(try constant("a == %@", number) == .constant(.integer(5)), "\(type(of: number))")
      #expect(try constant("a == %d", number) == .constant(.integer(5)), "\(type(of: number))")
      #expect(try constant("a == %f", number) == .constant(.double(5)), "\(type(of: number))")
    }
    for number in [1.5, Float(1.5), NSNumber(value: 1.5), CGFloat(1.5)] as [Any] {
      #expect(try constant("a == %@", number) == .constant(.double(1.5)), "\(type(of: number))")
    }
    #expect(try constant("a == %lld", 5.0) == .constant(.integer(5)))
    #expect(try constant("a == %@", true) == .constant(.integer(1)))
    #expect(try constant("a == %@", NSNumber(value: false)) == .constant(.integer(0)))
    #expect(try constant("a == %d", true) == .constant(.integer(1)))
    #expect(try constant("a == %@", -0.0) == .constant(.double(0)))
    let decimal = try #require(Decimal(string: "1.10"))
    #expect(try constant("a == %@", decimal) == .constant(.decimal(decimal)))
    #expect(
      try constant("a == %@", NSDecimalNumber(decimal: decimal)) == .constant(.decimal(decimal)))
  }

  @Test("%@ takes nil, strings, dates, data, UUIDs and URLs, and Foundation's classes")
  func values() throws {
    let uuid = UUID()
    let url = try #require(URL(string: "https://example.org/a"))
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let data = Data([1, 2])
    #expect(try constant("a == %@", nil) == .constant(.null))
    #expect(try constant("a == %@", NSNull()) == .nullObject)
    #expect(try constant("a == %@", Optional<String>.none as Any) == .constant(.null))
    for text in ["x", "xy".dropLast(), NSString("x")] as [Any] {
      #expect(try constant("a == %@", text) == .constant(.string("x")), "\(type(of: text))")
    }
    #expect(try constant("a == %s", "x") == .constant(.string("x")))
    for value in [date, date as NSDate] as [Any] {
      #expect(try constant("a == %@", value) == .constant(.date(date)))
    }
    for value in [data, data as NSData] as [Any] {
      #expect(try constant("a == %@", value) == .constant(.data(data)))
    }
    for value in [uuid, uuid as NSUUID] as [Any] {
      #expect(try constant("a == %@", value) == .constant(.uuid(uuid)))
    }
    for value in [url, url as NSURL] as [Any] {
      #expect(try constant("a == %@", value) == .constant(.uri(url)))
    }
    #expect(try constant("a == %@", Value.integer(3)) == .constant(.integer(3)))
    #expect(try constant("a == %@", FetchExpression.keyPath(["b"])) == .keyPath(["b"]))
  }

  @Test("objects, their IDs and entities stand in predicates (B30, B143)")
  func objects() throws {
    let company = Company()
    let id = company.id(4097)
    let object = TypedPerson(Recorded.Note(), objectID: id)
    #expect(try constant("a == %@", id) == .constant(.objectID(id)))
    #expect(try constant("a == %@", object) == .constant(.objectID(id)))
    #expect(try constant("a IN %@", [object]) == .list([.constant(.objectID(id))]))
    #expect(try constant("a IN %@", Set([object])) == .list([.constant(.objectID(id))]))
    #expect(try constant("entity == %@", company.manager) == .constant(.string("Manager")))
  }

  @Test("%@ takes arrays, sets, ranges and their mixtures as lists")
  func lists() throws {
    let expected = FetchExpression.list([.constant(.integer(1)), .constant(.integer(2))])
    let lists: [Any] = [
      [1, 2], [Int16(1), Int16(2)], NSArray(array: [1, 2]), NSOrderedSet(array: [1, 2]), 1...2,
      [1, NSNumber(value: 2)] as [Any], [1, 2].lazy.map { $0 }, Value.list([1, 2]),
    ]
    for list in lists {
      #expect(try constant("a IN %@", list) == expected, "\(type(of: list))")
    }
    #expect(try constant("a IN %@", Set([7])) == .list([.constant(.integer(7))]))
    #expect(try constant("a IN %@", NSSet(array: [7])) == .list([.constant(.integer(7))]))
    #expect(
      try constant("a IN %@", ["x", nil] as [String?])
        == .list([.constant(.string("x")), .constant(.null)]))
    #expect(try constant("a IN %@", [] as [Int]) == .list([]))
  }

  @Test("%K is a key path wherever a key can stand, and never a value")
  func keys() throws {
    let predicate = try FetchPredicate(
      "%K.%K == %@ AND %K.@count > 0 AND SUBQUERY(%K, $x, $x.%K == $y.%K).@count == 0", "a.b",
      "and",
      "c", "self.d", "e", "f g", "h")
    #expect(
      predicate.predicateFormat
        == #"a.b.and == "c" AND d.@count > 0 AND SUBQUERY(e, $x, $x.#"f g" == $y.h).@count == 0"#)
    #expect(try FetchPredicate("%K == 1", "in").predicateFormat == "#in == 1")
    #expect(try FetchPredicate("%K == 1", "SELF").predicateFormat == "SELF == 1")
    #expect(
      try FetchPredicate("%K == 1", "a == 1 OR b").predicateFormat == ##"#"a == 1 OR b" == 1"##)
    #expect(try FetchPredicate("ANY %K.%K != true", "a", "b").predicateFormat == "ANY a.b != 1")
    let followed = try FetchPredicate("a IN %@.b.c", Company().id(4097))
    guard case .comparison(let comparison) = followed,
      case .keyPathOf(.constant(.objectID), ["b", "c"]) = comparison.right
    else {
      Issue.record("\(followed)")
      return
    }
  }

  @Test("every constant is printed so that it parses as the same constant")
  func constants() throws {
    let values: [Any?] = [
      Int64.min, Int64.max, 0, -1, 0.1, 1e300, Double.leastNonzeroMagnitude, -1.5, Double.infinity,
      -Double.infinity, "",
      "a\"b'c\\d\n\u{1}é🍁",
      nil, Date(timeIntervalSinceReferenceDate: 123456.789), Date.distantPast, Data(),
      Data([0, 255]), UUID(),
      URL(string: "http://a.b/c?d=e&f=%20"), Decimal(string: "-12345678901234567890.123456789"),
      Decimal(string: "1e60"),
      [1, "a", nil, 2.5] as [Any?], Float(0.1),
    ]
    for value in values {
      let predicate = try FetchPredicate("a == %@", value)
      #expect(try FetchPredicate(predicate.predicateFormat) == predicate, "\(predicate)")
    }
  }
}
