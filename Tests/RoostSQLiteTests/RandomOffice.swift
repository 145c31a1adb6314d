// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// A generator of random numbers that are the same for a seed.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var result = state
    result = (result ^ (result >> 30)) &* 0xBF58_476D_1CE4_E5B9
    result = (result ^ (result >> 27)) &* 0x94D0_49BB_1331_11EB
    return result ^ (result >> 31)
  }
}

/// An office filled at random, with many equal, missing and strange values, in the store and in memory.
struct RandomOffice {
  let office: Office
  let source: OfficeSource
  var random: SplitMix

  init(seed: UInt64, people: Int = 40) throws {
    office = try Office()
    source = OfficeSource(office.names.schema(office.store.identity))
    random = SplitMix(seed: seed)
    try fill(people)
  }

  static let texts = [
    "", "a", "A", "ab", "abc", "Abc", "b", "é", "e\u{301}", "É", "ß", "ss", "SS", "Ø", "%", "_",
    "*",
    "a*c", "\u{10FFFF}", "\u{D7FF}", "\u{E000}", "\u{10FFFF}\u{10FFFF}", "'", "\"", "\\", "İ", "🐦",
    "abcabc",
  ]
  static let integers: [Int64] = [0, 1, -1, 2, 3, 7, 42, .max, .min, 1 << 53, (1 << 53) + 1]
  static let doubles: [Double] = [
    0, 1, -1, 0.5, 1.5, 2, 42, .infinity, -.infinity, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude, 9_007_199_254_740_992,
  ]
  static let decimals = [
    "0", "1", "1.10", "-1", "-1.5", "99999999999999999999999999999999999999", "0.00000001", "42",
    "-0.1", "100", "10",
  ].compactMap { Decimal(string: $0) }

  /// Returns a random value of a type; sometimes nil.
  mutating func value(_ type: AttributeType) -> Value {
    Int.random(in: 0..<5, using: &random) == 0 ? .null : present(type)
  }

  /// Returns a random value of a type.
  mutating func present(_ type: AttributeType) -> Value {
    switch type {
    case .integer16, .integer32: .integer(Int64.random(in: -3...4, using: &random))
    case .integer64: .integer(pick(Self.integers))
    case .double: .double(pick(Self.doubles))
    case .decimal: .decimal(pick(Self.decimals))
    case .boolean: .boolean(Bool.random(using: &random))
    case .date: .date(Date(timeIntervalSinceReferenceDate: pick(Self.doubles.filter(\.isFinite))))
    case .uuid: .uuid(pick(Self.uuids))
    case .binaryData: .data(Data(pick(Self.texts).utf8))
    case .uri: .uri(pick(Self.urls))
    case .transformable:
      .transformable(TransformableValue(object: nil, encoded: Data(pick(Self.texts).utf8)))
    default: .string(pick(Self.texts))
    }
  }

  private static let uuids = (0..<4).map { number in
    UUID(uuid: (UInt8(number * 80), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
  }
  private static let urls = ["http://a.example", "https://b.example/c", "urn:x"].compactMap(
    URL.init(string:))

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private mutating func fill(_ people: Int) throws {
    let names = office.names
    var rows: [Row] = []
    let departments = try (0..<5).map { _ in try row(names.department) }
    let tags = try (0..<4).map { _ in try row(names.tag) }
    let managers = try (0..<4).map { _ in try row(names.manager) }
    rows += departments + tags + managers
    for number in 0..<people {
      let person = try row(number.isMultiple(of: 3) ? names.employee : names.person)
      if let slot = person.layout.slot(named: "boss"), Int.random(in: 0..<4, using: &random) > 0 {
        person.setInteger(pick(managers).key, at: slot)
      }
      rows.append(person)
    }
    for row in rows {
      if let slot = row.layout.slot(named: "department"), Int.random(in: 0..<3, using: &random) > 0
      {
        row.setInteger(pick(departments).key, at: slot)
      }
      source.add(row)
    }
    try office.insert(rows)
    let persons = source.rows(names.person)
    var links: [LinkChange] = []
    for table in names.model.linkTables {
      let isFriends = table.relationship.name == "friends" || table.inverse?.name == "friends"
      for _ in 0..<people {
        let one = pick(persons).key
        let ends = isFriends ? (one, pick(persons).key) : ends(of: table, one, pick(tags).key)
        for (source, destination) in isFriends ? [ends, (ends.1, ends.0)] : [ends] {
          self.source.link(table, source, destination)
          links.append(
            LinkChange(
              table: table, source: source, destination: destination,
              kind: .link(position: Int64(links.count), inversePosition: nil)))
        }
      }
    }
    _ = try office.store.commit(StoreChangeSet(links: links))
  }

  private func ends(of table: LinkTable, _ person: Int64, _ tag: Int64) -> (Int64, Int64) {
    let isPersonFirst = table.relationship.entity?.name == "Person"
    return isPersonFirst ? (person, tag) : (tag, person)
  }

  private mutating func row(_ entity: EntityDescription) throws -> Row {
    var values: [String: Value] = [:]
    // Uniqueness constraints would refuse most of the rows.
    for attribute in entity.attributesInOrder where !["email", "badge"].contains(attribute.name) {
      let isUnique = attribute.name == "name" && entity.isKindOf(entity: office.names.person)
      values[attribute.name] = isUnique ? .null : value(attribute.type)
    }
    return try office.row(entity, values)
  }
}
