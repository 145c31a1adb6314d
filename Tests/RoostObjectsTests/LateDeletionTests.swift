// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

/// An assembly whose parts are deleted with it (cascade); the inverse has no action.
@Entity final class Assembly: ManagedObject {
  var name: String = ""
  @Relationship(deleteRule: .cascade, inverse: \.assembly) var parts: Set<AssemblyPart>
}

@Entity final class AssemblyPart: ManagedObject {
  var name: String = ""
  @Relationship(deleteRule: .noAction, inverse: \.parts) var assembly: Assembly?
}

/// An entity whose objects must not be deleted.
@Entity final class Statute: ManagedObject {
  var text: String = ""

  override func validateForDelete() throws {
    throw PersistenceError(.managedObjectValidation, "It stays.")
  }
}

@Suite("Deletions that meet other deletions, merges and conflicts")
struct LateDeletionTests {
  private func makeAssembly() throws -> (ManagedObjectContext, Assembly, AssemblyPart) {
    let container = try PersistentContainer(
      name: "assemblies", model: ManagedObjectModel(Assembly.self, AssemblyPart.self),
      stores: [.inMemory()])
    try container.loadPersistentStores()
    let context = ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
    let assembly = Assembly(context: context)
    let part = AssemblyPart(context: context)
    part.assembly = assembly
    try context.save()
    return (context, assembly, part)
  }

  @Test("a cascade takes the relationship itself apart, on both sides (B92)")
  func cascade() throws {
    let (context, assembly, part) = try makeAssembly()
    context.delete(assembly)
    context.processPendingChanges()
    #expect(part.isDeleted)
    #expect(assembly.parts.isEmpty)
    #expect(part.assembly == nil)
    try context.save()
  }

  @Test("an undone deletion stands among the members that were read after it was saved (B94)")
  func readMembers() throws {
    let (context, assembly, part) = try makeAssembly()
    context.undoManager = ChangeUndoManager()
    context.delete(part)
    try context.save()
    try context.refresh(assembly, mergeChanges: false)
    #expect(assembly.parts.isEmpty)
    context.undo()
    #expect(part.isInserted)
    #expect(part.assembly == assembly)
    #expect(assembly.parts == [part])
  }

  @Test(
    "a pending deletion stays one of the version that it was made from when a save is merged (B176)"
  )
  func mergedVersion() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let mine = try stack.context.existingObject(with: id)
    stack.context.delete(mine)
    stack.context.processPendingChanges()
    let other = stack.anotherContext()
    let theirs = try #require(other.existingObject(with: id) as? Employee)
    theirs.name = "theirs"
    try other.save()
    var changes = ManagedObjectContext.ObjectIDChanges()
    changes.updatedObjectIDs = [id]
    stack.context.mergeChanges(changes)
    #expect(mine.isDeleted)
    #expect(code { try stack.context.save() } == .managedObjectMerge)
    #expect(try stack.storedNames() == ["theirs"])
  }

  @Test("what a merge policy deletes has its delete rules applied before the save (B84, B187)")
  func policy() throws {
    let stack = try Stack()
    let id = try stack.seed(2)[0]
    let mine = try #require(stack.context.existingObject(with: id) as? Employee)
    let other = stack.anotherContext()
    let theirs = try #require(other.existingObject(with: id) as? Employee)
    mine.name = "mine"
    theirs.name = "theirs"
    try other.save()
    let department = try #require(mine.department)
    stack.context.mergePolicy = DeletingPolicy(deleting: department)
    try stack.context.save()
    #expect(department.managedObjectContext == nil)
    #expect(try stack.storedNames() == [])
  }

  // Sendable: the test has one thread.
  private final class DeletingPolicy: MergePolicy, @unchecked Sendable {
    private let department: Department

    init(deleting department: Department) {
      self.department = department
      super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    override func resolve(optimisticLockingConflicts list: [MergeConflict]) throws {
      try super.resolve(optimisticLockingConflicts: list)
      department.managedObjectContext?.delete(department)
    }
  }

  @Test("an object whose record is gone is not validated (B157)")
  func goneObject() throws {
    let container = try PersistentContainer(
      name: "statutes", model: ManagedObjectModel(Statute.self), stores: [.inMemory()])
    try container.loadPersistentStores()
    let coordinator = container.persistentStoreCoordinator
    let context = ManagedObjectContext(coordinator: coordinator)
    let statute = Statute(context: context)
    try context.save()
    let reader = ManagedObjectContext(coordinator: coordinator)
    let gone = try #require(reader.object(with: statute.objectID) as? Statute)
    let deletion = BatchDeleteRequest(objectIDs: [statute.objectID])
    _ = try context.execute(deletion)
    #expect(gone.text == "")
    #expect(gone.isDeleted)
    try reader.save()
  }

  @Test("a deleted object is let go of by a context that retains its objects (B45, B90)")
  func retained() throws {
    let stack = try Stack()
    stack.context.retainsRegisteredObjects = true
    weak var reference: Team?
    do {
      let team = Team(context: stack.context)
      try stack.context.save()
      reference = team
      stack.context.delete(team)
      try stack.context.save()
    }
    #expect(reference == nil)
  }

  @Test(
    "a deletion is taken out of the members of an owner that the object has not been led to (B85)")
  func unreadOwner() throws {
    let stack = try Stack()
    let ids = try stack.seed(2)
    let request = FetchRequest<Department>(entityName: "Department")
    let department = try #require(stack.context.fetch(request).first)
    let person = try #require(stack.context.existingObject(with: ids[0]) as? Employee)
    let reader = try #require(stack.context.existingObject(with: ids[1]) as? Employee)
    #expect(department.people == [person, reader])
    stack.context.delete(person)
    stack.context.processPendingChanges()
    #expect(department.people == [reader])
  }
}
