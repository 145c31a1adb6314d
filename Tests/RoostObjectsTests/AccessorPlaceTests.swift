// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@testable import RoostModel
@testable import RoostObjects

enum Mood: Int16, AttributeEnumeration { case calm, angry }

@Entity(values: false) class Boat: ManagedObject {
  var length: Double = 0
  var name: String = ""
  @Relationship(inverse: \.boat) var sailors: Set<Sailor>
  var crew: Int32?
  @Attribute(.transient) var speed: Double = 0
  var mood: Mood?
  var isAfloat: Bool = false
  var launched: Date?
  var mark: UUID?
}

@Entity(values: false) final class Ferry: Boat {
  var cars: Int16 = 0
  var price: Decimal = 0
  var trips: Int64?
}

@Entity(values: false) final class Sailor: ManagedObject {
  var age: Int64 = 0
  @Relationship(inverse: \.sailors) var boat: Boat?
  var pay: Double?
}

/// More properties than one word has bits.
private final class WideObject: ManagedObject {
  static let count = 150
  override class var _entityDeclaration: EntityDeclaration? {
    EntityDeclaration(
      "Wide", class: WideObject.self,
      properties: (0..<count).map { .property("p\($0)", .of(Int64?.self)) })
  }

  subscript(number: Int) -> Int64? {
    get { _get(number) }
    set { _set(number, newValue) }
  }
}

/// Tests of accessors that use precomputed slots of a row, and of their fallback (B32, ARCHITECTURE "Rows").
@Suite struct AccessorPlaceTests {
  /// Returns the model of the boats with additional properties, in another order than in the classes.
  ///
  /// - Parameter isBelow: Whether some of a boat's properties belong to a superentity without a class.
  private static func shuffled(isBelow: Bool) throws -> ManagedObjectModel {
    let model = try ManagedObjectModel(Boat.self, Ferry.self, Sailor.self).copy()
    for entity in model.entities {
      let place = CompositeAttributeDescription(
        name: "place",
        elements: [
          AttributeDescription(name: "north", type: .double),
          AttributeDescription(name: "east", type: .double),
        ])
      let isChild = entity.superentity != nil
      entity.declaredProperties =
        (isChild ? [] : [place]) + entity.declaredProperties.reversed()
    }
    guard isBelow else { return model }
    let boat = try #require(model.entitiesByName["Boat"])
    let moved = boat.declaredProperties.filter { ["crew", "isAfloat"].contains($0.name) }
    boat.declaredProperties.removeAll { moved.contains($0) }
    let vessel = EntityDescription(name: "Vessel")
    vessel.declaredProperties =
      [AttributeDescription(name: "number", type: .integer64)] + moved.map { $0.copy() }
    vessel.subentities = [boat]
    model.entities.append(vessel)
    return model
  }

  private static func open(_ model: ManagedObjectModel) throws -> ManagedObjectContext {
    let container = try PersistentContainer(name: "boats", model: model, stores: [.inMemory()])
    try container.loadPersistentStores()
    return ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  /// Sets all properties, reads them by name, saves them, and reads them from a fault in both ways.
  private func checkFerry(_ context: ManagedObjectContext, isOpen: Bool) throws {
    let ferry = Ferry(context: context)
    #expect((ferry.open != nil) == isOpen)
    let mark = UUID()
    ferry.length = 21.5
    ferry.name = "a name that is too long for a string without memory of its own"
    ferry.crew = 7
    ferry.speed = 3.5
    ferry.mood = .angry
    ferry.isAfloat = true
    ferry.launched = Date(timeIntervalSinceReferenceDate: 5)
    ferry.mark = mark
    ferry.cars = 12
    ferry.price = 99
    ferry.trips = -1
    let sailor = Sailor(context: context)
    sailor.age = 40
    sailor.boat = ferry
    #expect(ferry.speed == 3.5)
    try expectValues(ferry, mark)
    try context.save()
    context.reset()
    let found = try #require(try context.fetch(FetchRequest<Ferry>(entityName: "Ferry")).first)
    #expect(found.isFault && found.open == nil)
    #expect(found.speed == 0)
    #expect((found.open != nil) == isOpen)
    try expectValues(found, mark)
    #expect(found.sailors.first?.age == 40)
    #expect(found.sailors.first?.pay == nil)
    try expectNil(found)
    try context.save()
    try context.refresh(found, mergeChanges: false)
    try expectNil(found)
  }

  private func expectValues(_ ferry: Ferry, _ mark: UUID) throws {
    #expect(ferry.length == 21.5)
    #expect(try ferry.value(forKey: "length") as? Double == 21.5)
    #expect(ferry.name.hasSuffix("of its own"))
    #expect(ferry.crew == 7)
    #expect(try ferry.value(forKey: "crew") as? Int == 7)
    #expect(ferry.mood == .angry)
    #expect(ferry.isAfloat)
    #expect(ferry.launched == Date(timeIntervalSinceReferenceDate: 5))
    #expect(ferry.mark == mark)
    #expect(ferry.cars == 12)
    #expect(try ferry.value(forKey: "cars") as? Int == 12)
    #expect(ferry.price == 99)
    #expect(ferry.trips == -1)
  }

  private func expectNil(_ ferry: Ferry) throws {
    ferry.crew = nil
    ferry.mood = nil
    ferry.launched = nil
    ferry.mark = nil
    ferry.trips = nil
    #expect(ferry.crew == nil && ferry.mood == nil && ferry.launched == nil)
    #expect(ferry.mark == nil && ferry.trips == nil)
    #expect(try ferry.value(forKey: "crew") == nil)
    #expect(ferry.length == 21.5 && ferry.cars == 12 && ferry.isAfloat)
  }

  @Test("numbers of a class, inherited ones too, are in the cells of their numbers")
  func direct() throws {
    let context = try Self.open(ManagedObjectModel(Boat.self, Ferry.self, Sailor.self))
    try checkFerry(context, isOpen: true)
  }

  @Test("a model that has the properties in another order, and composites first, costs nothing")
  func otherOrder() throws {
    let context = try Self.open(try Self.shuffled(isBelow: false))
    try checkFerry(context, isOpen: true)
    let ferry = Ferry(context: context)
    try ferry.setValue(["north": 1.5, "east": 2.5], forKey: "place")
    ferry.length = 9
    ferry.trips = 8
    #expect(try ferry.value(forKeyPath: "place.north") as? Double == 1.5)
    #expect(try ferry.value(forKeyPath: "place.east") as? Double == 2.5)
  }

  @Test("where a superentity without a class has what a class numbers, the table finds it")
  func scattered() throws {
    try checkFerry(try Self.open(try Self.shuffled(isBelow: true)), isOpen: false)
  }

  @Test("observed objects read and write the same, and are open again afterwards")
  func observed() throws {
    let context = try Self.open(try Self.shuffled(isBelow: false))
    context.allowsObservation = true
    try checkFerry(context, isOpen: false)
    let ferry = Ferry(context: context)
    context.allowsObservation = false
    #expect(ferry.open != nil)
    let other = try Self.open(try Self.shuffled(isBelow: true))
    other.allowsObservation = true
    let scattered = Ferry(context: other)
    other.allowsObservation = false
    scattered.cars = 3
    #expect(scattered.open == nil && scattered.cars == 3)
  }

  @Test("an object of a class above its entity's reads and writes what it knows")
  func classAbove() throws {
    let context = try Self.open(try Self.shuffled(isBelow: false))
    let entity = try #require(context.entityForTests("Ferry"))
    let boat = Boat(entity: entity, insertInto: nil)
    #expect(type(of: boat) == Boat.self && boat.open != nil)
    boat.crew = 3
    boat.isAfloat = true
    #expect(boat.crew == 3 && boat.isAfloat)
    #expect(try boat.value(forKey: "crew") as? Int == 3)
    #expect(try boat.value(forKey: "cars") as? Int == 0)
  }

  @Test("more properties than a word has bits keep apart")
  func wide() throws {
    let context = try Self.open(ManagedObjectModel(WideObject.self))
    let object = WideObject(context: context)
    #expect(object.open != nil)
    for number in 0..<WideObject.count where number % 3 != 0 { object[number] = Int64(number) }
    func check(_ object: WideObject) throws {
      for number in 0..<WideObject.count {
        let wanted = number % 3 == 0 ? nil : Int64(number)
        #expect(object[number] == wanted)
        #expect(try object.value(forKey: "p\(number)") as? Int64 == wanted)
      }
    }
    try check(object)
    try context.save()
    context.reset()
    let found = try #require(try context.fetch(FetchRequest<WideObject>(entityName: "Wide")).first)
    try check(found)
    for number in 0..<WideObject.count { found[number] = number % 2 == 0 ? nil : 1 }
    try context.save()
    try context.refresh(found, mergeChanges: false)
    #expect((0..<WideObject.count).allSatisfy { found[$0] == ($0 % 2 == 0 ? nil : 1) })
  }

  @Test("the order of what stores see is the entity's, whatever its class says")
  func storedOrder() throws {
    let with = try Self.shuffled(isBelow: false)
    let without = try Self.shuffled(isBelow: false)
    for entity in without.entities { entity.managedObjectClass = nil }
    try with.freeze()
    try without.freeze()
    for entity in with.entities {
      let layout = entity.layout
      let other = try #require(without.entitiesByName[entity.name ?? ""]).layout
      #expect(layout.names == other.names)
      #expect(layout.storedSlots.map(\.index) == other.storedSlots.map(\.index))
      #expect(layout.slots.map(\.kind) == other.slots.map(\.kind))
      #expect(layout.slots != other.slots)
    }
  }
}

extension ManagedObjectContext {
  fileprivate func entityForTests(_ name: String) -> EntityDescription? {
    EntityDescription.entity(forEntityName: name, in: self)
  }
}
