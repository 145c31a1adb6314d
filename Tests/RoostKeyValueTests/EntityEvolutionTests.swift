// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

/// Tests of migrations that change entities, constraints and indexes.
@Suite struct EntityEvolutionTests {
  static func first() throws -> ModelVersion {
    try ModelVersion("first") {
      let animal = entity("Animal", attribute("name", .string))
      let dog = entity("Dog", attribute("breed", .string))
      let owner = entity("Owner", attribute("name", .string))
      connect(toOne("pet", animal), of: owner, toMany("owners", owner), of: animal)
      connect(toMany("likes", animal), of: owner, toMany("likedBy", owner), of: animal)
      animal.subentities = [dog]
      return [animal, dog, owner]
    }
  }

  struct Zoo {
    var store: EvolvingStore
    var cat: Int64
    var dog: Int64
    var owners: [Int64]
  }

  static func filled(_ kind: EvolvingStore.Kind) throws -> Zoo {
    let store = try EvolvingStore(kind, first())
    let cat = try store.insert("Animal", ["name": .string("Tom")])
    let dog = try store.insert("Dog", ["name": .string("Rex"), "breed": .string("mixed")])
    let owners = try [cat, dog].map {
      try store.insert("Owner", ["name": .string("owner"), "pet": .integer($0)])
    }
    try store.link("Owner", "likes", owners[0], [cat, dog])
    return Zoo(store: store, cat: cat, dog: dog, owners: owners)
  }

  @Test(
    "records of a renamed entity keep their keys, and relationships lead to them (M16)",
    arguments: EvolvingStore.Kind.allCases)
  func renamed(_ kind: EvolvingStore.Kind) throws {
    let zoo = try Self.filled(kind)
    let next = try ModelVersion("renamed") {
      let animal = entity("Creature", was: "Animal", attribute("name", .string))
      let dog = entity("Hound", was: "Dog", attribute("breed", .string))
      let owner = entity("Keeper", was: "Owner", attribute("name", .string))
      connect(toOne("pet", animal), of: owner, toMany("owners", owner), of: animal)
      connect(toMany("likes", animal), of: owner, toMany("likedBy", owner), of: animal)
      animal.subentities = [dog]
      return [animal, dog, owner]
    }
    try zoo.store.evolve(to: next, from: Self.first())
    try zoo.store.reopen()
    #expect(try zoo.store.rows("Creature").map(\.key) == [zoo.cat, zoo.dog])
    #expect(try zoo.store.values("Hound", "breed") == [.string("mixed")])
    #expect(
      try zoo.store.members("Creature", "owners", [zoo.cat, zoo.dog])
        == zoo.owners.map { [$0] })
    #expect(try zoo.store.members("Keeper", "likes", zoo.owners) == [[zoo.cat, zoo.dog], []])
  }

  @Test(
    "records of a removed entity go, with their links and what leads to them (M17)",
    arguments: EvolvingStore.Kind.allCases)
  func removed(_ kind: EvolvingStore.Kind) throws {
    let zoo = try Self.filled(kind)
    let next = try ModelVersion("without dogs") {
      let animal = entity("Animal", attribute("name", .string))
      let owner = entity("Owner", attribute("name", .string))
      connect(toOne("pet", animal), of: owner, toMany("owners", owner), of: animal)
      connect(toMany("likes", animal), of: owner, toMany("likedBy", owner), of: animal)
      return [animal, owner]
    }
    let steps = try zoo.store.steps(to: next, from: Self.first())
    #expect(steps.filter { $0.kind == .drop }.map(\.title) == ["drop Dog"])
    #expect(steps.first { $0.kind == .drop }?.rows == 1)
    try zoo.store.evolve(to: next, from: Self.first())
    try zoo.store.reopen()
    #expect(try zoo.store.rows("Animal").map(\.key) == [zoo.cat])
    #expect(try zoo.store.store.rows(forKeys: [zoo.dog]).isEmpty)
    #expect(try zoo.store.values("Owner", "pet") == [.integer(zoo.cat), .null])
    #expect(try zoo.store.rows("Owner").map(\.version) == [1, 1])
    #expect(try zoo.store.members("Owner", "likes", zoo.owners) == [[zoo.cat], []])
    #expect(try zoo.store.members("Animal", "owners", [zoo.cat]) == [[zoo.owners[0]]])
    // A later entity of the same name has another code, and no records.
    try zoo.store.evolve(to: Self.first())
    #expect(try zoo.store.rows("Dog").isEmpty)
    let dog = try zoo.store.insert("Dog", ["breed": .string("new")])
    #expect(RecordKey.entityCode(of: dog) != RecordKey.entityCode(of: zoo.dog))
  }

  @Test(
    "an entity that becomes abstract must have no records (M12)",
    arguments: EvolvingStore.Kind.allCases)
  func abstract(_ kind: EvolvingStore.Kind) throws {
    let zoo = try Self.filled(kind)
    let next = try ModelVersion("abstract") {
      let animal = entity("Animal", isAbstract: true, attribute("name", .string))
      let dog = entity("Dog", attribute("breed", .string))
      let owner = entity("Owner", attribute("name", .string))
      connect(toOne("pet", animal), of: owner, toMany("owners", owner), of: animal)
      connect(toMany("likes", animal), of: owner, toMany("likedBy", owner), of: animal)
      animal.subentities = [dog]
      return [animal, dog, owner]
    }
    for body in [
      { _ = try zoo.store.steps(to: next, from: Self.first()) },
      { _ = try zoo.store.evolve(to: next, from: Self.first()) },
    ] {
      let error = failure(body)
      #expect(error?.code == .migration && error?.objectIDs.map(\.key) == [zoo.cat])
    }
    #expect(try zoo.store.rows("Animal").count == 2)
    try zoo.store.commit(StoreChangeSet(deleted: [RowVersion(key: zoo.cat, version: 1)]))
    try zoo.store.evolve(to: next)
    #expect(try zoo.store.rows("Animal").map(\.key) == [zoo.dog])
  }

  @Test(
    "an entity moves under a new parent, and an attribute up to it (M12)",
    arguments: EvolvingStore.Kind.allCases)
  func hierarchy(_ kind: EvolvingStore.Kind) throws {
    func version(_ isUnited: Bool) throws -> ModelVersion {
      try ModelVersion("places") {
        let house = entity("House", attribute("floors", .integer16))
        let park = entity("Park", attribute("trees", .integer16))
        guard isUnited else {
          for place in [house, park] { place.properties.append(attribute("name", .string)) }
          return [house, park]
        }
        let place = entity(
          "Place", isAbstract: true, attribute("name", .string),
          attribute("open", .boolean, default: .boolean(true)))
        place.subentities = [house, park]
        place.uniquenessConstraints = [["name"]]
        return [place, house, park]
      }
    }
    let store = try EvolvingStore(kind, version(false))
    let house = try store.insert("House", ["name": .string("h"), "floors": .integer(2)])
    let park = try store.insert("Park", ["name": .string("p"), "trees": .integer(100)])
    try store.evolve(to: version(true), from: version(false))
    try store.reopen()
    #expect(try store.rows("Place").map(\.key).sorted() == [house, park].sorted())
    #expect(try store.values("House", "floors") == [.integer(2)])
    #expect(try store.values("Park", "trees") == [.integer(100)])
    #expect(try store.keys("Place", "name", .string("p")) == [park])
    #expect(try store.values("Place", "open") == [.boolean(true), .boolean(true)])
    try store.evolve(to: version(false))
    #expect(try store.values("House", "name") == [.string("h")])
  }

  @Test(
    "a new constraint is checked before anything is written, and names who is in its way (M13)",
    arguments: EvolvingStore.Kind.allCases)
  func constraint(_ kind: EvolvingStore.Kind) throws {
    func version(_ isUnique: Bool) throws -> ModelVersion {
      try ModelVersion("mail") {
        [
          entity(
            "User", unique: isUnique ? [["mail"]] : [], indexed: ["mail"],
            attribute("mail", .string))
        ]
      }
    }
    let store = try EvolvingStore(kind, version(false))
    let long = String(repeating: "x", count: 600)
    let keys = try ["a", "b", "a", long, long + "1", long].map {
      try store.insert("User", ["mail": .string($0)])
    }
    try store.insert("User", [:])
    try store.insert("User", [:])
    for body in [
      { _ = try store.steps(to: version(true), from: version(false)) },
      { _ = try store.evolve(to: version(true), from: version(false)) },
    ] {
      let error = failure(body)
      #expect(error?.code == .migrationConstraintViolation)
      #expect(
        error.map { Set($0.objectIDs.map(\.key)) } == [keys[0], keys[2], keys[3], keys[5]])
      #expect(error?.message.contains("4 records") == true)
    }
    #expect(try store.rows("User").count == 8)
    try store.commit(
      StoreChangeSet(deleted: [keys[0], keys[3]].map { RowVersion(key: $0, version: 1) }))
    try store.evolve(to: version(true))
    try store.reopen()
    #expect(throws: PersistenceError.self) { try store.insert("User", ["mail": .string("b")]) }
    #expect(try store.plan("User", by: "mail", .string("b")).contains("mail"))
    try store.evolve(to: version(false))
    try store.insert("User", ["mail": .string("b")])
  }

  @Test(
    "more duplicates than are named are counted (M13)", arguments: EvolvingStore.Kind.allCases)
  func manyDuplicates(_ kind: EvolvingStore.Kind) throws {
    func version(_ isUnique: Bool) throws -> ModelVersion {
      try ModelVersion("mail") {
        [entity("User", unique: isUnique ? [["mail"]] : [], attribute("mail", .string))]
      }
    }
    let store = try EvolvingStore(kind, version(false))
    let rows = try (1...250).map { number in
      try store.row(
        "User", key: RecordKey.make(sequence: number, entityCode: 1), ["mail": .string("same")])
    }
    try store.commit(StoreChangeSet(inserted: rows))
    let error = failure { try store.evolve(to: version(true), from: version(false)) }
    #expect(error?.code == .migrationConstraintViolation && error?.objectIDs.count == 100)
    #expect(error?.message.contains("250 records") == true)
  }

  @Test(
    "counts of members are right after members were removed with their entity (M14, M17)",
    arguments: EvolvingStore.Kind.allCases)
  func countedMembers(_ kind: EvolvingStore.Kind) throws {
    func version(_ hasDogs: Bool) throws -> ModelVersion {
      try ModelVersion("counted") {
        let animal = entity("Animal", attribute("name", .string))
        let dog = entity("Dog", attribute("breed", .string))
        let owner = entity("Owner", derived("count", .integer64, "pets.@count"))
        connect(toMany("pets", animal), of: owner, toOne("owner", owner), of: animal)
        guard hasDogs else { return [animal, owner] }
        animal.subentities = [dog]
        return [animal, dog, owner]
      }
    }
    let store = try EvolvingStore(kind, version(true))
    let owner = try store.insert("Owner", [:])
    for name in ["Animal", "Dog", "Dog"] {
      try store.insert(name, ["owner": .integer(owner)])
    }
    #expect(try store.values("Owner", "count") == [.integer(3)])
    try store.evolve(to: version(false), from: version(true))
    try store.reopen()
    #expect(try store.values("Owner", "count") == [.integer(1)])
  }
}
