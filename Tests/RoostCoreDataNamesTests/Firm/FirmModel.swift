// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import XCTest

// Type aliases, as a port declares them once, for classes that Foundation declares but does not implement.
typealias NSExpression = FetchExpression
typealias NSComparisonPredicate = FetchComparisonPredicate

// Classes as Xcode generates them, and a model that is made in code.

class Firm: NSManagedObject {
  @nonobjc class func fetchRequest() -> NSFetchRequest<Firm> {
    NSFetchRequest<Firm>(entityName: "Firm")
  }
  @Managed var name: String?
  @Managed var founded: NSDate?
  @Managed var worth: NSDecimalNumber?
  @Managed var rank: NSNumber?
  @Managed var clerks: NSSet?
  @ManagedMethod func addToClerks(_ value: Clerk)
}

final class Clerk: NSManagedObject {
  enum Refusal: Error { case tooYoung }

  @Managed var name: String?
  @Managed var age: Int64
  @Managed var isHead: Bool
  @Managed var firm: Firm?

  override func validateForInsert() throws {
    try super.validateForInsert()
    if age == 1 { throw Refusal.tooYoung }
  }
}

enum FirmModel {
  static func attribute(
    _ name: String, _ type: NSAttributeType, isOptional: Bool = true, default value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    attribute.defaultValue = value
    return attribute
  }

  static func make() -> NSManagedObjectModel {
    let firm = NSEntityDescription(), clerk = NSEntityDescription()
    firm.name = "Firm"
    firm.managedObjectClassName = NSStringFromClass(Firm.self)
    clerk.name = "Clerk"
    clerk.managedObjectClassName = String(describing: Clerk.self)
    let clerks = NSRelationshipDescription(), owner = NSRelationshipDescription()
    clerks.name = "clerks"
    clerks.destinationEntity = clerk
    clerks.maxCount = 0
    clerks.deleteRule = .cascadeDeleteRule
    owner.name = "firm"
    owner.destinationEntity = firm
    owner.maxCount = 1
    clerks.inverseRelationship = owner
    owner.inverseRelationship = clerks
    firm.properties = [
      attribute("name", .stringAttributeType, isOptional: false),
      attribute("founded", .dateAttributeType), attribute("worth", .decimalAttributeType),
      attribute("rank", .integer32AttributeType, default: 0), clerks,
    ]
    clerk.properties = [
      attribute("name", .stringAttributeType),
      attribute("age", .integer64AttributeType, default: NSNumber(value: 30)),
      attribute("isHead", .booleanAttributeType, default: false), owner,
    ]
    let model = NSManagedObjectModel()
    model.entities = [firm, clerk]
    return model
  }
}

class FirmTestCase: XCTestCase {
  private(set) var container: NSPersistentContainer!
  var context: NSManagedObjectContext { container.viewContext }

  override func setUp() {
    super.setUp()
    container = NSPersistentContainer(name: "Firms", managedObjectModel: FirmModel.make())
    let description = NSPersistentStoreDescription()
    description.url = URL(fileURLWithPath: "/dev/null")
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { (_, error) in
      if let error = error as NSError? { fatalError("\(error), \(error.userInfo)") }
    }
  }

  override func tearDown() {
    container = nil
    super.tearDown()
  }

  @discardableResult
  func firm(_ name: String?) -> Firm {
    let firm = Firm(context: context)
    firm.name = name
    return firm
  }

  func clerks(_ ages: [String: Int64]) throws {
    for (name, age) in ages {
      let clerk = Clerk(context: context)
      clerk.name = name
      clerk.age = age
    }
    try context.save()
  }
}
