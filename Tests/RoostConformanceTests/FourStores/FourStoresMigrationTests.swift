// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance
import Testing

@testable import RoostConformanceCases
@testable import RoostSimulation

/// A move from one kind of store to another.
struct Move: Sendable, CustomTestStringConvertible {
  let from: Int
  let to: Int

  var testDescription: String {
    "\(FourStores.kinds[from].storeName) to \(FourStores.kinds[to].storeName)"
  }

  static let all = (0..<4).flatMap { from in (0..<4).map { Move(from: from, to: $0) } }
}

@Suite("Moving data from each kind of store to each other")
struct FourStoresMigrationTests {
  /// Returns the content of the stores of a stack, without the identifiers of the stores.
  private func content(_ stack: ConformanceStack) throws -> StoreContent {
    let identifiers = stack.coordinator.persistentStores.map(\.identity.identifier)
    func plain(_ uri: String) -> String {
      identifiers.reduce(uri) { $0.replacing($1, with: "store") }
    }
    var result = StoreContent()
    for (uri, properties) in try stack.content().records {
      result.records[plain(uri)] = properties.mapValues { property in
        guard case .destinations(let uris) = property else { return property }
        return .destinations(uris.map(plain))
      }
    }
    return result
  }

  /// Opens a store of a kind, fills it, moves it to another kind and compares the contents.
  private func move(
    _ move: Move, _ model: ManagedObjectModel, _ fill: (ManagedObjectContext) throws -> Void
  ) throws {
    StoresUnderTest.prepared
    let target = try FourStores.kinds[move.to].makeEmptyStore()
    let stage = ConformanceStage(harness: FourStores.kinds[move.from])
    defer {
      stage.clear()
      try? target.type.driver.destroy(target)
    }
    let stack = try stage.open(model)
    try fill(stack.context)
    let before = try content(stack)
    #expect(before.records.count > 40)
    let progress = Progress(totalUnitCount: -1)
    let old = stack.coordinator.persistentStores[0]
    let new = try stack.coordinator.migratePersistentStore(
      old, to: target.url, options: target.options, type: target.type, progress: progress)
    #expect(progress.completedUnitCount == progress.totalUnitCount)
    #expect(progress.totalUnitCount >= Int64(before.records.count))
    #expect(stack.coordinator.persistentStores.map(\.identity.identifier) == [new.identifier])
    #expect(new.identifier != old.identifier)
    try StoreContent.expectSame(content(stack), before)
    // Uses the moved objects: as a fault, in a request, and with a change.
    let fresh = stack.makeContext()
    let entity = try #require(model.entities.first { $0.attributesByName["name"] != nil }?.name)
    let object = try #require(try fresh.all(entity).first)
    try object.set("name", "after")
    try fresh.make(entity, ["name": "new"])
    try fresh.save()
    #expect(try stack.makeContext().names(entity, "name IN {'after', 'new'}") == ["after", "new"])
    #expect(try stack.content().records.count == before.records.count + 1)
  }

  @Test("every value is the same bit by bit (B238, value contract)", arguments: Move.all)
  func values(_ move: Move) throws {
    #expect(ValueTable.rows.count >= 150)
    try self.move(move, SampleModel.make()) { context in
      for row in ValueTable.rows {
        if case .refused = row.fate { continue }
        try context.make("Sample", ["name": row.name, row.type.description: row.native])
      }
      try context.save()
    }
  }

  @Test(
    "relationships of all kinds, their orders, and subentities are the same (B238)",
    arguments: Move.all)
  func graphs(_ move: Move) throws {
    try self.move(move, GardenModel.make()) { context in
      try Garden(nodes: 40, seed: 5).plant(in: context)
    }
  }
}

/// Objects of the walks' model with many relationships, the same for a seed.
struct Garden {
  let nodes: Int
  let seed: UInt64
  /// A closure that is called with each new object and its serial number.
  var place: (ManagedObject, Int) throws -> Void = { _, _ in }
  /// The number of stores that the objects are distributed to: only objects of the same store are related.
  var beds = 1

  /// Inserts the objects and saves them.
  func plant(in context: ManagedObjectContext) throws {
    for bed in 0..<beds { try plant(bed, in: context) }
    try context.save()
  }

  private func plant(_ bed: Int, in context: ManagedObjectContext) throws {
    var random = SplitMix64(seed: seed &+ UInt64(bed) << 32)
    var serial = bed * 10_000
    func make(_ entity: String) throws -> ManagedObject {
      serial += 1
      let object = try context.make(entity, ["serial": serial])
      try place(object, bed)
      for key in GardenModel.keys(of: entity) {
        let values = GardenModel.values(of: key)
        try object.set(key, values[random.below(values.count)].native)
      }
      return object
    }
    let groups = try (0..<3).map { _ in try make("Group") }
    let tags = try (0..<4).map { _ in try make("Tag") }
    var known: [ManagedObject] = []
    for number in 0..<nodes {
      let node = try make(number % 4 == 0 ? "Leaf" : "Node")
      if random.below(4) > 0 { try node.set("group", groups[random.below(3)]) }
      if !known.isEmpty, random.below(3) > 0 {
        try node.set("parent", known[random.below(known.count)])
      }
      if number % 5 == 1 { try node.set("partner", known[number - 1]) }
      for tag in tags where random.below(3) == 0 { try node.add(tag, to: "tags") }
      known.append(node)
    }
    for group in groups {
      try group.set("favourites", known.shuffled(using: &random).prefix(nodes / 3).map(\.self))
    }
    for parent in known {
      try parent.set("children", parent.many("children").shuffled(using: &random))
    }
  }
}
