// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

/// A drink with non-optional properties without default values, as in generated classes.
final class Drink: NSManagedObject {
  enum Size: Int16, CaseIterable { case small = 1, large }
  enum Taste: String { case none = "", sweet, sour }
  enum Heat: Int16 { case cold = 5, hot }
  enum Glass: String { case tall, round }

  @Managed var name: String
  @Managed var picture: Data
  @Managed var price: Decimal
  @Managed var size: Size
  @Managed var maybeSize: Size?
  @Managed var taste: Taste
  @Managed var heat: Heat
  @Managed var words: [String]
  @Managed var notes: [String: String]
  @Managed var marks: Set<String>
  @Managed var glass: Glass
  @Managed var poured: Date
  @Managed var next: Drink
  @Managed var steps: NSOrderedSet?
  @ManagedMethod func replaceSteps(at indexes: NSIndexSet, with values: [Drink])
}

@Suite("Properties of generated classes")
struct ReadingTests {
  /// The context of the tests' objects: an object must not be changed after its context is deallocated (F25).
  private let context: NSManagedObjectContext

  init() throws {
    context = try Self.makeContext()
  }

  private func makeDrink() -> Drink { Drink(context: context) }

  private static func makeContext() throws -> NSManagedObjectContext {
    let entity = NSEntityDescription()
    entity.name = "Drink"
    entity.managedObjectClassName = "Drink"
    let types: [(String, NSAttributeType)] = [
      ("name", .stringAttributeType), ("picture", .binaryDataAttributeType),
      ("price", .decimalAttributeType), ("size", .integer16AttributeType),
      ("maybeSize", .integer16AttributeType), ("taste", .stringAttributeType),
      ("heat", .integer16AttributeType), ("words", .transformableAttributeType),
      ("notes", .transformableAttributeType), ("marks", .transformableAttributeType),
      ("glass", .stringAttributeType), ("poured", .dateAttributeType),
    ]
    let next = NSRelationshipDescription()
    next.name = "next"
    next.destinationEntity = entity
    next.maxCount = 1
    let steps = NSRelationshipDescription()
    steps.name = "steps"
    steps.destinationEntity = entity
    steps.isOrdered = true
    steps.maxCount = 0
    entity.properties =
      types.map { name, type in
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        if name == "heat" { attribute.defaultValue = 6 }
        return attribute
      } + [steps, next]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let container = NSPersistentContainer(name: "Drinks", managedObjectModel: model)
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    var failure: Error?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    return container.viewContext
  }

  @Test("a missing value reads as what is empty, as it does where nil is bridged")
  func missing() {
    let drink = makeDrink()
    #expect(drink.name == "")
    #expect(drink.picture == Data())
    #expect(drink.price == 0)
    #expect(drink.words == [])
    #expect(drink.notes == [:])
    #expect(drink.marks == [])
    #expect(drink.glass == .tall)
    #expect(drink.poured.timeIntervalSinceReferenceDate == 0)
    #expect(drink.value(forKey: "name") == nil)
    #expect(drink.changedValues()["name"] == nil)
  }

  @Test("a relationship that leads nowhere reads as an object that is never saved (B43)")
  func missingDestination() {
    let drink = makeDrink()
    let next = drink.next
    #expect(next.name == "" && next.glass == .tall && next.next.name == "")
    #expect(next.managedObjectContext == nil)
    next.name = "lost"
    #expect(next.name == "" && drink.value(forKey: "next") == nil)
  }

  @Test("a raw value that the type does not have reads as the default or the first case")
  func unknownCases() {
    let drink = makeDrink()
    #expect(drink.size == .small)
    #expect(drink.maybeSize == nil)
    #expect(drink.taste == .none)
    #expect(drink.heat == .hot)
    for key in ["size", "maybeSize", "heat"] { drink.setValue(99, forKey: key) }
    drink.setValue("bitter", forKey: "taste")
    #expect(drink.size == .small)
    #expect(drink.maybeSize == nil)
    #expect(drink.taste == .none)
    #expect(drink.heat == .hot)
    #expect(drink.value(forKey: "size") as? Int == 99)
    drink.size = .large
    drink.maybeSize = .large
    drink.taste = .sour
    #expect(drink.size == .large)
    #expect(drink.maybeSize == .large)
    #expect(drink.taste == .sour)
    drink.maybeSize = nil
    #expect(drink.value(forKey: "maybeSize") == nil)
  }

  @Test("replacing at two places with one object ends the program instead of leaving one place out")
  func tooFew() async {
    await #expect(processExitsWith: .failure) {
      let tests = try ReadingTests()
      let drink = tests.makeDrink()
      let other = Drink(entity: drink.entity, insertInto: drink.managedObjectContext)
      drink.steps = NSOrderedSet(array: [drink, other])
      drink.replaceSteps(at: NSIndexSet(indexesIn: NSRange(location: 0, length: 2)), with: [drink])
      withExtendedLifetime(tests) {}
    }
  }
}
