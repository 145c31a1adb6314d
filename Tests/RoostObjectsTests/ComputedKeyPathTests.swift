// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

/// Tests that a key path must name a stored property: no store can evaluate a getter.
@Suite struct ComputedKeyPathTests {
  private func makeContext() throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(Vessel.self, Skipper.self, VesselDeck.self)
    let container = try PersistentContainer(name: "a", model: model, stores: [.inMemory()])
    try container.loadPersistentStores()
    let context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
    for (name, age) in [("ada", 36), ("bo", 12), ("ADA", 3)] {
      let sailor = Mariner(context: context)
      sailor.name = name
      sailor.age = Int32(age)
    }
    try context.save()
    return context
  }

  private func path(_ keyPath: AnyKeyPath) -> [String]? { ManagedObject.propertyPath(for: keyPath) }

  @Test("a key path of stored properties has their names (B365)")
  func stored() {
    let stored: [(AnyKeyPath, [String])] = [
      (\Mariner.name, ["name"]), (\Mariner.nickname, ["nickname"]),
      (\Mariner.nickname!, ["nickname"]),
      (\Mariner.age, ["age"]), (\Mariner.height, ["height"]), (\Mariner.isNew, ["isNew"]),
      (\Mariner.born, ["born"]), (\Mariner.joined, ["joined"]), (\Mariner.rank, ["rank"]),
      (\Mariner.formerRank, ["formerRank"]), (\Mariner.level, ["level"]),
      (\Mariner.flags, ["flags"]),
      (\Mariner.badge, ["badge"]), (\Mariner.tags, ["tags"]), (\Mariner.picture, ["picture"]),
      (\Mariner.code, ["code"]), (\Mariner.ship, ["ship"]),
      (\Mariner.ship?.name, ["ship", "name"]),
      (\Mariner.ship!.name, ["ship", "name"]), (\Mariner.ship?.crew, ["ship", "crew"]),
      (\Mariner.ship?.captain?.age, ["ship", "captain", "age"]),
      (\Mariner.ship?.captain?.ship?.decks, ["ship", "captain", "ship", "decks"]),
      (\Mariner.ship?.captain?.nickname, ["ship", "captain", "nickname"]),
      (\Skipper.name, ["name"]), (\Skipper.medals, ["medals"]), (\Skipper.ship, ["ship"]),
      (\Vessel.crew, ["crew"]), (\Vessel.decks, ["decks"]), (\Vessel.captain, ["captain"]),
      (\Vessel.captain?.medals, ["captain", "medals"]),
    ]
    for (keyPath, names) in stored { #expect(path(keyPath) == names, "\(names)") }
  }

  @Test("a getter that returns a stored property as it is stands for it (B365)")
  func aliases() {
    #expect(path(\Mariner.title) == ["name"])
    #expect(path(\Mariner.home) == ["ship"])
    #expect(path(\Mariner.home?.name) == ["ship", "name"])
    #expect(path(\Mariner.otherNickname) == ["nickname"])
    #expect(path(\Mariner.status) == ["rankRaw"])
    #expect(path(\Mariner.grade) == ["levelRaw"])
    #expect(path(\Vessel.everybody) == ["crew"])
    #expect(path(\Vessel.leader) == ["captain"])
    #expect(path(\Vessel.leader?.name) == ["captain", "name"])
  }

  static var computed: [AnyKeyPath] {
    [
      \Mariner.upper, \Mariner.trimmed, \Mariner.initial, \Mariner.shout, \Mariner.called,
      \Mariner.nicknameOrNothing, \Mariner.nicknameOrNone, \Mariner.forcedNickname, \Mariner.both,
      \Mariner.either, \Mariner.score, \Mariner.positiveAge, \Mariner.distance, \Mariner.share,
      \Mariner.wideAge, \Mariner.wholeHeight, \Mariner.isOld, \Mariner.isHere, \Mariner.isAdult,
      \Mariner.always, \Mariner.label, \Mariner.day, \Mariner.joinedOrBorn, \Mariner.highest,
      \Mariner.levelAbove, \Mariner.noted, \Mariner.shipName, \Mariner.shipNameIfAny,
      \Mariner.captainName, \Mariner.flagship, \Mariner.colour, \Mariner.tagCount,
      \Mariner.pictureSize, \Mariner.hasCode, \Mariner.remembered, \Mariner.self, \Mariner.objectID,
      \Mariner.description, \Mariner.isInserted, \Mariner.name.count, \Mariner.name.isEmpty,
      \Mariner.nickname?.count, \Mariner.name.hashValue,
      \Mariner.born.timeIntervalSinceReferenceDate,
      \Mariner.rank.rawValue, \Mariner.level.rawValue, \Mariner.badge.colour, \Mariner.tags.count,
      \Mariner.ship?.crew.count, \Mariner.ship?.crewSize, \Mariner.ship?.captain?.upper,
      \Mariner.ship?.captain?.name.count, \Skipper.fullMedals, \Skipper.upper, \Vessel.adults,
      \Vessel.nobody, \Vessel.upwards, \Vessel.crewSize, \Vessel.isEmpty, \Vessel.crewNames,
      \Vessel.anybody,
      \Vessel.crew.count, \Vessel.captain?.remembered, \Mariner.ship?.captain?.remembered,
    ]
  }

  @Test("a key path of a computed property is refused (B365)")
  func refusals() {
    for (index, keyPath) in Self.computed.enumerated() {
      #expect(path(keyPath) == nil, "\(index): \(type(of: keyPath).valueType)")
    }
  }

  @Test("a request that asks for a computed property is refused when it is executed (B365)")
  func requests() throws {
    let context = try makeContext()
    let requests: [FetchRequest<Mariner>] = [
      Mariner.where { $0.upper == "ADA" }, Mariner.where { $0.score > 100 },
      Mariner.where { $0.isOld == true }, Mariner.where { !$0.isAdult && $0.name == "bo" },
      Mariner.where { $0.name == "bo" || $0.label.hasPrefix("s") },
      Mariner.where { $0.highest == .high }, Mariner.where { $0.flagship.name == "Argo" },
      Mariner.where { $0.ship.adults.count > 1 },
      Mariner.where { $0.ship.adults.any { $0.age > 1 } },
      Mariner.where { $0.ship.crew.any { $0.upper == "A" } },
      Mariner.where { $0.ship.crew.sum(\.score) > 1 },
      Mariner.where { $0.ship.crew.max(\.upper) != nil },
      Mariner.where { $0.age + $0.score > 3 }, Mariner.where { $0.name == $0.upper },
      Mariner.fetchRequest().sorted(by: \.score), Mariner.fetchRequest().sorted(by: \.name.count),
      Mariner.fetchRequest().sorted(by: \.name).sorted(by: \.description),
      Mariner.fetchRequest().prefetching(\.flagship),
      Mariner.fetchRequest().prefetching(\.ship, \.flagship),
    ]
    for (index, request) in requests.enumerated() {
      let error = #expect(throws: PersistenceError.self, "\(index)") { try context.fetch(request) }
      #expect(error?.code == .invalidRequest, "\(index)")
      #expect(error?.message.contains("key path of") ?? false, "\(index)")
      #expect(throws: PersistenceError.self, "\(index)") { try context.count(for: request) }
    }
  }

  @Test("the refusal says what the getter reads and what can be done (B365)")
  func message() throws {
    let context = try makeContext()
    let error = #expect(throws: PersistenceError.self) {
      try context.fetch(Mariner.where { $0.upper == "ADA" })
    }
    #expect(error?.entityName == "Mariner")
    #expect(error?.key == "name")
    #expect(error?.message.contains("computed from “name”") ?? false)
    #expect(error?.message.contains("derived attribute") ?? false)
  }

  @Test("a condition of stored properties and of their aliases is answered (B365)")
  func answers() throws {
    let context = try makeContext()
    #expect(try context.fetch(Mariner.where { $0.title == "bo" }).map(\.age) == [12])
    #expect(try context.fetch(Mariner.where { $0.isNew == true && $0.age > 5 }).count == 2)
    #expect(try context.fetch(Mariner.where { $0.status == .low }).count == 3)
    #expect(
      try context.fetch(Mariner.fetchRequest().sorted(by: \.title)).map(\.name) == [
        "ADA", "ada", "bo",
      ])
  }

  @Test("#Predicate with a computed property is refused when it is translated (B365)")
  func foundation() throws {
    let predicates: [Predicate<Mariner>] = [
      #Predicate { $0.upper == "ADA" }, #Predicate { $0.isOld }, #Predicate { $0.score > 1 },
      #Predicate { $0.name == "a" && !$0.isAdult }, #Predicate { $0.shipName.contains("a") },
      #Predicate { ($0.ship?.crew.filter { $0.isOld }.count ?? 0) > 1 },
    ]
    for (index, predicate) in predicates.enumerated() {
      let error = #expect(throws: PersistenceError.self, "\(index)") {
        try FetchPredicate(predicate)
      }
      #expect(error?.code == .invalidPredicate, "\(index)")
    }
    #expect(
      try FetchPredicate(#Predicate<Mariner> { $0.title == "a" && $0.name.count > 3 })
        == FetchPredicate("name == 'a' AND length(name) > 3"))
  }
}
