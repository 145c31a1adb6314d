// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Conditions on dictionaries, arrays, sets and plain values.
@Suite struct PlainEvaluationTests {
  /// The values that conditions are evaluated on.
  static var person: [String: Any] {
    [
      "name": "Ada", "age": 36, "height": 1.7, "born": Date(timeIntervalSinceReferenceDate: 5),
      "nickname": NSNull(), "tags": ["a", "b", "b"], "scores": Set([1, 2, 3]),
      "pets": [["name": "Rex", "age": 3], ["name": "Tom", "age": 5, "toys": ["ball", "rope"]]],
      "home": ["city": "London", "rooms": NSArray(array: [["size": 20], ["size": 30]])],
      "friends": NSSet(array: [["name": "Bo"], ["name": "Cy"]]), "nothing": [Int](),
      "bytes": Data([1, 2, 3]), "ones": [1, 1], "repeated": [2, 2], "pair": Set([1, 2]),
      "price": Decimal(string: "36.5") ?? 0, "lowest": -Double.infinity,
      "highest": Double.infinity,
    ]
  }

  static let truths: [(String, Bool)] = [
    ("name == 'Ada'", true), ("name ==[c] 'ADA'", true), ("age > 30 AND height < 2", true),
    ("nickname == nil", true), ("missing == nil", true), ("missing.deeper.still == nil", true),
    ("ANY tags == 'b'", true), ("ALL tags == 'b'", false), ("NONE tags == 'z'", true),
    ("'a' IN tags", true), ("tags CONTAINS 'a'", true), ("tags CONTAINS 'z'", false),
    ("tags.@count == 3", true), ("scores.@count == 3", true), ("scores.@sum.self == 6", true),
    ("2 IN scores", true), ("ANY scores > 2", true), ("ALL scores > 2", false),
    ("ANY pets.name BEGINSWITH 'T'", true), ("ALL pets.age > 2", true),
    ("pets.@max.age == 5", true),
    ("pets.@avg.age == 4", true), ("pets.name == {'Rex', 'Tom'}", true),
    ("ANY pets.toys == 'rope'", true), ("ANY home.rooms.size == 30", true),
    ("home.city == 'London'", true), ("home.rooms[0].size == 20", true),
    ("home.rooms[LAST].size == 30", true), ("home.rooms[SIZE] == 2", true),
    ("home.rooms[7] == nil", true), ("ANY friends.name == 'Cy'", true),
    ("SUBQUERY(pets, $p, $p.age > 3).@count == 1", true),
    ("SUBQUERY(pets, $p, $p.name == 'Rex' AND $p.age == 3).@count == 1", true),
    ("SUBQUERY(pets, $p, SUBQUERY($p.toys, $t, $t == 'ball').@count > 0).@count == 1", true),
    ("SUBQUERY(tags, $t, $t == 'b').@count == 2", true), ("name.length == 3", true),
    ("length(name) == 3", true), ("bytes.length == 3", true), ("age BETWEEN {30, 40}", true),
    ("age BETWEEN {1, 2}", false), ("age BETWEEN {30, 36}", true), ("repeated == pair", false),
    ("ones == pair", false), ("age < price", true), ("price > age", true), ("age > price", false),
    ("price > lowest", true), ("price < highest", true), ("price < lowest", false),
    ("age IN {36, 37}", true), ("age == '36'", false),
    ("age < 'x'", false), ("name > 3", false), ("age == 36.0", true), ("age + 4 == 40", true),
    ("sum(scores) == 6", true), ("max(scores) == 3", true), ("nothing.@count == 0", true),
    ("ANY nothing == 1", false), ("ALL nothing == 1", true),
    ("pets.@distinctUnionOfObjects.name.@count == 2", true),
    ("pets.@unionOfArrays.toys.@count == 2", true),
    ("ANY pets.@distinctUnionOfObjects.name == 'Rex'", true),
    ("TERNARY(age > 18, 'adult', 'child') == 'adult'", true), ("name MATCHES 'A.a'", true),
    ("name LIKE 'A*'", true), ("SELF.name == 'Ada'", true), ("SELF.@count > 5", true),
    ("born < now()", true), ("tags == {'a', 'b', 'b'}", true), ("scores == {3, 2, 1}", true),
  ]

  @Test(
    "keys are followed through dictionaries, arrays and sets (B354)", arguments: truths.indices)
  func dictionaries(_ index: Int) throws {
    let (format, truth) = Self.truths[index]
    #expect(try FetchPredicate(format).evaluate(withValue: Self.person) == truth, "\(format)")
    let wrapped = NSDictionary(dictionary: Self.person)
    #expect(try FetchPredicate(format).evaluate(withValue: wrapped) == truth, "\(format)")
  }

  @Test("a plain value and a collection are judged as SELF (B354)")
  func values() throws {
    func holds(_ format: String, _ value: Any?) throws -> Bool {
      try FetchPredicate(format).evaluate(withValue: value)
    }
    #expect(try holds("SELF == 'a'", "a"))
    #expect(try holds("SELF BEGINSWITH 'a' AND SELF.length == 2", "ab"))
    #expect(try holds("SELF > 3 AND SELF < 3.5", 3.25))
    #expect(try holds("SELF == nil", nil))
    #expect(try holds("SELF == nil", NSNull()))
    #expect(try holds("ANY SELF == 2", [1, 2]))
    #expect(try holds("SELF.@sum.self == 3", [1, 2]))
    #expect(try holds("SELF.@count == 2", NSSet(array: [1, 2])))
    #expect(try holds("2 IN SELF", Set([1, 2])))
    #expect(try holds("name == {'a', 'b'}", [["name": "a"], ["name": "b"]]))
  }

  @Test("what cannot be judged is an error (B354)")
  func errors() throws {
    let cases: [(String, Any?, PersistenceError.Code)] = [
      ("name.first == 'A'", ["name": "Ada"], .unknownKey),
      ("age.bits == 1", ["age": 3], .unknownKey),
      ("a == $x", ["a": 1], .invalidRequest), ("a MATCHES '('", ["a": "x"], .invalidPredicate),
      ("a.@nothing == 1", ["a": [1]], .invalidPredicate),
      ("a MATCHES '(a+)+b'", ["a": String(repeating: "a", count: 40)], .limitExceeded),
    ]
    for (format, value, code) in cases {
      let error = #expect(throws: PersistenceError.self, "\(format)") {
        try FetchPredicate(format).evaluate(withValue: value)
      }
      #expect(error?.code == code, "\(format)")
    }
    var deep: Any = 1
    for _ in 0..<10_000 { deep = [deep] }
    for value in [deep, ["a": deep], [["a": deep]], Optional.some(deep) as Any] {
      let error = #expect(throws: PersistenceError.self) {
        try FetchPredicate("ANY SELF == 1 OR ANY a == 1").evaluate(withValue: value)
      }
      #expect(error?.code == .limitExceeded)
    }
    var keyed: [String: Any] = [:]
    for _ in 0..<10_000 { keyed = ["a": keyed] }
    #expect(try FetchPredicate("a.a.b == nil").evaluate(withValue: keyed))
    #expect(try !FetchPredicate("a == 1 OR 1 IN a").evaluate(withValue: keyed))
    #expect(try FetchPredicate("a == $x").evaluate(withValue: ["a": 1], variables: ["x": 1]))
  }

  @Test("any condition on any value is answered or refused (B354)", arguments: 0..<8)
  func fuzz(_ seed: UInt64) throws {
    var maker = PlainMaker(seed: seed)
    for _ in 0..<1_500 {
      let condition = maker.predicate(3)
      let value = maker.value(4)
      do {
        _ = try condition.evaluate(withValue: value, variables: ["v": maker.value(2)])
      } catch let error as PersistenceError {
        #expect(!error.message.isEmpty)
      }
    }
  }
}

/// Makes random conditions and values from a seed.
private struct PlainMaker {
  private var state: UInt64
  private static let keys = ["a", "b", "c", "length", "@count", "self", "@sum", "@max", "@avg"]

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
  }

  private mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  private mutating func pick<T>(_ values: [T]) -> T { values[next(values.count)] }

  mutating func value(_ depth: Int) -> Any? {
    switch next(depth > 0 ? 14 : 10) {
    case 0: nil
    case 1: NSNull()
    case 2: pick([0, 1, -1, Int.max, Int.min])
    case 3: pick([0.5, -1e300, .infinity, -.infinity, .nan, 0])
    case 4: pick(["", "a", "ab", "36", "é", "\u{1F600}"])
    case 5: next(2) == 0
    case 6: Date(timeIntervalSinceReferenceDate: Double(next(9)) * 1e9)
    case 7: pick([Data(), Data([1, 0])])
    case 8: pick([Decimal(), Decimal(9) / 7, Decimal.greatestFiniteMagnitude])
    case 9: pick([NSNumber(value: UInt64.max), NSNumber(value: 1.5), NSNumber(value: true)])
    case 10: (0..<next(4)).map { _ in value(depth - 1) as Any }
    case 11: NSSet(array: (0..<next(4)).map { _ in next(3) })
    case 12: dictionary(depth)
    default: NSDictionary(dictionary: dictionary(depth))
    }
  }

  private mutating func dictionary(_ depth: Int) -> [String: Any] {
    var result: [String: Any] = [:]
    for key in ["a", "b", "c"] { result[key] = value(depth - 1) ?? NSNull() }
    return result
  }

  mutating func predicate(_ depth: Int) -> FetchPredicate {
    switch next(depth > 0 ? 9 : 6) {
    case 6: .and([predicate(depth - 1), predicate(depth - 1)])
    case 7: .or([predicate(depth - 1), predicate(depth - 1)])
    case 8: .not(predicate(depth - 1))
    default:
      .comparison(
        ComparisonPredicate(
          expression(depth), pick(ComparisonPredicate.Comparison.allCases), expression(depth),
          modifier: pick([.direct, .direct, .any, .all]),
          options: ComparisonPredicate.Options(rawValue: pick([0, 0, 1, 2, 3, 4, 8]))))
    }
  }

  private mutating func path() -> [String] { (0...next(3)).map { _ in pick(Self.keys) } }

  private mutating func expression(_ depth: Int) -> FetchExpression {
    switch next(depth > 0 ? 12 : 7) {
    case 0: return .evaluatedObject
    case 1, 2: return .keyPath(path())
    case 3: return .variable(pick(["v", "x"]))
    case 4: return .nullObject
    case 5, 6: return PredicateArgument.expression(value(1)) ?? .constant(.null)
    case 7: return .keyPathOf(expression(depth - 1), path())
    case 8: return .list((0..<next(4)).map { _ in expression(depth - 1) })
    case 9: return .subquery(expression(depth - 1), variable: "x", predicate(depth - 1))
    case 10: return .conditional(predicate(depth - 1), expression(depth - 1), expression(depth - 1))
    default:
      let function = pick(FetchFunction.allCases)
      let count = next(8) == 0 ? next(4) : function.arity.lowerBound
      return .function(function, (0..<count).map { _ in expression(depth - 1) })
    }
  }
}
