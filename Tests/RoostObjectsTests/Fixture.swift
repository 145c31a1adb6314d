// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory

@Entity final class Department: ManagedObject {
  var name: String = ""
  @Relationship(deleteRule: .cascade, inverse: \.department) var people: Set<Employee>
}

@Entity(abstract: true) class Person: ManagedObject {
  var name: String = ""
  var born: Date?
  @Relationship(inverse: \.members) var teams: Set<Team>
  @Relationship(inverse: \.spouse) var spouse: Person?
}

@Entity final class Employee: Person {
  @Attribute(minimum: 0, maximum: 150) var age: Int32 = 0
  @Attribute(.transient) var draft: String?
  @Relationship(inverse: \.people) var department: Department?
  @Relationship(inverse: \.owner) var badge: Badge?
}

@Entity final class Guest: Person {
  var room: Int16 = 1
}

@Entity final class Badge: ManagedObject {
  var code: String?
  @Relationship(inverse: \.badge) var owner: Employee?
}

@Entity final class Team: ManagedObject {
  var title: String = ""
  @Relationship(deleteRule: .deny, inverse: \.teams) var members: Set<Person>
  @Relationship(deleteRule: .cascade, inverse: \.team) var milestones: [Milestone]
}

@Entity final class Milestone: ManagedObject {
  var title: String = ""
  @Relationship(inverse: \.milestones) var team: Team?
}

/// Counts the calls of its life cycle methods.
@Entity final class Witness: ManagedObject {
  var title: String?
  var stamp: Int64 = 0
  var tags: [String]?
  @Unmodeled var calls: [String] = []
  @Unmodeled var onDidSave: ((Witness) -> Void)?
  @Unmodeled var onWillSave: ((Witness) -> Void)?

  override func awakeFromInsert() {
    super.awakeFromInsert()
    calls.append("awakeFromInsert")
    try? setPrimitiveValue(5, forKey: "stamp")
  }
  override func awakeFromFetch() {
    super.awakeFromFetch()
    calls.append("awakeFromFetch")
    stamp = 77
  }
  override func willSave() {
    super.willSave()
    calls.append(isDeleted ? "willSave deleted" : "willSave")
    onWillSave?(self)
  }
  override func didSave() {
    super.didSave()
    calls.append("didSave \(objectID.isTemporaryID ? "temporary" : "permanent")")
    onDidSave?(self)
  }
  override func prepareForDeletion() {
    super.prepareForDeletion()
    calls.append("prepareForDeletion")
  }
  override func willTurnIntoFault() {
    super.willTurnIntoFault()
    calls.append("willTurnIntoFault \(isFault)")
  }
  override func didTurnIntoFault() {
    super.didTurnIntoFault()
    calls.append("didTurnIntoFault \(isFault)")
  }
  override func awake(fromSnapshotEvents flags: SnapshotEventType) {
    super.awake(fromSnapshotEvents: flags)
    calls.append("snapshot \(flags.rawValue)")
  }
  override func validate(_ value: inout Value, forKey key: String) throws {
    if key == "title", case .string("replace me") = value { value = .string("replaced") }
    if key == "title", case .string("refuse me") = value {
      throw PersistenceError(.managedObjectValidation, "Refused.", key: key)
    }
  }
}

/// A stack over a store in memory.
struct Stack {
  let container: PersistentContainer
  let context: ManagedObjectContext

  init(_ stores: [PersistentStoreDescription] = [.inMemory()]) throws {
    container = try PersistentContainer(name: "test", model: Stack.makeModel(), stores: stores)
    try container.loadPersistentStores()
    context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  static func makeModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      Department.self, Person.self, Employee.self, Guest.self, Badge.self, Team.self,
      Milestone.self, Witness.self)
  }

  /// Returns another context on the same coordinator.
  func anotherContext() -> ManagedObjectContext {
    ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  /// Saves some employees of one department and returns their IDs.
  func seed(_ count: Int) throws -> [ObjectID] {
    let context = anotherContext()
    let department = Department(context: context)
    department.name = "Research"
    let people = (0..<count).map { index in
      let person = Employee(context: context)
      person.name = "P\(index)"
      person.age = Int32(index % 100)
      person.department = department
      return person
    }
    try context.save()
    return people.map(\.objectID)
  }

  /// Returns the names of all employees by age, as another context reads them.
  func storedNames() throws -> [String] {
    let other = anotherContext()
    return try withExtendedLifetime(other) { try employees(in: other).map(\.name) }
  }

  /// Returns the number of saves that wrote the record of each object: its version in the store (B173).
  func versions(of objects: [some ManagedObject]) throws -> [Int64] {
    try objects.map {
      try container.persistentStoreCoordinator.existingRow(for: $0.objectID).version
    }
  }

  func employees(in context: ManagedObjectContext? = nil) throws -> [Employee] {
    let request = FetchRequest<Employee>(entityName: "Employee")
    request.sortDescriptors = [SortOrdering("age")]
    return try (context ?? self.context).fetch(request)
  }
}

/// Returns the code of the error that a closure throws.
func code(_ body: () throws -> Void) -> PersistenceError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? PersistenceError)?.code
  }
}
