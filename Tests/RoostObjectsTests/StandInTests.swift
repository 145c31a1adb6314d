// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

enum Deck: String { case upper, lower }

struct Plan: Codable, Sendable, Equatable {
  enum Side: String, Codable { case port, starboard }

  var beds: Int
  var label: String
  var side: Side
  var sizes: [Double]
  var window: String?
  var door: Door

  struct Door: Codable, Equatable { var isLocked: Bool, number: UInt8 }

  static let blank = Plan(
    beds: 0, label: "", side: .port, sizes: [], door: Door(isLocked: false, number: 0))
}

@Entity final class Ship: ManagedObject {
  var name: String = "new"
  var length: Double = 1
  var harbour: Harbour?
  @Relationship(deleteRule: .cascade, inverse: \.ship) var cabins: Set<Cabin>
}

@Entity final class Cabin: ManagedObject {
  var number: Int64 = 0
  var ship: Ship
  var deck: Deck
  var plan: Plan
}

@Entity final class Harbour: ManagedObject {
  var name: String = ""
  var owner: Ship
}

/// Tests of non-optional properties without a value.
@Suite struct StandInTests {
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    container = try PersistentContainer(
      name: "ships", model: ManagedObjectModel(Ship.self), stores: [.inMemory()])
    try container.loadPersistentStores()
    context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  private func another() -> ManagedObjectContext {
    ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  /// Saves a cabin with its ship, and returns it as an unfired fault.
  private func seed() throws -> Cabin {
    let seeding = another()
    let cabin = Cabin(context: seeding)
    cabin.ship = Ship(context: seeding)
    cabin.ship.name = "Ada"
    cabin.deck = .lower
    cabin.plan = Plan.blank
    try seeding.save()
    let id = cabin.objectID
    return try withExtendedLifetime(seeding) { try #require(context.object(with: id) as? Cabin) }
  }

  private func delete(_ id: ObjectID) throws {
    let other = another()
    other.delete(other.object(with: id))
    try other.save()
  }

  private func expectBlank(_ ship: Ship) {
    #expect(ship.name.isEmpty && ship.length == 0 && ship.harbour == nil && ship.cabins.isEmpty)
    #expect(ship.managedObjectContext == nil && ship.isFault && !ship.hasChanges)
    #expect(ship.entity.name == "Ship")
  }

  @Test(
    "a new object reads as having a destination that is nothing, and the save says so (B43, B158)")
  func newObject() throws {
    let cabin = Cabin(context: context)
    let ship = cabin.ship
    expectBlank(ship)
    #expect(cabin.ship.harbour == nil && context.insertedObjects == [cabin])
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .validationMissingMandatoryProperty && error?.key == "ship")
    #expect(error?.objectIDs == [cabin.objectID] && error?.entityName == "Cabin")
    cabin.plan = Plan.blank
    cabin.deck = .upper
    // The relationship is still nil: validation reports it as missing.
    #expect(code { try context.save() } == .validationMissingMandatoryProperty)
    cabin.ship = Ship(context: context)
    try context.save()
    #expect(try another().count(for: FetchRequest<Ship>(entityName: "Ship")) == 1)
  }

  @Test("what is written to such a destination is lost, and nothing can be related to it (B31)")
  func writing() throws {
    let cabin = Cabin(context: context)
    let ship = cabin.ship
    _ = code { try context.save() }
    ship.name = "Bob"
    ship.length = 7
    ship.harbour = Harbour(context: context)
    expectBlank(ship)
    try ship.setValue("Cleo", forKey: "name")
    #expect(try ship.value(forKey: "name") == nil)
    ship.cabins = [cabin]
    #expect(ship.cabins.isEmpty && code { try context.save() } == .differentContexts)
    cabin.ship = ship
    #expect(cabin.ship !== ship)
    #expect(code { try context.save() } != nil)
    context.insert(ship)
    context.delete(ship)
    #expect(ship.managedObjectContext == nil && !ship.isInserted && !ship.isDeleted)
    #expect(code { try context.save() } == .validationMultipleErrors)
    #expect(!context.insertedObjects.contains(ship) && context.deletedObjects.isEmpty)
  }

  @Test("such destinations go on and on, and outlive the model that they belong to (B44)")
  func chains() throws {
    var container: PersistentContainer? = try PersistentContainer(
      name: "gone", model: ManagedObjectModel(Ship.self), stores: [.inMemory()])
    try container?.loadPersistentStores()
    var context: ManagedObjectContext? = ManagedObjectContext(
      coordinator: container?.persistentStoreCoordinator)
    let harbour = Harbour(context: try #require(context))
    let owner = harbour.owner
    context = nil
    container = nil
    #expect(owner.name.isEmpty && harbour.owner.name.isEmpty)
    #expect(harbour.owner.length == 0 && harbour.owner.cabins.isEmpty)
  }

  @Test("an object whose record is gone has no destination either, and can be saved (B43)")
  func goneRecord() throws {
    let cabin = try seed()
    try delete(cabin.objectID)
    expectBlank(cabin.ship)
    #expect(cabin.deck == .upper && cabin.plan == .blank && cabin.number == 0)
    #expect(cabin.isDeleted)
    try context.save()
  }

  @Test("with faults that may not be gone it is the missing record that the save tells (B43)")
  func missingRecord() throws {
    let cabin = try seed()
    try delete(cabin.objectID)
    context.shouldDeleteInaccessibleFaults = false
    expectBlank(cabin.ship)
    #expect(code { try context.save() } == .objectReferentialIntegrity)
  }

  @Test("a destination whose record is gone is itself, and reads as nothing (B43)")
  func goneDestination() throws {
    let cabin = try seed()
    let other = another()
    let found = try #require(other.object(with: cabin.objectID) as? Cabin)
    let id = found.ship.objectID
    _ = cabin.number
    try delete(id)
    #expect(cabin.ship.objectID == id && cabin.ship.name.isEmpty && cabin.ship.isDeleted)
  }

  @Test(
    "where the store cannot be asked, its error is told until the program deals with it (B43, B361)"
  )
  func failingStore() throws {
    let cabin = try seed()
    context.stalenessInterval = 0
    let coordinator = container.persistentStoreCoordinator
    try coordinator.remove(try #require(coordinator.persistentStores.first))
    expectBlank(cabin.ship)
    #expect(code { try context.save() } == .readFailed)
    #expect(context.readError?.underlyingErrors.map(\.code) == [.storeRemoved])
    #expect(code { try context.save() } == .readFailed)
    context.rollback()
    try context.save()
  }

  @Test("a round trip that is forbidden is what the save tells (B52)")
  func forbidden() throws {
    let cabin = try seed()
    context.stalenessInterval = 0
    context.allowsImplicitRoundTrips = false
    expectBlank(cabin.ship)
    #expect(code { try context.save() } == .forbiddenByPolicy)
    context.allowsImplicitRoundTrips = true
    #expect(cabin.ship.name == "Ada")
    #expect(code { try context.save() } == .forbiddenByPolicy)
    try context.refresh(cabin, mergeChanges: true)
    try context.save()
  }

  @Test("a deleted object leads nowhere by right: reading that is no failure of the save (B92)")
  func deleted() throws {
    let cabin = try seed()
    let ship = cabin.ship
    context.delete(cabin)
    context.processPendingChanges()
    #expect(ship.name == "Ada" && ship.cabins.isEmpty)
    expectBlank(cabin.ship)
    try context.save()
    expectBlank(cabin.ship)
    try context.save()
  }

  @Test("values without an initial one read as what is nothing in their type (B43, B158)")
  func values() throws {
    let cabin = Cabin(context: context)
    #expect(cabin.deck == .upper && cabin.plan == .blank)
    cabin.ship = Ship(context: context)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(
      Set(error?.underlyingErrors.map { $0.key ?? "" } ?? []) == ["deck", "plan"],
      "reading put no value there")
  }
}
