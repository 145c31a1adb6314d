// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

/// Tests of migrations that change attributes.
@Suite struct AttributeEvolutionTests {
  static func people(_ properties: PropertyDescription...) throws -> ModelVersion {
    try ModelVersion("people") {
      let person = EntityDescription(name: "Person")
      person.properties = properties
      return [person]
    }
  }

  static func first() throws -> ModelVersion {
    try people(attribute("name", .string), attribute("age", .integer32))
  }

  static func filled(_ kind: EvolvingStore.Kind) throws -> EvolvingStore {
    let store = try EvolvingStore(kind, first())
    try store.insert("Person", ["name": .string("Ada"), "age": .integer(36)])
    try store.insert("Person", ["name": .string("Grace")])
    return store
  }

  @Test(
    "a new attribute has its default in old records, on every way to read them (M9, M16)",
    arguments: EvolvingStore.Kind.allCases)
  func added(_ kind: EvolvingStore.Kind) throws {
    let store = try Self.filled(kind)
    let keys = try store.rows("Person").map(\.key)
    let next = try Self.people(
      attribute("name", .string), attribute("age", .integer32),
      attribute("score", .integer64, default: .integer(7), isOptional: false),
      attribute("note", .string, default: .string("a text of more than fifteen bytes")),
      attribute("born", .date), attribute("rank", .double, default: .double(1.5)))
    try store.evolve(to: next, from: Self.first())
    for _ in 0..<2 {
      #expect(try store.rows("Person").map(\.key) == keys)
      #expect(try store.values("Person", "score") == [.integer(7), .integer(7)])
      #expect(try store.values("Person", "rank") == [.double(1.5), .double(1.5)])
      #expect(
        try store.values("Person", "note")
          == Array(repeating: .string("a text of more than fifteen bytes"), count: 2))
      #expect(try store.values("Person", "born") == [.null, .null])
      #expect(try store.values("Person", "name") == [.string("Ada"), .string("Grace")])
      #expect(try store.rows("Person").map(\.version) == [1, 1])
      #expect(try store.keys("Person", "score", .integer(7)) == keys)
      #expect(try store.keys("Person", "score", .integer(8)) == [])
      #expect(try store.keys("Person", "rank", .double(1.5)) == keys)
      #expect(
        try store.store.row(forKey: keys[0])?.value(
          at: #require(next.entity("Person").layout.slot(named: "score"))) == .integer(7))
      try store.reopen()
    }
    // The condition is evaluated on old and new records.
    let third = try store.insert("Person", ["name": .string("Barbara"), "score": .integer(8)])
    let fourth = try store.insert("Person", ["score": .integer(7)])
    #expect(try store.keys("Person", "score", .integer(8)) == [third])
    #expect(try store.keys("Person", "score", .integer(7)) == keys + [fourth])
    #expect(try store.keys("Person", "rank", .double(1.5)) == keys)
    #expect(try store.keys("Person", "rank", .null) == [third, fourth])
  }

  @Test(
    "a renamed attribute has its values, also where names are exchanged (M8)",
    arguments: EvolvingStore.Kind.allCases)
  func renamed(_ kind: EvolvingStore.Kind) throws {
    let store = try EvolvingStore(
      kind, Self.people(attribute("first", .string), attribute("last", .string)))
    try store.insert("Person", ["first": .string("Ada"), "last": .string("Lovelace")])
    try store.evolve(
      to: Self.people(
        attribute("first", .string, was: "last"), attribute("last", .string, was: "first")),
      from: Self.people(attribute("first", .string), attribute("last", .string)))
    try store.reopen()
    #expect(try store.values("Person", "first") == [.string("Lovelace")])
    #expect(try store.values("Person", "last") == [.string("Ada")])
    try store.evolve(
      to: Self.people(
        attribute("family", .string, was: "first"), attribute("last", .string)))
    #expect(try store.values("Person", "family") == [.string("Lovelace")])
    #expect(try store.values("Person", "last") == [.string("Ada")])
  }

  @Test(
    "a removed attribute is gone, and another one of its name and of another type begins anew (M17)",
    arguments: EvolvingStore.Kind.allCases)
  func removed(_ kind: EvolvingStore.Kind) throws {
    let store = try Self.filled(kind)
    let without = try Self.people(attribute("name", .string))
    let steps = try store.steps(to: without, from: Self.first())
    #expect(steps.map(\.title) == ["drop Person.age"])
    #expect(steps.map(\.kind) == [.drop] && steps.map(\.rows) == [1])
    try store.evolve(to: without, from: Self.first())
    #expect(try store.values("Person", "name") == [.string("Ada"), .string("Grace")])
    try store.evolve(
      to: Self.people(
        attribute("name", .string), attribute("age", .string, default: .string("young"))))
    try store.reopen()
    #expect(try store.values("Person", "age") == [.string("young"), .string("young")])
    try store.evolve(
      to: Self.people(attribute("age", .string), attribute("years", .string, was: "name")))
    #expect(try store.values("Person", "age") == [.string("young"), .string("young")])
    #expect(try store.values("Person", "years") == [.string("Ada"), .string("Grace")])
  }

  @Test(
    "an attribute that must have a value now has its default where it had none (M9)",
    arguments: EvolvingStore.Kind.allCases)
  func required(_ kind: EvolvingStore.Kind) throws {
    let store = try Self.filled(kind)
    let next = try Self.people(
      attribute("name", .string),
      attribute("age", .integer32, default: .integer(18), isOptional: false))
    #expect(
      try store.steps(to: next, from: Self.first()).map(\.rows).reduce(0, +)
        == 1 + (kind == .lmdb ? 0 : 0))
    try store.evolve(to: next, from: Self.first())
    try store.reopen()
    #expect(try store.values("Person", "age") == [.integer(36), .integer(18)])
    #expect(try store.rows("Person").map(\.version) == [1, 1])
  }

  @Test("values are converted, and nothing else is (M10)", arguments: EvolvingStore.Kind.allCases)
  func converted(_ kind: EvolvingStore.Kind) throws {
    let old = {
      try Self.people(
        attribute("size", .integer32), attribute("site", .string), attribute("home", .uri))
    }
    let store = try EvolvingStore(kind, old())
    let url = try #require(URL(string: "https://example.org/a"))
    try store.insert(
      "Person",
      ["size": .integer(3), "site": .string("https://example.org/b"), "home": .uri(url)])
    try store.insert("Person", [:])
    try store.evolve(
      to: Self.people(
        attribute("size", .double), attribute("site", .uri), attribute("home", .string)),
      from: old())
    for _ in 0..<2 {
      #expect(try store.values("Person", "size") == [.double(3), .null])
      #expect(
        try store.values("Person", "site")
          == [.uri(try #require(URL(string: "https://example.org/b"))), .null])
      #expect(try store.values("Person", "home") == [.string(url.absoluteString), .null])
      try store.reopen()
    }
  }

  @Test(
    "a text that is no URI is refused with the records that have one, and nothing changes (M10)",
    arguments: EvolvingStore.Kind.allCases)
  func refusedText(_ kind: EvolvingStore.Kind) throws {
    let old = { try Self.people(attribute("site", .string)) }
    let store = try EvolvingStore(kind, old())
    let bad = try store.insert("Person", ["site": .string("http://[")])
    try store.insert("Person", ["site": .string("a:b")])
    let next = try Self.people(attribute("site", .uri))
    for body in [
      { _ = try store.steps(to: next, from: old()) }, { try store.evolve(to: next, from: old()) },
    ] {
      let error = failure(body)
      #expect(error?.code == .migration && error?.objectIDs.map(\.key) == [bad])
    }
    #expect(try store.values("Person", "site") == [.string("http://["), .string("a:b")])
  }

  @Test(
    "derived attributes are computed for all records (M14)", arguments: EvolvingStore.Kind.allCases)
  func derivedValues(_ kind: EvolvingStore.Kind) throws {
    let store = try Self.filled(kind)
    let next = try Self.people(
      attribute("name", .string), attribute("age", .integer32),
      derived("upper", .string, "uppercase:(name)"))
    #expect(
      try store.steps(to: next, from: Self.first()).filter { $0.kind == .fill }.map(\.title)
        == ["compute Person.upper"])
    try store.evolve(to: next, from: Self.first())
    #expect(try store.values("Person", "upper") == [.string("ADA"), .string("GRACE")])
    // Its expression changes, and so does the derived value.
    try store.evolve(
      to: Self.people(
        attribute("name", .string), derived("upper", .string, "uppercase:(name)"),
        attribute("age", .integer32, default: .integer(1), isOptional: false)))
    try store.reopen()
    #expect(try store.values("Person", "upper") == [.string("ADA"), .string("GRACE")])
    #expect(try store.values("Person", "age") == [.integer(36), .integer(1)])
  }
}
