// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore
import Testing

/// An attribute and a value that a store must return unchanged.
struct ValueCase: CustomTestStringConvertible, Sendable {
  let attribute: String
  let value: Value
  let testDescription: String

  init(_ attribute: String, _ value: Value) {
    self.attribute = attribute
    self.value = value
    testDescription = "\(attribute) \("\(value)".prefix(60))"
  }
}

@Suite struct ValueTests {
  static let strings = [
    "", " ", "a", "é", "e\u{301}", "\u{FFFD}", "\u{10FFFF}", "🐦‍⬛", "\u{202E}",
    "\n\r\t", "'\"\\;--", "%_*?",
    "\u{D7FF}\u{E000}", String(repeating: "x", count: 1_000_000), "İıßﬀ", "مرحبا", "日本語",
  ]
  static let decimals = [
    "0", "1.10", "-1.10", "99999999999999999999999999999999999999",
    "-99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001",
    "12345678901234567890.123456789012345678", "1e127", "1e-127", "-1e-127", "0.1", "100",
  ]
  static let doubles: [Double] = [
    0, 1, -1, 0.1, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
    .greatestFiniteMagnitude, .pi, 9_007_199_254_740_994, 1e300, 1e-300,
  ]

  static var cases: [ValueCase] {
    strings.map { ValueCase("nick", .string($0)) }
      + [Int64.min, .max, 0, -1, 1 << 53, (1 << 53) + 1].map { ValueCase("big", .integer($0)) }
      + [Int64(Int32.min), Int64(Int32.max)].map { ValueCase("age", .integer($0)) }
      + doubles.map { ValueCase("score", .double($0)) }
      + (doubles + [978_307_200.123456789, -63_114_076_800]).map {
        ValueCase("created", .date(Date(timeIntervalSinceReferenceDate: $0)))
      }
      + decimals.compactMap { Decimal(string: $0) }.map { ValueCase("balance", .decimal($0)) }
      + [true, false].map { ValueCase("active", .boolean($0)) }
      + [
        ValueCase("uuid", .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))),
        ValueCase("uuid", .uuid(UUID())),
        ValueCase("photo", .data(Data())), ValueCase("photo", .data(Data([0]))),
        ValueCase("photo", .data(Data((0...255).map { UInt8($0) }))),
        ValueCase("photo", .data(Data(repeating: 7, count: 1_000_000))),
        ValueCase("extra", .transformable(TransformableValue(object: nil, encoded: Data([1])))),
        ValueCase("extra", .transformable(TransformableValue(object: nil, encoded: Data()))),
      ]
      + ["https://a.example/b?c=d%20e#f", "urn:isbn:1", "file:///srv/%E2%82%AC"].compactMap {
        URL(string: $0).map { ValueCase("site", .uri($0)) }
      }
  }

  @Test("a value comes back bit by bit, and an equal condition finds it", arguments: cases)
  func roundTrip(_ expected: ValueCase) throws {
    let office = try Office()
    let person = office.names.person
    let row = try office.insert(person, [expected.attribute: expected.value])
    try office.reopen()
    let read = try #require(try office.store.rows(forKeys: [row.key]).first)
    let slot = try #require(person.layout.slot(named: expected.attribute))
    #expect(!read.isNull(slot))
    #expect(Self.bytes(read, slot) == Self.bytes(row, slot))
    guard expected.attribute != "extra" else { return }
    let equal = compare(
      person.path(expected.attribute), .equalTo, .constant(expected.value))
    #expect(try office.rows(office.request(person, where: equal)).map(\.key) == [row.key])
    let different = compare(
      person.path(expected.attribute), .notEqualTo, .constant(expected.value))
    #expect(try office.rows(office.request(person, where: different)).isEmpty)
  }

  @Test("nil comes back as nil in every type, and is not empty or zero")
  func null() throws {
    let office = try Office()
    let empty = try office.insert(office.names.employee)
    let zero = try office.insert(
      office.names.employee,
      [
        "nick": .string(""), "age": .integer(0), "score": .double(0), "active": .boolean(false),
        "photo": .data(Data()), "balance": .decimal(0),
      ])
    try office.reopen()
    let rows = try office.store.rows(forKeys: [empty.key, zero.key])
    #expect(rows[0].layout.slots.allSatisfy(rows[0].isNull))
    for name in ["nick", "age", "score", "active", "photo", "balance"] {
      let slot = try #require(rows[1].layout.slot(named: name))
      #expect(!rows[1].isNull(slot))
    }
  }

  @Test("strings that only look alike are different and unique (value contract)")
  func normalization() throws {
    let office = try Office()
    try office.insert(office.names.person, ["email": .string("é")])
    try office.insert(office.names.person, ["email": .string("e\u{301}")])
    let same = try office.row(office.names.person, ["email": .string("é")])
    guard case .conflicted = try office.store.commit(StoreChangeSet(inserted: [same])) else {
      Issue.record("An equal value was written twice.")
      return
    }
  }

  @Test("decimals are equal as numbers: 1.10 is 1.1 for a unique value too")
  func decimalOrder() throws {
    let office = try Office()
    let person = office.names.person
    let sorted = ["-10", "-9.5", "-1", "0", "0.09", "0.1", "1", "9.99", "10", "100"]
    let values = sorted.compactMap { Decimal(string: $0) }
    try office.insert(
      try values.reversed().map { try office.row(person, ["balance": .decimal($0)]) })
    let order = ResolvedSort(
      path: person.attributePath("balance"), ascending: true, comparator: .binary)
    let slot = try #require(person.layout.slot(named: "balance"))
    let found = try office.rows(office.request(person, sort: [order])).map { $0.decimal(slot) }
    #expect(found == values)
  }

  @Test("an aggregate that leaves the range of its type is an error of its own")
  func overflow() throws {
    let office = try Office()
    let person = office.names.person
    try office.insert(
      try [Int64.max, 1].map { try office.row(person, ["big": .integer($0)]) })
    let sum = ResolvedColumns.Column(
      name: "sum", expression: .function(.sum, [person.path("big")]), isAggregate: true,
      type: .integer64)
    let request = office.request(person, result: .columns(ResolvedColumns(columns: [sum])))
    let error = #expect(throws: PersistenceError.self) { try office.store.fetch(request) }
    #expect(error?.code == .arithmeticOverflow)
    try office.insert(person, ["big": .integer(-2)])
    guard case .tuples(let values, 1) = try office.store.fetch(request).content else {
      Issue.record("The sum is in range again.")
      return
    }
    #expect(values == [.integer(.max - 1)])
  }

  @Test("large integers are not equal to the doubles that are nearest to them (value contract)")
  func exactNumbers() throws {
    let office = try Office()
    let person = office.names.person
    try office.insert(person, ["big": .integer((1 << 53) + 1)])
    let equal = compare(
      person.path("big"), .equalTo, .constant(.double(9_007_199_254_740_992)))
    #expect(try office.rows(office.request(person, where: equal)).isEmpty)
  }

  /// Returns the value of a slot as bytes.
  private static func bytes(_ row: Row, _ slot: RowSlot) -> [UInt8] {
    switch slot.kind {
    case .integer, .boolean, .reference, .position:
      withUnsafeBytes(of: row.integer(slot)) { Array($0) }
    case .double, .date: withUnsafeBytes(of: row.double(slot)) { Array($0) }
    case .string: Array(row.string(slot).utf8)
    case .data: Array(row.data(slot))
    case .uuid: withUnsafeBytes(of: row.uuid(slot)) { Array($0) }
    case .decimal: Array("\(row.decimal(slot))".utf8)
    case .uri: Array((row.uri(slot)?.absoluteString ?? "").utf8)
    case .transformable: Array(row.transformable(slot)?.encoded ?? Data([9, 9, 9]))
    }
  }
}
