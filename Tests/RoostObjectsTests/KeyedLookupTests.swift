// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite("Names and values of keyed access")
struct KeyedLookupTests {
  @Test("a property is found by its name, however long it is and whatever it is like (B53)")
  func names() throws {
    // 15 and 16 bytes; alike in length and at both ends; of more bytes than letters; many.
    var names = [
      "a", "exactlyFifteen_", "exactly_sixteen_", "numberOf_red_inThings", "numberOf_big_inThings",
      "größe", "名前", "größteHöheÜberDemMeer",
    ]
    names += (0..<120).map { "p\($0)" } + (0..<60).map { "property_with_number_\($0)" }
    let object = try Self.object(names.map { ($0, .integer64) })
    for (number, name) in names.enumerated() { try object.setValue(number, forKey: name) }
    for (number, name) in names.enumerated() {
      #expect(try object.value(forKey: name) as? Int == number, "\(name)")
      #expect(try object.exchangeValue(forKey: name) == .integer(Int64(number)), "\(name)")
      #expect(try object.primitiveValue(forKey: name) as? Int == number, "\(name)")
      #expect(try object.value(forKeyPath: name) as? Int == number, "\(name)")
    }
    for name in ["", "b", "p120", "exactlyFifteen", "numberOf_raw_inThings", "p1 ", "größ"] {
      #expect(code { _ = try object.value(forKey: name) } == .unknownKey, "\(name)")
      #expect(code { _ = try object.exchangeValue(forKey: name) } == .unknownKey, "\(name)")
      #expect(code { _ = try object.primitiveValue(forKey: name) } == .unknownKey, "\(name)")
      #expect(code { try object.setValue(1, forKey: name) } == .unknownKey, "\(name)")
    }
  }

  @Test("a name is the same name in whatever way a program made it (B53)")
  func strings() throws {
    let object = try Self.object([("größe", .integer64), ("age", .integer64)])
    try object.setValue(7, forKey: "gro\u{308}ße")
    #expect(try object.value(forKey: "größe") as? Int == 7)
    #expect(try object.value(forKey: "gro\u{308}ße") as? Int == 7)
    var roomy = ""
    roomy.reserveCapacity(100)
    roomy += "age"
    try object.setValue(8, forKey: roomy)
    #expect(try object.value(forKey: "age") as? Int == 8)
    #expect(try object.value(forKey: roomy) as? Int == 8)
    #expect(try object.value(forKey: String("my age".dropFirst(3))) as? Int == 8)
    #expect(try object.value(forKey: NSString(string: "age") as String) as? Int == 8)
  }

  @Test("a number can be cast to what Core Data's can be cast to, shared or not (B35)")
  func numbers() throws {
    let object = try Self.object([("number", .integer64), ("truth", .boolean)])
    for number in [Int64.min, -2, -1, 0, 1, 7, 1022, 1023, 1024, 40_000, .max] {
      try object.setValue(number, forKey: "number")
      let value = try object.value(forKey: "number")
      #expect(value as? Int64 == number && value as? Int == Int(number))
      #expect(value as? Int32 == Int32(exactly: number))
      #expect((value as? NSNumber) == NSNumber(value: number))
      #expect((value as? Bool) == (number == 0 || number == 1 ? number == 1 : nil))
      // It is read back as a number, never as a Boolean.
      #expect(Value(any: value) == .integer(number))
    }
    for truth in [true, false] {
      try object.setValue(truth, forKey: "truth")
      let value = try object.value(forKey: "truth")
      #expect(value as? Bool == truth && value as? Int == (truth ? 1 : 0))
      #expect((value as? NSNumber) == NSNumber(value: truth))
      #expect(Value(any: value) == .boolean(truth))
    }
  }

  @Test("values of every type are read as they were set, and nil as nil (B53, B54)")
  func types() throws {
    let values: [(type: AttributeType, value: any Equatable)] = [
      (.integer16, Int16(-3)), (.integer32, Int32(70_000)), (.integer64, Int64(1) << 40),
      (.double, 2.5), (.float, Float(0.1)), (.boolean, true), (.string, "short"),
      (.string, "a text that is longer than a small string"),
      (.date, Date(timeIntervalSince1970: 3)),
      (.binaryData, Data([1, 2])), (.uuid, UUID()), (.decimal, Decimal(string: "1.25") ?? 0),
      (.uri, URL(filePath: "/a/b")),
    ]
    let object = try Self.object(values.enumerated().map { ("v\($0.offset)", $0.element.type) })
    for (number, (_, value)) in values.enumerated() {
      let key = "v\(number)"
      #expect(try object.value(forKey: key) == nil && object.primitiveValue(forKey: key) == nil)
      try object.setValue(value, forKey: key)
      #expect(Self.isEqual(try object.value(forKey: key), value), "\(key)")
      #expect(Self.isEqual(try object.primitiveValue(forKey: key), value), "\(key)")
      try object.setValue(nil, forKey: key)
      #expect(try object.value(forKey: key) == nil)
      try object.setValue(value, forKey: key)
      try object.setValue(NSNull(), forKey: key)
      #expect(try object.value(forKey: key) == nil)
    }
  }

  @Test("numbers of every type are taken, if they have room (B53)")
  func settingNumbers() throws {
    let object = try Self.object([("n", .integer16), ("d", .double), ("b", .boolean)])
    let sevens: [any Sendable] = [
      7, Int8(7), Int16(7), Int32(7), Int64(7), UInt8(7), UInt(7), UInt64(7), 7.0, Float(7),
      Decimal(7),
    ]
    for seven in sevens {
      for key in ["n", "d"] {
        try object.setValue(nil, forKey: key)
        try object.setValue(seven, forKey: key)
        #expect(try object.value(forKey: key) as? Int == 7, "\(key) of \(type(of: seven))")
      }
    }
    for seven in [NSNumber(value: 7), NSNumber(value: 7.0), NSDecimalNumber(value: 7)] {
      try object.setValue(nil, forKey: "n")
      try object.setValue(seven, forKey: "n")
      #expect(try object.value(forKey: "n") as? Int == 7)
    }
    try object.setValue(NSNumber(value: true), forKey: "b")
    #expect(try object.value(forKey: "b") as? Bool == true)
    let unfit: [any Sendable] = [40_000, 7.5, "7", true, Date(), UInt64.max]
    for wrong in unfit {
      #expect(code { try object.setValue(wrong, forKey: "n") } == .invalidValue, "\(wrong)")
    }
    #expect(try object.value(forKey: "n") as? Int == 7)
  }

  /// Returns an object without a custom class, with optional attributes.
  private static func object(_ attributes: [(name: String, type: AttributeType)]) throws
    -> ManagedObject
  {
    let entity = EntityDescription(name: "Thing")
    entity.properties = attributes.map { AttributeDescription(name: $0.name, type: $0.type) }
    let container = try PersistentContainer(
      name: "keys", model: ManagedObjectModel(entities: [entity]), stores: [.inMemory()])
    try container.loadPersistentStores()
    let object = ManagedObject(entity: entity, insertInto: nil)
    return object
  }

  private static func isEqual<T: Equatable>(_ any: Any?, _ value: T) -> Bool {
    any as? T == value
  }
}
