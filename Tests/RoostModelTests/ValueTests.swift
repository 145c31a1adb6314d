// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

/// Values in the order that every store shares.
private let ordered: [Value] = [
  .null, .boolean(false), .boolean(true), .double(-.infinity), .integer(.min), .double(-1.5),
  .integer(-1), .integer(0), .double(.leastNonzeroMagnitude), .double(0.1), .integer(1),
  .double(1.5),
  .integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993), .integer(.max),
  .double(9.3e18), .double(.infinity), .double(.nan),
  .decimal(Decimal(-2)), .decimal(Decimal(string: "0.1") ?? 0), .decimal(9),
  .date(.distantPast), .date(Date(timeIntervalSinceReferenceDate: 0)), .date(.distantFuture),
  .string(""), .string("A"), .string("a"), .string("aa"), .string("e\u{301}"), .string("z"),
  .string("\u{E9}"), .string("\u{FFFD}"), .string("😀"),
  .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))),
  .uuid(UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
  .data(Data()), .data(Data([0])), .data(Data([0, 0])), .data(Data([127])), .data(Data([128])),
  .uri(URL(filePath: "/a")), .uri(URL(filePath: "/b")),
  .list([]), .list([.integer(1)]), .list([.integer(1), .null]), .list([.integer(2)]),
  .composite([:]), .composite(["a": 1]), .composite(["a": 2]), .composite(["b": 0]),
]

@Suite("Values")
struct ValueTests {
  @Test(
    "every date can be read by a developer, also those that no calendar has",
    arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e15, 1e11, -1e11])
  func farDates(seconds: Double) {
    let text = Value.date(Date(timeIntervalSinceReferenceDate: seconds)).description
    #expect(text.contains("from 2001"))
    #expect(Value.date(Date(timeIntervalSinceReferenceDate: 0)).description.hasPrefix("2001-01-01"))
  }

  @Test("values have one total order, nil first, strings by their UTF-8 bytes")
  func order() {
    for (left, leftValue) in ordered.enumerated() {
      for (right, rightValue) in ordered.enumerated() {
        let expected: ValueOrder = left < right ? .less : left == right ? .equal : .greater
        #expect(ValueOrder.compare(leftValue, rightValue) == expected, "\(leftValue) \(rightValue)")
      }
    }
  }

  @Test("a value equals what every store takes for the same, and hashes alike")
  func equality() {
    let same: [(Value, Value)] = [
      (.integer(1), .double(1)), (.double(0), .double(-0.0)), (.integer(0), .double(-0.0)),
      (.integer(.min), .double(-0x1p63)),
      (.decimal(Decimal(string: "1.10") ?? 0), .decimal(Decimal(string: "1.1") ?? 0)),
      (.uri(URL(filePath: "/a")), .uri(URL(filePath: "/a"))),
      (.double(.nan), .double(-.nan)),
      (.composite(["a": .integer(1)]), .composite(["a": .double(1)])),
    ]
    for (left, right) in same {
      #expect(left == right)
      #expect(left.hashValue == right.hashValue)
    }
    let different: [(Value, Value)] = [
      (.string("\u{E9}"), .string("e\u{301}")), (.string(""), .null), (.integer(1), .boolean(true)),
      (.integer(9_007_199_254_740_993), .double(9_007_199_254_740_992)),
      (.integer(1), .decimal(1)), (.string("1"), .integer(1)), (.integer(.max), .double(0x1p63)),
      (.list([]), .null), (.data(Data()), .string("")),
    ]
    for (left, right) in different { #expect(left != right) }
    #expect(Set<Value>([.string("\u{E9}"), .string("e\u{301}"), .integer(1), 1.0]).count == 3)
    #expect(Set([UTF8Key("\u{E9}"), UTF8Key("e\u{301}"), UTF8Key("\u{E9}")]).count == 2)
  }

  @Test("IDs are ordered by their keys, then by their stores")
  func identifiers() throws {
    let company = Company()
    try company.model.freeze()
    func id(_ store: String, _ key: Int64) -> Value {
      let identity = StoreIdentity(identifier: store, type: "test")
      return .objectID(ObjectID(scope: IDScope(entity: company.tag, store: identity), key: key))
    }
    #expect(ValueOrder.compare(id("B", 1), id("A", 2)) == .less)
    #expect(ValueOrder.compare(id("B", 1), id("A", 1)) == .greater)
    #expect(id("A", 1) == id("A", 1))
  }

  @Test("what a program passes as Any becomes a value of the attribute's type, or is refused")
  func bridging() throws {
    let uuid = UUID()
    let accepted: [(Any?, AttributeType, Value)] = [
      (nil, .string, .null), (NSNull(), .integer16, .null), (Int?.none as Any, .double, .null),
      (36, .integer16, 36), (Int8(3), .integer64, 3), (UInt64(7), .integer32, 7),
      (NSNumber(value: 5), .integer32, 5), (NSNumber(value: true), .boolean, true),
      (NSNumber(value: 0), .boolean, false), (true, .boolean, true), (2.0, .integer16, 2),
      (3, .double, 3.0), (Float(0.5), .double, 0.5), (NSNumber(value: 0.25), .double, 0.25),
      (Decimal(4), .integer64, 4), (NSDecimalNumber(value: 4), .decimal, .decimal(4)),
      (0.1, .decimal, .decimal(Decimal(string: "0.1") ?? 0)), (5, .decimal, .decimal(5)),
      ("text", .string, "text"), (NSString("text"), .string, "text"),
      ("text".prefix(2), .string, "te"),
      (uuid, .uuid, .uuid(uuid)), (NSUUID(uuidString: uuid.uuidString), .uuid, .uuid(uuid)),
      (Data([1]), .binaryData, .data(Data([1]))),
      (NSData(data: Data([1])), .binaryData, .data(Data([1]))),
      (
        NSDate(timeIntervalSinceReferenceDate: 1), .date,
        .date(Date(timeIntervalSinceReferenceDate: 1))
      ),
      (URL(filePath: "/dev/null"), .uri, .uri(URL(filePath: "/dev/null"))),
      (String?.some("x") as Any, .string, "x"), (Value.integer(1), .integer64, 1),
      (["a": 1], .composite, .composite(["a": 1])),
    ]
    for (any, type, value) in accepted {
      #expect(Value(any: any, type: type) == value, "\(String(describing: any)) as \(type)")
    }
    let refused: [(Any, AttributeType)] = [
      ("36", .integer16), (36, .string), (1.5, .integer64), (Double.nan, .integer64),
      (1e30, .integer64), (UInt64.max, .integer64), (2, .boolean), (true, .integer16),
      ("x", .date), (Date(), .double), (0.0, .date), ("no", .uuid), ("/x", .uri),
      (Data(), .string), ("", .binaryData), (Double.infinity, .decimal), (Company.self, .string),
      (9_007_199_254_740_993, .double), (Decimal(string: "0.5") ?? 0, .integer64),
      (Decimal.nan, .double),
    ]
    for (any, type) in refused {
      #expect(Value(any: any, type: type) == nil, "\(any) as \(type)")
    }
    #expect(Value(any: [1, "a"] as [Any]) == .list([1, "a"]))
    #expect(Value(any: [1, 2]) == .list([1, 2]))
    #expect(Value(any: Date.self) == nil)
  }

  @Test("a number comes back as any type of number that can have it")
  func anyValue() {
    #expect(Value.integer(36).anyValue as? Int == 36)
    #expect(Value.integer(36).anyValue as? Int16 == 36)
    #expect(Value.integer(36).anyValue as? Double == 36)
    #expect(Value.double(0.5).anyValue as? Double == 0.5)
    #expect(Value.boolean(true).anyValue as? Bool == true)
    #expect(Value.decimal(5).anyValue as? Decimal == 5)
    #expect(Value.decimal(5).anyValue as? NSDecimalNumber == 5)
    #expect(Value.string("a").anyValue as? String == "a")
    #expect(Value.null.anyValue == nil)
    #expect((Value.list([1, .null]).anyValue as? [Any])?.count == 2)
    #expect((Value.composite(["a": 1]).anyValue as? [String: Any])?["a"] as? Int == 1)
    for value in ordered where value != .double(.nan) {
      #expect(Value(any: value.anyValue) == value)
    }
  }

  @Test("a value prints itself for a developer")
  func descriptions() {
    #expect(Value.string("a\"b").description == "\"a\\\"b\"")
    #expect(Value.data(Data([1, 2])).description == "2 bytes")
    #expect(Value.composite(["b": 2, "a": .null]).description == "{a: nil, b: 2}")
    #expect(Value.list([1, true]).description == "{1, true}")
  }
}

@Suite("The value contract")
struct ValueContractTests {
  private func check(_ value: Value, _ type: AttributeType) throws -> Value {
    try ValueCheck.check(value, for: AttributeDescription(name: "value", type: type))
  }

  @Test("an attribute refuses NaN, NUL and what is out of range")
  func refusals() throws {
    let refused: [(Value, AttributeType)] = [
      (.double(.nan), .double), (.double(.nan), .float), (.double(1e300), .float),
      (.date(Date(timeIntervalSinceReferenceDate: .nan)), .date), (.string("a\0"), .string),
      (.string("\0"), .string), (.integer(32_768), .integer16), (.integer(-32_769), .integer16),
      (.integer(2_147_483_648), .integer32), (.decimal(.nan), .decimal),
      (.string("1"), .integer16),
      (.list([]), .string), (.objectID(try identifier()), .integer64),
    ]
    for (value, type) in refused {
      #expect(throws: PersistenceError(.invalidValue, ""), "\(value) as \(type)") {
        try check(value, type)
      }
    }
  }

  @Test("a decimal is rounded to 38 digits, or refused where the attribute is exact")
  func longDecimals() throws {
    let text = "123456789012345678901234567890123456789"
    let (long, rounded) = (Decimal(string: text), Decimal(string: text.dropLast(2) + "90"))
    let attribute = AttributeDescription(name: "value", type: .decimal)
    let value = try #require(long)
    for sign in [Decimal(1), -1] {
      let kept = try ValueCheck.check(.decimal(value * sign), for: attribute)
      #expect(kept == .decimal(try #require(rounded) * sign))
    }
    attribute.allowsRounding = false
    #expect(throws: PersistenceError(.invalidValue, "")) {
      try ValueCheck.check(.decimal(value), for: attribute)
    }
    #expect((attribute.copy() as? AttributeDescription)?.allowsRounding == false)
  }

  private func identifier() throws -> ObjectID {
    let company = Company()
    try company.model.freeze()
    return IDScope.makeTemporaryID(for: company.tag)
  }

  @Test("a refusal names the entity, the key and the value, which its description hides")
  func refusalDetails() {
    let company = Company()
    let error = #expect(throws: PersistenceError.self) {
      try ValueCheck.check(.integer(123_456), for: company.age)
    }
    #expect(error?.entityName == "Person")
    #expect(error?.key == "age")
    #expect(error?.value == 123_456)
    #expect(error?.description.contains("Person.age") == true)
    #expect(error?.description.contains("123456") == false)
    #expect(error?.detailedDescription.contains("123456") == true)
  }

  @Test("what is kept is canonical: +0.0, floats of their width; all else is exact")
  func canonical() throws {
    func bits(_ value: Value) -> UInt64? {
      switch value {
      case .double(let number): number.bitPattern
      case .date(let date): date.timeIntervalSinceReferenceDate.bitPattern
      default: nil
      }
    }
    #expect(bits(try check(.double(-0.0), .double)) == 0)
    #expect(bits(try check(.double(-1e-60), .float)) == 0)
    #expect(bits(try check(.date(Date(timeIntervalSinceReferenceDate: -0.0)), .date)) == 0)
    #expect(try check(.double(0.1), .float) == .double(Double(Float(0.1))))
    for number in [
      Double.infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1 + 0.2,
    ] {
      #expect(bits(try check(.double(number), .double)) == number.bitPattern)
    }
    #expect(try check(.integer(.max), .integer64) == .integer(.max))
    #expect(try check(.integer(-32_768), .integer16) == .integer(-32_768))
    let digits = Decimal(string: "12345678901234567890123456789012345678") ?? 0
    #expect(try check(.decimal(digits), .decimal) == .decimal(digits))
    let large = Decimal(sign: .plus, exponent: 60, significand: 7)
    #expect(try check(.decimal(large), .decimal) == .decimal(large))
    #expect(try check(.string(""), .string) == "")
    #expect(try check(.null, .integer16) == .null)
  }

  @Test("a composite refuses unknown elements and what its elements refuse, by path (B311)")
  func composites() throws {
    let place = CompositeAttributeDescription(
      name: "place", elements: [AttributeDescription(name: "north", type: .float)])
    let address = CompositeAttributeDescription(
      name: "address", elements: [AttributeDescription(name: "zip", type: .integer16), place])
    let value = Value.composite(["zip": 5.0, "place": .composite(["north": -0.0])])
    #expect(
      try ValueCheck.check(value, for: address)
        == .composite(["zip": 5, "place": .composite(["north": 0])]))
    let refused: [(Value, String)] = [
      (.composite(["city": "x"]), "address.city"), (.composite(["zip": 99_999]), "address.zip"),
      (.composite(["place": .composite(["north": .double(.nan)])]), "address.place.north"),
      (.composite(["place": 1]), "address.place"), (.string("x"), "address"),
    ]
    for (value, key) in refused {
      let error = #expect(throws: PersistenceError.self) {
        try ValueCheck.check(value, for: address)
      }
      #expect(error?.key == key)
    }
  }

  @Test("a double becomes the decimal that prints alike, for every amount of cents")
  func decimalsOfDoubles() throws {
    let posix = Locale(identifier: "en_US_POSIX")
    for cents in 0..<100_000 {
      let text = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
      guard let double = Double(text), let decimal = Decimal(string: text, locale: posix),
        case .decimal(let made)? = Value.double(double).coerced(to: .decimal), made == decimal
      else {
        Issue.record("\(text)")
        return
      }
    }
    for number in [1e-7, -0.1, 123_456_789.123, 1e20, 5e100] {
      let made = try #require(Value.double(number).coerced(to: .decimal))
      guard case .decimal(let decimal) = made else {
        Issue.record("The answer has another form.")
        continue
      }
      #expect(Double(decimal.description) == number)
    }
    #expect(Value.double(1e300).coerced(to: .decimal) == nil)
    #expect(Value.double(.leastNonzeroMagnitude).coerced(to: .decimal) == nil)
  }

  @Test("equal decimals hash alike, however many zeros they end with")
  func decimalHashes() throws {
    let posix = Locale(identifier: "en_US_POSIX")
    for text in ["29963717198.97", "0.1", "-7", "0", "123456789012345678901.5", "1e20"] {
      let number = try #require(Decimal(string: text, locale: posix))
      var parts = DecimalParts(number)
      for _ in 0..<6 {
        parts.mantissa *= 10
        parts.exponent -= 1
        let other = Value.decimal(try #require(parts.decimal))
        #expect(other == .decimal(number))
        #expect(other.hashValue == Value.decimal(number).hashValue, "\(text)")
      }
    }
  }
}
