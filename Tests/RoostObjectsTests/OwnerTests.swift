// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite("Objects that come back, and those that must not come")
struct OwnerTests {
  @Test("awakeFromInsert is not called again when an insertion is redone (B21)")
  func redo() throws {
    let stack = try Stack()
    stack.context.undoManager = ChangeUndoManager()
    let witness = Witness(context: stack.context)
    stack.context.processPendingChanges()
    stack.context.undo()
    #expect(!witness.isInserted)
    stack.context.redo()
    #expect(witness.isInserted)
    #expect(witness.calls.filter { $0 == "awakeFromInsert" }.count == 1)
  }

  @Test(
    "undoing a saved deletion brings an object back among its owners (B94)",
    arguments: [true, false])
  func savedDeletion(isRead: Bool) throws {
    let stack = try Stack()
    let department = Department(context: stack.context)
    let (ada, bob) = (Employee(context: stack.context), Employee(context: stack.context))
    let team = Team(context: stack.context)
    for person in [ada, bob] {
      person.department = department
      person.teams = [team]
    }
    try stack.context.save()
    if !isRead { try stack.context.refreshAllObjects() }
    stack.context.undoManager = ChangeUndoManager()
    if isRead { #expect(department.people.count + team.members.count == 4) }
    team.members.remove(ada)
    stack.context.delete(ada)
    try stack.context.save()
    if isRead { #expect(department.people == [bob]) }
    stack.context.undo()
    #expect(ada.isInserted)
    #expect(department.people == [ada, bob])
    #expect(team.members == [ada, bob])
    try stack.context.save()
    let other = stack.anotherContext()
    let stored = try other.existingObject(with: department.objectID) as? Department
    #expect(stored?.people.count == 2)
  }

  @Test("a destination of another entity is refused by a mutable set, too (B72)")
  func wrongDestination() throws {
    let stack = try Stack()
    let department = Department(context: stack.context)
    try stack.context.save()
    let team = Team(context: stack.context)
    let people: MutableObjectSet<ManagedObject> = try department.mutableSetValue(forKey: "people")
    people.insert(team)
    #expect(people.isEmpty)
    #expect(code { try stack.context.save() } == .invalidValue)
    try stack.context.save()
    #expect(department.people.isEmpty)
  }

  @Test("a list moves several elements together, from both sides of the place (B78)")
  func move() throws {
    let stack = try Stack()
    let team = Team(context: stack.context)
    let all = ["a", "b", "c", "d", "e"].map { title in
      let milestone = Milestone(context: stack.context)
      milestone.title = title
      return milestone
    }
    for (offsets, place, wanted) in [
      ([0, 2], 4, "bdace"), ([0, 4], 2, "baecd"), ([3, 4], 0, "deabc"), ([0, 1], 5, "cdeab"),
      ([1, 3], 3, "acbde"), ([2], 2, "abcde"), ([0, 1, 2, 3, 4], 3, "abcde"),
    ] {
      team.milestones = all
      let list: MutableObjectList<ManagedObject> = try team.mutableOrderedSetValue(
        forKey: "milestones")
      list.move(fromOffsets: IndexSet(offsets), toOffset: place)
      #expect(team.milestones.map(\.title).joined() == wanted, "\(offsets) to \(place)")
    }
    try stack.context.save()
  }

  @Test("a context keeps an object that it watches for conflicts until the save (B45)")
  func watched() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    weak var watched: ManagedObject?
    do {
      let person = stack.context.object(with: id)
      stack.context.detectConflicts(for: person)
      watched = person
    }
    #expect(watched != nil)
    try stack.context.save()
    #expect(watched == nil)
  }

  @Test("a section that is told as deleted has no objects (B349)")
  func deletedSection() throws {
    let stack = try Stack()
    let (ada, bob) = (Employee(context: stack.context), Employee(context: stack.context))
    (ada.name, bob.name) = ("a", "b")
    try stack.context.save()
    let request = Employee.fetchRequest().sorted(by: "name")
    let controller = FetchedResultsController(
      fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: "name")
    let listener = SectionListener()
    controller.delegate = listener
    try controller.performFetch()
    stack.context.delete(bob)
    stack.context.processPendingChanges()
    #expect(listener.heard == ["b 0"])
  }

  @Test("an empty order leaves the results where they were fetched, new ones come last (B343)")
  func emptyOrder() throws {
    let stack = try Stack()
    _ = try stack.seed(3)
    let request = Employee.fetchRequest()
    request.sortDescriptors = []
    request.predicate = try FetchPredicate("age < 50")
    let controller = FetchedResultsController(
      fetchRequest: request, managedObjectContext: stack.context)
    let listener = SectionListener()
    controller.delegate = listener
    try controller.performFetch()
    let before = try #require(controller.fetchedObjects)
    #expect(before.count == 3)
    before[0].name = "changed"
    let new = Employee(context: stack.context)
    stack.context.processPendingChanges()
    #expect(controller.fetchedObjects == before + [new])
    before[1].age = 60
    stack.context.processPendingChanges()
    #expect(controller.fetchedObjects == [before[0], before[2], new])
    let missing = FetchedResultsController(
      fetchRequest: Employee.fetchRequest(), managedObjectContext: stack.context)
    #expect(code { try missing.performFetch() } == .invalidRequest)
  }

  @Test("results with a limit follow changes: the window is filled up again (B125, B317)")
  func limit() throws {
    let stack = try Stack()
    _ = try stack.seed(4)
    let request = Employee.fetchRequest().sorted(by: "age")
    request.fetchLimit = 2
    let controller = FetchedResultsController(
      fetchRequest: request, managedObjectContext: stack.context)
    let listener = SectionListener()
    controller.delegate = listener
    try controller.performFetch()
    #expect(controller.fetchedObjects?.map(\.name) == ["P0", "P1"])
    let all = try stack.employees()
    stack.context.delete(all[0])
    stack.context.processPendingChanges()
    #expect(controller.fetchedObjects?.map(\.name) == ["P1", "P2"])
    all[3].age = 0
    stack.context.processPendingChanges()
    #expect(controller.fetchedObjects?.map(\.name) == ["P3", "P1"])
    try stack.context.save()
    #expect(controller.fetchedObjects?.map(\.name) == ["P3", "P1"])
  }
}

/// Records the sections that it is notified of, and their numbers of objects.
private final class SectionListener: FetchedResultsControllerDelegate {
  var heard: [String] = []

  func controller(
    _ controller: FetchedResultsController<Employee>,
    didChange sectionInfo: FetchedResultsSection<Employee>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) { heard.append("\(sectionInfo.name) \(sectionInfo.numberOfObjects)") }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Employee>) {}
}
