// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import XCTest

// Code as in libraries for Core Data: a protocol for entities, extensions of the context, a generic repository, a
// model builder, and tests of these.

protocol EntityNaming: AnyObject {
  static var entityName: String { get }
}

extension EntityNaming where Self: NSManagedObject {
  static var entityName: String { entity().name! }

  static func sortedFetchRequest(by key: String) -> NSFetchRequest<Self> {
    let request = NSFetchRequest<Self>(entityName: entityName)
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    return request
  }

  static func findOrCreate(
    in context: NSManagedObjectContext, matching predicate: NSPredicate,
    configure: (Self) -> Void
  ) -> Self {
    let request = NSFetchRequest<Self>(entityName: entityName)
    request.predicate = predicate
    request.fetchLimit = 1
    request.returnsObjectsAsFaults = false
    if let found = try? context.fetch(request).first { return found }
    let object = Self(context: context)
    configure(object)
    return object
  }
}

class Pet: NSManagedObject, EntityNaming {
  @Managed var name: String?
  @Managed var legs: Int16
  @Managed var keeper: Keeper?

  override var description: String { "Pet \(name ?? "")" }
}

class Keeper: NSManagedObject, EntityNaming {
  @Managed var name: String?
  @Managed var pets: Set<Pet>

  override class func entity() -> NSEntityDescription {
    super.entity()
  }
}

extension NSManagedObjectContext {
  var isEmpty: Bool { registeredObjects.isEmpty }

  @discardableResult
  func saveIfNeeded() throws -> Bool {
    guard hasChanges else { return false }
    try save()
    return true
  }

  func saveOrRollback() -> Bool {
    do {
      try save()
      return true
    } catch {
      rollback()
      return false
    }
  }

  func insertObject<A: NSManagedObject>() -> A where A: EntityNaming {
    guard
      let object = NSEntityDescription.insertNewObject(
        forEntityName: A.entityName, into: self) as? A
    else { fatalError("Wrong object type") }
    return object
  }

  func makeChild(
    concurrencyType: NSManagedObjectContextConcurrencyType = .privateQueueConcurrencyType
  ) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(concurrencyType: concurrencyType)
    child.parent = self
    return child
  }

  func deleteAll(_ entityName: String) throws -> Int {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: entityName)
    let delete = NSBatchDeleteRequest(fetchRequest: request)
    delete.resultType = .resultTypeObjectIDs
    let result = try execute(delete) as? NSBatchDeleteResult
    let ids = result?.result as? [NSManagedObjectID] ?? []
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [self])
    return ids.count
  }
}

extension NSBatchDeleteResult { var count: Int { (result as? [NSManagedObjectID])?.count ?? 0 } }

extension NSAttributeDescription {
  convenience init(name: String, type: NSAttributeType, optional: Bool = true) {
    self.init()
    self.name = name
    attributeType = type
    isOptional = optional
  }
}

extension NSRelationshipDescription {
  convenience init(name: String, destination: NSEntityDescription, toMany: Bool) {
    self.init()
    self.name = name
    destinationEntity = destination
    minCount = 0
    maxCount = toMany ? 0 : 1
    isOptional = true
  }
}

struct Repository<T: NSManagedObject> where T: EntityNaming {
  enum Failure: Error { case notFound }
  let context: NSManagedObjectContext

  func all(_ predicate: NSPredicate? = nil, sortedBy key: String? = nil) throws -> [T] {
    let request = NSFetchRequest<T>(entityName: T.entityName)
    request.predicate = predicate
    request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
    return try context.fetch(request)
  }

  func first(where format: String, _ arguments: Any...) throws -> T {
    guard let found = try all(NSPredicate(format: format, argumentArray: arguments)).first else {
      throw Failure.notFound
    }
    return found
  }

  func create(_ configure: (T) -> Void) throws -> T {
    let object: T = context.insertObject()
    configure(object)
    try context.saveIfNeeded()
    return object
  }

  func sum(of key: String) throws -> Int {
    let column = NSExpressionDescription()
    column.name = "sum"
    column.expression = NSExpression(
      forFunction: "sum:", arguments: [NSExpression(forKeyPath: key)])
    column.expressionResultType = .integer64AttributeType
    let request: NSFetchRequest<NSFetchRequestResult> = T.fetchRequest()
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [column]
    let rows = try context.fetch(request) as? [[String: Any]]
    return (rows?.first?["sum"] as? NSNumber)?.intValue ?? 0
  }
}

final class RepositoryTests: XCTestCase {
  static let model: NSManagedObjectModel = {
    let pet = NSEntityDescription()
    pet.name = "Pet"
    pet.managedObjectClassName = NSStringFromClass(Pet.self)
    let keeper = NSEntityDescription()
    keeper.name = "Keeper"
    keeper.managedObjectClassName = NSStringFromClass(Keeper.self)
    let pets = NSRelationshipDescription(name: "pets", destination: pet, toMany: true)
    let back = NSRelationshipDescription(name: "keeper", destination: keeper, toMany: false)
    pets.inverseRelationship = back
    back.inverseRelationship = pets
    pet.properties = [
      NSAttributeDescription(name: "name", type: .stringAttributeType),
      NSAttributeDescription(name: "legs", type: .integer16AttributeType), back,
    ]
    keeper.properties = [NSAttributeDescription(name: "name", type: .stringAttributeType), pets]
    let model = NSManagedObjectModel()
    model.entities = [pet, keeper]
    return model
  }()

  private func container() -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Pets", managedObjectModel: Self.model)
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in XCTAssertNil(error) }
    return container
  }

  func testRepository() throws {
    let context = container().viewContext
    let pets = Repository<Pet>(context: context)
    for (name, legs) in [("Tweety", 2), ("Tom", 4), ("Spike", 4)] {
      _ = try pets.create {
        $0.name = name
        $0.legs = Int16(legs)
      }
    }
    XCTAssertEqual(try pets.all(sortedBy: "name").map(\.name), ["Spike", "Tom", "Tweety"])
    XCTAssertEqual(try pets.first(where: "legs == %d AND name BEGINSWITH %@", 4, "T").name, "Tom")
    XCTAssertThrowsError(try pets.first(where: "legs > %d", 9))
    XCTAssertEqual(try pets.sum(of: "legs"), 10)
    XCTAssertEqual("\(try pets.first(where: "name == %@", "Tom"))", "Pet Tom")
    XCTAssertEqual(try context.deleteAll("Pet"), 3)
    XCTAssertEqual(try context.count(for: Pet.fetchRequest()), 0)
  }

  func testFindOrCreateAndKeys() throws {
    let context = container().viewContext
    let made = Keeper.findOrCreate(in: context, matching: NSPredicate(format: "name == 'Ada'")) {
      $0.name = "Ada"
    }
    XCTAssertTrue(context.saveOrRollback())
    let found = Keeper.findOrCreate(in: context, matching: NSPredicate(format: "name == 'Ada'")) {
      _ in XCTFail("it is there")
    }
    XCTAssertTrue(made === found)
    XCTAssertTrue(made.isKind(of: NSManagedObject.self))
    XCTAssertEqual(Keeper.entityName, "Keeper")
    let pet: Pet = context.insertObject()
    pet.setValue("Rex", forKey: "name")
    pet.setValuesForKeys(["legs": 4])
    found.mutableSetValue(forKey: "pets").add(pet)
    XCTAssertEqual(pet.keeper, found)
    XCTAssertEqual(found.pets.count, 1)
    let child = context.makeChild()
    let name = child.performAndWait { (child.object(with: pet.objectID) as? Pet)?.name }
    XCTAssertEqual(name, "Rex")
  }
}
