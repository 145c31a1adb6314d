// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import XCTest

private let employeeModel: NSManagedObjectModel = {
  let model = NSManagedObjectModel()

  let person = NSEntityDescription()
  person.name = "Person"
  person.managedObjectClassName = NSStringFromClass(Person.self)
  person.isAbstract = true
  let name = NSAttributeDescription()
  name.name = "name"
  name.attributeType = .stringAttributeType
  name.isOptional = false
  name.defaultValue = "unknown"
  let created = NSAttributeDescription()
  created.name = "createdAt"
  created.attributeType = .dateAttributeType
  created.isOptional = true
  person.properties = [name, created]

  let employee = NSEntityDescription()
  employee.name = "Employee"
  employee.managedObjectClassName = "Employee"
  let salary = NSAttributeDescription()
  salary.name = "salary"
  salary.attributeType = .decimalAttributeType
  salary.defaultValue = NSDecimalNumber.zero
  salary.setValidationPredicates(
    [NSPredicate(format: "SELF >= 0")], withValidationWarnings: ["negative"])
  let info = NSAttributeDescription()
  info.name = "info"
  info.attributeType = .transformableAttributeType
  info.valueTransformerName = "StringsTransformer"
  info.attributeValueClassName = "NSArray"
  let total = NSDerivedAttributeDescription()
  total.name = "lowerName"
  total.attributeType = .stringAttributeType
  total.derivationExpression = FetchExpression(format: "lowercase:(name)")

  let department = NSEntityDescription()
  department.name = "Department"
  department.managedObjectClassName = String(describing: Department.self)
  let identifier = NSAttributeDescription()
  identifier.name = "id"
  identifier.attributeType = .integer64AttributeType
  department.uniquenessConstraints = [["id"]]

  let employees = NSRelationshipDescription()
  let home = NSRelationshipDescription()
  employees.name = "employees"
  employees.destinationEntity = employee
  employees.minCount = 0
  employees.maxCount = 0
  employees.deleteRule = .denyDeleteRule
  employees.inverseRelationship = home
  home.name = "department"
  home.destinationEntity = department
  home.minCount = 0
  home.maxCount = 1
  home.deleteRule = .nullifyDeleteRule
  home.inverseRelationship = employees
  employee.properties = [salary, info, total, home]
  department.properties = [identifier, employees]
  department.indexes = [
    NSFetchIndexDescription(
      name: "byID",
      elements: [NSFetchIndexElementDescription(property: identifier, collationType: .binary)])
  ]
  person.subentities = [employee]
  model.entities = [person, employee, department]
  model.setEntities([department], forConfigurationName: "Departments")
  return model
}()

class Person: NSManagedObject {
  @Managed var name: String
  @Managed var createdAt: Date?
  override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue(Date(), forKey: "createdAt")
  }
}
final class Employee: Person {
  @Managed var salary: NSDecimalNumber?
  @Managed var info: [String]?
  @Managed var lowerName: String?
  @Managed var department: Department?
  var events: [String] = []
  override func willSave() { super.willSave(); events.append("willSave") }
  override func didSave() { super.didSave(); events.append("didSave") }
  override func prepareForDeletion() {
    super.prepareForDeletion(); events.append("prepareForDeletion")
  }
  override func didTurnIntoFault() { super.didTurnIntoFault(); events.append("didTurnIntoFault") }
}
final class Department: NSManagedObject {
  @Managed var id: Int64
  @Managed var employees: Set<Employee>
}

final class StringsTransformer: ValueTransformer, @unchecked Sendable {
  // Sendable: it has no state.
  override class func transformedValueClass() -> AnyClass { NSData.self }
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? [String]).flatMap { try? JSONEncoder().encode($0) } as NSData?
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { try? JSONDecoder().decode([String].self, from: $0) }
  }
}

class ModelTests: XCTestCase {
  var coordinator: NSPersistentStoreCoordinator!
  var store: NSPersistentStore!
  var moc: NSManagedObjectContext!

  override class func setUp() {
    super.setUp()
    ValueTransformer.setValueTransformer(
      StringsTransformer(), forName: NSValueTransformerName("StringsTransformer"))
  }

  override func setUpWithError() throws {
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: employeeModel)
    store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    moc = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    moc.persistentStoreCoordinator = coordinator
  }

  override func tearDownWithError() throws {
    moc = nil
    try coordinator.remove(store)
  }

  func testProgrammaticModel() throws {
    let department = Department(context: moc)
    department.id = 7
    let employee = Employee(context: moc)
    XCTAssertEqual(employee.name, "unknown")
    employee.name = "ADA"
    employee.info = ["a", "b"]
    employee.department = department
    XCTAssertEqual(department.employees, [employee])
    try moc.save()
    XCTAssertEqual(employee.events, ["willSave", "didSave"])
    XCTAssertEqual(employee.lowerName, "ada")
    moc.refresh(employee, mergeChanges: false)
    XCTAssertEqual(employee.events.last, "didTurnIntoFault")
    XCTAssertEqual(employee.info, ["a", "b"])
    let people = try moc.fetch(NSFetchRequest<Person>(entityName: "Person"))
    XCTAssertTrue(people.first is Employee)
    moc.delete(department)
    XCTAssertThrowsError(try moc.save()) {
      XCTAssertEqual(($0 as NSError).code, NSValidationRelationshipDeniedDeleteError)
    }
    moc.rollback()
    employee.salary = -5
    XCTAssertThrowsError(try moc.save()) {
      XCTAssertEqual(($0 as NSError).domain, NSCocoaErrorDomain)
    }
    employee.salary = 5
    try moc.save()
    let other = Department(context: moc)
    other.setValue(8, forKey: "id")
    XCTAssertThrowsError(
      try {
        other.id = 7; try moc.save()
      }())
    XCTAssertEqual(employee.entity.superentity?.name, "Person")
    XCTAssertTrue(employee.entity.isKindOf(entity: Person.entity()))
    XCTAssertEqual(Person.entity().subentitiesByName.keys.sorted(), ["Employee"])
    XCTAssertEqual(
      employeeModel.configurations, ["Departments", "PF_DEFAULT_CONFIGURATION_NAME"])
    XCTAssertEqual(employeeModel.entities(forConfigurationName: "Departments")?.count, 1)
    let relationship = Department.entity().relationshipsByName["employees"]!
    XCTAssertTrue(relationship.isToMany)
    XCTAssertEqual(relationship.inverseRelationship?.name, "department")
    XCTAssertEqual(relationship.deleteRule, .denyDeleteRule)
  }

  func testMergedModel() {
    XCTAssertNil(
      NSManagedObjectModel.mergedModel(from: [Bundle(for: type(of: self))])?.entitiesByName[
        "Nothing"])
    let merged = NSManagedObjectModel(byMerging: [employeeModel])
    XCTAssertEqual(merged?.entities.count, 3)
    let copy = employeeModel.copy()
    XCTAssertEqual(copy.entitiesByName.count, 3)
    XCTAssertEqual(copy.entityVersionHashesByName, employeeModel.entityVersionHashesByName)
  }

  func testBadStores() {
    XCTAssertThrowsError(
      try coordinator.addPersistentStore(
        ofType: "Nonsense", configurationName: nil, at: nil, options: nil)
    ) {
      XCTAssertEqual(($0 as NSError).code, NSPersistentStoreInvalidTypeError)
    }
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try! Data("this is no database, but it is long enough to look like one".utf8).write(to: url)
    XCTAssertThrowsError(
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url,
        options: [NSReadOnlyPersistentStoreOption: true])
    ) {
      XCTAssertEqual(($0 as NSError).domain, NSCocoaErrorDomain)
    }
    try? FileManager.default.removeItem(at: url)
  }
}

final class MyContainer: NSPersistentContainer, @unchecked Sendable {
  // Sendable: it adds no state.
  init() {
    super.init(name: "Staff", managedObjectModel: employeeModel)
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    description.shouldAddStoreAsynchronously = true
    persistentStoreDescriptions = [description]
  }
  override class func defaultDirectoryURL() -> URL { FileManager.default.temporaryDirectory }
}

final class ContainerTests: XCTestCase {
  func testSubclass() {
    let container = MyContainer()
    let expectation = self.expectation(description: "loaded")
    container.loadPersistentStores { description, error in
      XCTAssertEqual(description.type, NSInMemoryStoreType)
      XCTAssertNil(error)
      expectation.fulfill()
    }
    wait(for: [expectation], timeout: 60)
    XCTAssertEqual(container.name, "Staff")
    XCTAssertTrue(
      container.viewContext.persistentStoreCoordinator === container.persistentStoreCoordinator)
    XCTAssertEqual(container.viewContext.concurrencyType, .mainQueueConcurrencyType)
  }

  func testGlobalPreview() throws {
    let request: NSFetchRequest<NSFetchRequestResult> = NSFetchRequest(entityName: "Author")
    XCTAssertEqual(try PreviewHolder.count(request), 10)
  }
}
enum PreviewHolder {
  static func count(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> Int {
    try PersistenceController.preview.container.viewContext.count(for: request)
  }
}
