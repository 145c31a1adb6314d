// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

/// A row with one slot of each kind, and values for them.
private struct AllKinds {
  let entity = EntityDescription(name: "All")
  let model: ManagedObjectModel
  let values: [(AttributeType, [Value])]

  init() throws {
    let transformable = TransformableValue(object: nil, encoded: Data([1, 2, 3]))
    values = [
      (.integer16, [.integer(1), .integer(-1)]), (.boolean, [true, false]),
      (.double, [1.5, .double(.infinity)]),
      (.date, [.date(Date(timeIntervalSinceReferenceDate: 1)), .date(.distantPast)]),
      (.string, [.string(String(repeating: "long string ", count: 9)), "\u{E9}"]),
      (.binaryData, [.data(Data(count: 1000)), .data(Data())]),
      (.uuid, [.uuid(UUID()), .uuid(UUID())]),
      (.decimal, [.decimal(Decimal(string: "-1.25") ?? 0), .decimal(7)]),
      (.uri, [.uri(URL(filePath: "/a")), .uri(URL(filePath: "/b"))]),
      (
        .transformable,
        [
          .transformable(transformable),
          .transformable(TransformableValue(object: nil, encoded: Data([4]))),
        ]
      ),
    ]
    entity.properties = values.map {
      AttributeDescription(name: $0.0.description, type: $0.0)
    }
    model = ManagedObjectModel(entities: [entity])
    try model.freeze()
  }

  func row(_ choice: Int) throws -> Row {
    let row = Row(layout: entity.layout, key: 4097, version: 1)
    for (slot, value) in zip(entity.layout.slots, values) {
      try row.setValue(value.1[choice], at: slot)
    }
    return row
  }
}

@Suite("Rows")
struct RowTests {
  @Test("a slot gives back what was set, and nil after it was made nil")
  func values() throws {
    let all = try AllKinds()
    let row = try all.row(0)
    for (slot, value) in zip(all.entity.layout.slots, all.values) {
      #expect(row.value(at: slot) == value.1[0])
      try row.setValue(.null, at: slot)
      #expect(row.value(at: slot) == .null)
      #expect(row.isNull(slot))
      try row.setValue(value.1[1], at: slot)
      #expect(row.value(at: slot) == value.1[1])
    }
  }

  @Test("a copy is changed without its original")
  func copies() throws {
    let all = try AllKinds()
    let row = try all.row(0)
    let copy = row.copy(version: 2)
    #expect(copy.version == 2)
    #expect(copy.key == 4097)
    #expect(copy.changedSlots(from: row) == [])
    let other = try all.row(1)
    for slot in all.entity.layout.slots { copy.copySlot(slot, from: other) }
    #expect(copy.changedSlots(from: other) == [])
    #expect(copy.changedSlots(from: row) == Array(0..<all.values.count))
    for (slot, value) in zip(all.entity.layout.slots, all.values) {
      #expect(row.value(at: slot) == value.1[0])
    }
    let empty = Row(layout: all.entity.layout, key: 1, version: 1)
    for slot in all.entity.layout.slots { copy.copySlot(slot, from: empty) }
    #expect(copy.changedSlots(from: empty) == [])
  }

  @Test("a slot of another kind refuses a value and stays as it is")
  func wrongKind() throws {
    let all = try AllKinds()
    let row = try all.row(0)
    for slot in all.entity.layout.slots where slot.kind != .boolean {
      let before = row.value(at: slot)
      #expect(throws: PersistenceError(.invalidValue, "")) {
        try row.setValue(.boolean(true), at: slot)
      }
      #expect(row.value(at: slot) == before)
    }
  }

  @Test("slots are compared as stores compare: strings by bytes, decimals as numbers (B55)")
  func equality() throws {
    let all = try AllKinds()
    let left = try all.row(0)
    let right = try all.row(0)
    let text = try #require(all.entity.layout.slot(named: "string"))
    let price = try #require(all.entity.layout.slot(named: "decimal"))
    left.setString("e\u{301}", at: text)
    right.setString("\u{E9}", at: text)
    #expect(!left.equals(right, at: text))
    left.setDecimal(Decimal(string: "1.10") ?? 0, at: price)
    right.setDecimal(Decimal(string: "1.1") ?? 0, at: price)
    #expect(left.equals(right, at: price))
    right.setNull(text)
    left.setString("", at: text)
    #expect(!left.equals(right, at: text))
  }

  @Test("a Swift type reads and writes its slot; nil is the null bit", arguments: [0])
  func attributeValues(_: Int) throws {
    let all = try AllKinds()
    let row = try all.row(0)
    func roundTrip<T: AttributeValue & Equatable>(_ value: T, _ name: String) throws {
      let slot = try #require(all.entity.layout.slot(named: name))
      T._store(value, row.base, slot)
      #expect(T._load(row.base, slot) == value)
      #expect(T(row.value(at: slot)) == value)
      #expect(value.attributeValue == row.value(at: slot))
      Optional<T>._store(nil, row.base, slot)
      #expect(row.isNull(slot))
      #expect(Optional<T>._load(row.base, slot) == nil)
      #expect(Optional<T>(Value.null) == .some(nil))
      Optional<T>._store(value, row.base, slot)
      #expect(Optional<T>._load(row.base, slot) == value)
      #expect(Optional<T>.isOptionalValue && !T.isOptionalValue)
      #expect(T.attributeType.slotKind == slot.kind)
    }
    try roundTrip(Int16(-5), "integer16")
    try roundTrip(Int32.max, "integer16")
    try roundTrip(Int64.min, "integer16")
    try roundTrip(42, "integer16")
    try roundTrip(true, "boolean")
    try roundTrip(0.1, "double")
    try roundTrip(Float(0.1), "double")
    try roundTrip(Date.distantFuture, "date")
    try roundTrip("Größe 😀", "string")
    try roundTrip(Data([1, 2]), "binaryData")
    try roundTrip(UUID(), "uuid")
    try roundTrip(Decimal(string: "1.5") ?? 0, "decimal")
    try roundTrip(URL(filePath: "/dev/null"), "uri")
    #expect(Int16(Value.integer(40_000)) == nil)
    #expect(Int16(Value.string("1")) == nil)
  }

  @Test("an enumeration is its raw value; an unknown one reads as nil or as the first case")
  func enumerations() throws {
    enum Priority: Int16, AttributeEnumeration { case low, normal, high }
    enum Colour: String, AttributeEnumeration { case red, green }
    let all = try AllKinds()
    let row = try all.row(0)
    let slot = try #require(all.entity.layout.slot(named: "integer16"))
    Priority._store(.high, row.base, slot)
    #expect(row.value(at: slot) == 2)
    #expect(Priority._load(row.base, slot) == .high)
    #expect(Priority.attributeType == .integer16)
    #expect(Colour.attributeType == .string)
    row.setInteger(9, at: slot)
    #expect(Priority._load(row.base, slot) == .low)
    #expect(Optional<Priority>._load(row.base, slot) == nil)
    #expect(Priority(Value.integer(9)) == nil)
    #expect(Value(any: Priority.high, type: .integer16) == 2)
    #expect(Value(any: Colour.green) == "green")
  }
}
