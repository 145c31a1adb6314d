// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

private struct Colour: CodableAttribute, Hashable {
  var red = 0.0
  var green = 0.0
  static let fallback = Colour()
}

@Suite("Transformable values")
struct TransformableTests {
  private let attribute = AttributeDescription(name: "colour", type: .transformable)

  @Test("a registered codec makes bytes of a value and a value of bytes (B64)")
  func registered() throws {
    TransformableCodec.register("test.colour", Colour.self)
    attribute.valueTransformerName = "test.colour"
    let codec = try attribute.codec()
    let bytes = try codec.encode(Colour(red: 1))
    #expect(try codec.decode(bytes) as? Colour == Colour(red: 1))
    #expect(try codec.encode(Colour(red: 1)) == bytes)
  }

  @Test("a property list codec round-trips, and takes binary lists only")
  func propertyLists() throws {
    let codec = TransformableCodec("test.list", [String].self, format: .propertyList)
    let bytes = try codec.encode(["a", "b"])
    #expect(bytes.starts(with: Array("bplist00".utf8)))
    #expect(try codec.decode(bytes) as? [String] == ["a", "b"])
    let text = "<plist>" + String(repeating: "<array>", count: 100_000)
    #expect(throws: PersistenceError(.transformation, "")) { try codec.decode(Data(text.utf8)) }
  }

  @Test("bad bytes and values of another type are typed errors, whatever they are (B64)")
  func badBytes() throws {
    let json = TransformableCodec("test.json", [[Int]].self)
    let list = TransformableCodec("test.list", [[Int]].self, format: .propertyList)
    var random = SystemRandomNumberGenerator()
    var samples: [Data] = [
      Data(), Data([0]), Data("bplist00".utf8), Data("null".utf8), Data("{\"a\":".utf8),
      Data(String(repeating: "[", count: 100_000).utf8),
      Data("bplist00".utf8) + Data(repeating: 0xFF, count: 64),
    ]
    let good = try list.encode([[1, 2], [3]])
    for _ in 0..<200 {
      var bytes = good
      bytes[Int.random(in: 8..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      samples.append(bytes)
    }
    for sample in samples {
      for codec in [json, list] {
        do {
          _ = try codec.decode(sample)
        } catch {
          #expect(error.code == .transformation)
        }
      }
    }
    #expect(throws: PersistenceError(.transformation, "")) { try json.encode("text") }
  }

  @Test("a value is encoded once and decoded once, when it is asked for")
  func lazy() throws {
    let value = TransformableValue(Colour(red: 2), codec: .of(Colour.self))
    #expect(value.encoded == nil)
    let bytes = try value.bytes()
    #expect(value.encoded == bytes)
    let read = TransformableValue(object: nil, encoded: bytes)
    #expect(read.object == nil)
    #expect(try read.object(decodedBy: .of(Colour.self)) as? Colour == Colour(red: 2))
    #expect(read.object as? Colour == Colour(red: 2))
    #expect(Value.transformable(value) == .transformable(read))
    #expect(throws: PersistenceError(.transformation, "")) {
      try TransformableValue(object: 5, encoded: nil).bytes()
    }
  }

  @Test("an attribute encodes what its codec knows, and needs a codec for what it does not")
  func attributes() throws {
    #expect(throws: PersistenceError(.transformation, "")) { try attribute.codec() }
    #expect(throws: PersistenceError(.invalidValue, "")) {
      try attribute.makeValue(from: NSObject())
    }
    #expect(try attribute.makeValue(from: nil) == .null)
    #expect(try attribute.makeValue(from: NSNull()) == .null)
    let direct = try attribute.makeValue(from: Colour(red: 1))
    #expect(try attribute.makeAny(from: direct) as? Colour == Colour(red: 1))
    attribute.transformableCodec = .of([String].self)
    let value = try attribute.makeValue(from: ["a"])
    #expect(try attribute.makeAny(from: value) as? [String] == ["a"])
    #expect(throws: PersistenceError(.transformation, "")) { try attribute.makeValue(from: [1]) }
    let bad = Value.transformable(TransformableValue(object: nil, encoded: Data([1])))
    #expect(throws: PersistenceError(.transformation, "")) { try attribute.makeAny(from: bad) }
  }

  @Test("a transient attribute without a type keeps whatever value it is given (B5)")
  func untyped() throws {
    let cache = AttributeDescription(name: "cache")
    cache.isTransient = true
    for value in [Value.integer(5), "text", true, .list([1]), .date(.distantPast)] {
      let kept = try ValueCheck.check(value, for: cache)
      #expect(kept == (try ValueCheck.check(value, for: cache)))
      #expect(kept.hashValue == (try ValueCheck.check(value, for: cache)).hashValue)
      #expect(Value(any: try cache.makeAny(from: kept)) == value)
    }
    #expect(try cache.makeAny(from: try cache.makeValue(from: 5)) as? Int == 5)
    #expect(try ValueCheck.check(5, for: cache) != (try ValueCheck.check("5", for: cache)))
  }

  @Test("a Codable type is read from its slot; what cannot be decoded reads as nothing")
  func slots() throws {
    let entity = EntityDescription(name: "Shape")
    entity.properties = [attribute]
    try ManagedObjectModel(entities: [entity]).freeze()
    let row = Row(layout: entity.layout, key: 1, version: 1)
    let slot = entity.layout.slots[0]
    #expect(Colour._load(row.base, slot) == Colour())
    #expect(Optional<Colour>._load(row.base, slot) == nil)
    Colour._store(Colour(green: 3), row.base, slot)
    #expect(Colour._load(row.base, slot) == Colour(green: 3))
    try row.setValue(
      .transformable(TransformableValue(object: nil, encoded: Data([1]))), at: slot)
    #expect(Colour._load(row.base, slot) == Colour())
    #expect(Optional<Colour>._load(row.base, slot) == nil)
    [String]._store(["a"], row.base, slot)
    #expect([String]._load(row.base, slot) == ["a"])
    #expect([String: Int].attributeType == .transformable)
  }

  @Test(
    "a name under which no codec is registered refuses; it is never replaced by another codec (B64)"
  )
  func unregisteredNames() throws {
    attribute.transformableCodec = .of([String].self)
    attribute.valueTransformerName = "test.nobody"
    #expect(throws: PersistenceError(.transformation, "")) { try attribute.codec() }
    #expect(throws: PersistenceError(.transformation, "")) { try attribute.makeValue(from: ["a"]) }
    let late = TransformableCodec.named("test.late", orOf: .of([String].self))
    #expect(throws: PersistenceError(.transformation, "")) { try late.encode(["a"]) }
    TransformableCodec.register("test.late", [String].self, format: .propertyList)
    #expect(try late.encode(["a"]).starts(with: Array("bplist".utf8)))
    attribute.valueTransformerName = "NSSecureUnarchiveFromData"
    #expect(try attribute.codec().decode(Data("[\"a\"]".utf8)) as? [String] == ["a"])
  }

  @Test("equal sets and dictionaries have equal bytes, in whatever order they iterate (B55, B64)")
  func unorderedCollections() throws {
    let words = (0..<40).map { "word \($0)" }
    let set = TransformableCodec.of(Set<String>.self)
    let table = TransformableCodec.of([Colour: Int].self)
    let list = TransformableCodec("test.sets", Set<String>.self, format: .propertyList)
    let pairs = (0..<40).map { (Colour(red: Double($0)), $0) }
    let (bytes, tableBytes) = (
      try set.encode(Set(words)), try table.encode(Dictionary(uniqueKeysWithValues: pairs))
    )
    for capacity in [50, 200, 1000, 5000] {
      var other = Set<String>(minimumCapacity: capacity)
      for word in words.shuffled() { other.insert(word) }
      #expect(try set.encode(other) == bytes)
      #expect(try list.encode(other) == list.encode(Set(words)))
      var table2 = [Colour: Int](minimumCapacity: capacity)
      for (key, value) in pairs.shuffled() { table2[key] = value }
      #expect(try table.encode(table2) == tableBytes)
    }
    #expect(try set.decode(bytes) as? Set<String> == Set(words))
    #expect(
      try table.decode(tableBytes) as? [Colour: Int] == Dictionary(uniqueKeysWithValues: pairs))
    let plain = TransformableCodec.of([String: Int].self)
    #expect(try plain.encode(["b": 1, "a": 2]) == Data("{\"a\":2,\"b\":1}".utf8))
  }
}
