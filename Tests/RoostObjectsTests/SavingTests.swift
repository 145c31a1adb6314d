// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct SavingTests {
  @Test("willSave's changes are part of the same save, didSave sees permanent IDs (B162, B166)")
  func hooks() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    witness.onWillSave = { if $0.title != "stamped" { $0.title = "stamped" } }
    try stack.context.save()
    #expect(witness.calls.last == "didSave permanent")
    let other = stack.anotherContext()
    let same = try #require(try other.existingObject(with: witness.objectID) as? Witness)
    #expect(same.title == "stamped")
  }

  @Test("willSave that changes objects for ever ends in an error and loses nothing (B163, B171)")
  func endlessWillSave() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    witness.onWillSave = { $0.stamp += 1 }
    #expect(code { try stack.context.save() } == .endlessWillSave)
    #expect(stack.context.insertedObjects == [witness])
    #expect(witness.objectID.isTemporaryID)
    witness.onWillSave = nil
    try stack.context.save()
    #expect(!witness.objectID.isTemporaryID)
  }

  @Test("what is refused in willSave is said by the same save, which writes nothing (B31, B162)")
  func refusedInWillSave() throws {
    let stack = try Stack()
    let other = stack.anotherContext()
    let foreign = Department(context: other)
    let employee = Employee(context: stack.context)
    let witness = Witness(context: stack.context)
    witness.onWillSave = { _ in employee.department = foreign }
    #expect(code { try stack.context.save() } == .differentContexts)
    #expect(stack.context.insertedObjects == [witness, employee])
    witness.onWillSave = nil
    try stack.context.save()
    #expect(!stack.context.hasChanges)
  }

  @Test("willSave and didSave are called for deletions, too (B165)")
  func deletionHooks() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    try stack.context.save()
    witness.calls = []
    stack.context.delete(witness)
    try stack.context.save()
    #expect(witness.calls == ["prepareForDeletion", "willSave deleted", "didSave permanent"])
  }

  @Test("after a save nothing is changed and the committed values are the current ones (B167)")
  func afterSave() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    team.title = "Gold"
    try stack.context.save()
    #expect(!stack.context.hasChanges)
    #expect(!team.hasChanges)
    #expect(team.changedValues().isEmpty)
    #expect(try team.committedValues(forKeys: ["title"])["title"] as? String == "Gold")
  }

  @Test("a save without changes does no work (B104)")
  func nothingToSave() throws {
    let stack = try Stack()
    try stack.context.save()
    #expect(stack.context.counters.saves == 0)
    #expect(stack.context.counters.roundTrips == 0)
  }

  @Test("a failed save keeps all changes and temporary IDs, and can be tried again (B156, B171)")
  func failedSave() throws {
    let stack = try Stack()
    let person = Employee(context: stack.context)
    person.age = 200
    let team = Team(context: stack.context)
    #expect(code { try stack.context.save() } == .validationNumberTooLarge)
    #expect(stack.context.insertedObjects == [person, team])
    #expect(person.objectID.isTemporaryID)
    #expect(try stack.employees(in: stack.anotherContext()).isEmpty)
    person.age = 20
    try stack.context.save()
    #expect(try stack.storedNames() == [""])
  }

  @Test("a record that somebody else changed is a conflict: nothing is written (B175, B178)")
  func conflict() throws {
    let stack = try Stack()
    _ = try stack.seed(2)
    let people = try stack.employees()
    people.forEach { $0.name = "mine" }
    let other = stack.anotherContext()
    try stack.employees(in: other)[0].name = "theirs"
    try other.save()
    let error = #expect(throws: PersistenceError.self) { try stack.context.save() }
    #expect(error?.code == .managedObjectMerge)
    #expect(error?.objectIDs == [people[0].objectID])
    #expect(stack.context.updatedObjects == Set(people))
    #expect(try stack.storedNames() == ["theirs", "P1"])
    // Refreshed with its changes on top, it can be saved (B116).
    try stack.context.refresh(people[0], mergeChanges: true)
    #expect(people[0].name == "mine")
    try stack.context.save()
    #expect(try stack.storedNames() == ["mine", "mine"])
  }

  @Test("a deletion of a record that somebody changed is a conflict (B176)")
  func deleteConflict() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let person = try #require(stack.employees().first)
    stack.context.delete(person)
    let other = stack.anotherContext()
    try stack.employees(in: other)[0].name = "theirs"
    try other.save()
    #expect(code { try stack.context.save() } == .managedObjectMerge)
    #expect(stack.context.deletedObjects == [person])
  }

  @Test("rollback goes back to the committed values without asking a store (B114)")
  func rollback() throws {
    let stack = try Stack()
    _ = try stack.seed(3)
    let people = try stack.employees()
    let department = try #require(people[0].department)
    _ = department.people
    people[0].name = "changed"
    people[1].department = nil
    stack.context.delete(people[2])
    let new = Employee(context: stack.context)
    new.department = department
    stack.context.processPendingChanges()
    stack.context.resetCounters()
    stack.context.rollback()
    #expect(!stack.context.hasChanges)
    #expect(people[0].name == "P0")
    #expect(people[1].department === department)
    #expect(!people[2].isDeleted)
    #expect(people[2].department === department)
    #expect(new.managedObjectContext == nil)
    #expect(department.people == Set(people))
    #expect(stack.context.counters.roundTrips == 0)
  }

  @Test("reset forgets all objects (B115)")
  func reset() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let person = try #require(stack.employees().first)
    person.name = "changed"
    stack.context.reset()
    #expect(person.managedObjectContext == nil)
    #expect(!stack.context.hasChanges)
    #expect(stack.context.registeredObjects.isEmpty)
    #expect(try stack.employees().first?.name == "P0")
  }

  @Test(
    "refreshing an object that was never saved drops its values and not the object (B119, B344)")
  func refreshInserted() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    team.title = "Gold"
    try stack.context.refresh(team, mergeChanges: false)
    #expect(team.isInserted)
    #expect(team.title == "")
    team.title = "Silver"
    try stack.context.refresh(team, mergeChanges: true)
    #expect(team.title == "Silver")
  }

  @Test("refreshAllObjects keeps unsaved changes and object references (B117)")
  func refreshAll() throws {
    let stack = try Stack()
    _ = try stack.seed(2)
    let people = try stack.employees()
    _ = people.map(\.name)
    people[0].name = "mine"
    let other = stack.anotherContext()
    for person in try stack.employees(in: other) {
      person.name = "theirs"
      person.age += 10
    }
    try other.save()
    try stack.context.refreshAllObjects()
    #expect(people.map(\.name) == ["mine", "theirs"])
    #expect(people.map(\.age) == [10, 11])
  }

  @Test(
    "two stores: each takes its configuration's objects, related ones stay together (B229, B230)")
  func twoStores() throws {
    let model = try Stack.makeModel()
    let entities = model.entitiesByName
    try model.setEntities(
      ["Department", "Person", "Employee", "Guest", "Badge", "Team", "Milestone"].compactMap {
        entities[$0]
      }, forConfigurationName: "People")
    try model.setEntities(["Witness"].compactMap { entities[$0] }, forConfigurationName: "Rest")
    let container = try PersistentContainer(
      name: "two", model: model,
      stores: [.inMemory(configuration: "People"), .inMemory(configuration: "Rest")])
    try container.loadPersistentStores()
    let stores = container.persistentStoreCoordinator.persistentStores
    let context = container.newBackgroundContext()
    let witness = Witness(context: context)
    let team = Team(context: context)
    #expect(code { try context.assign(witness, to: stores[0]) } == .invalidStoreAssignment)
    try context.save()
    #expect(team.objectID.persistentStore === stores[0])
    #expect(witness.objectID.persistentStore === stores[1])
    #expect(code { try context.assign(team, to: stores[0]) } == .invalidStoreAssignment)
  }

  @Test("assigned objects go where they were assigned, and fetches unite the stores (B230, B233)")
  func assigned() throws {
    let stack = try Stack([.inMemory(), .inMemory()])
    let stores = stack.container.persistentStoreCoordinator.persistentStores
    let teams = ["c", "a", "d", "b"].map { title in
      let team = Team(context: stack.context)
      team.title = title
      return team
    }
    try stack.context.assign(teams[1], to: stores[1])
    try stack.context.assign(teams[2], to: stores[1])
    try stack.context.save()
    #expect(
      teams.map { $0.objectID.persistentStore === stores[1] } == [false, true, true, false])
    let request = FetchRequest<Team>(entityName: "Team")
    request.sortDescriptors = [SortOrdering("title")]
    let other = stack.anotherContext()
    #expect(try other.fetch(request).map(\.title) == ["a", "b", "c", "d"])
    request.fetchLimit = 2
    request.fetchOffset = 1
    #expect(try other.fetch(request).map(\.title) == ["b", "c"])
  }

  @Test("a relationship across stores cannot be saved (B73)")
  func acrossStores() throws {
    let stack = try Stack([.inMemory(), .inMemory()])
    let stores = stack.container.persistentStoreCoordinator.persistentStores
    let team = Team(context: stack.context)
    let milestone = Milestone(context: stack.context)
    milestone.team = team
    try stack.context.assign(team, to: stores[0])
    try stack.context.assign(milestone, to: stores[1])
    #expect(code { try stack.context.save() } == .externalRelationship)
    #expect(stack.context.insertedObjects == [team, milestone])
  }

  @Test("a new object follows the saved object that it is related to (B74)")
  func followsRelated() throws {
    let stack = try Stack([.inMemory(), .inMemory()])
    let stores = stack.container.persistentStoreCoordinator.persistentStores
    let team = Team(context: stack.context)
    try stack.context.assign(team, to: stores[1])
    try stack.context.save()
    let milestone = Milestone(context: stack.context)
    milestone.team = team
    try stack.context.save()
    #expect(milestone.objectID.persistentStore === stores[1])
  }

  @Test("a removed store's objects lose their context, in all contexts (B235)")
  func removedStore() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let person = try #require(stack.employees().first)
    let other = stack.anotherContext()
    let same = try #require(stack.employees(in: other).first)
    let coordinator = stack.container.persistentStoreCoordinator
    try coordinator.remove(coordinator.persistentStores[0])
    stack.context.processPendingChanges()
    #expect(person.managedObjectContext == nil)
    other.processPendingChanges()
    #expect(same.managedObjectContext == nil)
    for context in [stack.context, other] {
      _ = Team(context: context)
      #expect(code { try context.save() } == .noStore)
    }
  }
}
