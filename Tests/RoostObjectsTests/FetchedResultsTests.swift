// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import Testing

@Suite("Fetched results")
struct FetchedResultsTests {
  private let stack: Stack
  private let listener = Listener()

  init() throws {
    stack = try Stack()
    for (department, names) in [("A", ["ann", "bob"]), ("B", ["cid", "dan"])] {
      let place = Department(context: stack.context)
      place.name = department
      for name in names {
        let employee = Employee(context: stack.context)
        employee.name = name
        employee.age = 30
        employee.department = place
      }
    }
    try stack.context.save()
  }

  private func makeController(
    sections: Bool = false, _ condition: String = "age >= 18"
  ) throws -> FetchedResultsController<Employee> {
    let request = Employee.fetchRequest()
    request.predicate = try FetchPredicate(condition)
    request.sortDescriptors =
      (sections ? [SortOrdering("department.name")] : []) + [SortOrdering("name")]
    return FetchedResultsController(
      fetchRequest: request, managedObjectContext: stack.context,
      sectionNameKeyPath: sections ? "department.name" : nil)
  }

  private func followed(sections: Bool = false) throws -> FetchedResultsController<Employee> {
    let controller = try makeController(sections: sections)
    controller.delegate = listener
    try controller.performFetch()
    return controller
  }

  private func employee(_ name: String) throws -> Employee {
    let found = try stack.context.fetch(Employee.where { $0.name == name })
    return try #require(found.first)
  }

  @Test("without a sort order, and with sections that it tears apart, nothing is fetched (B314)")
  func orders() throws {
    let request = Employee.fetchRequest()
    let controller = FetchedResultsController(
      fetchRequest: request, managedObjectContext: stack.context,
      sectionNameKeyPath: "department.name")
    #expect(throws: PersistenceError(.invalidRequest, "")) { try controller.performFetch() }
    request.sortDescriptors = [SortOrdering("age"), SortOrdering("name", ascending: false)]
    try employee("ann").age = 29
    #expect(throws: PersistenceError(.invalidRequest, "")) { try controller.performFetch() }
    #expect(controller.fetchedObjects == nil && controller.sections == nil)
  }

  @Test("sections that a change tears apart are the controller's error, and no save's (B314)")
  func tornSections() throws {
    let request = Employee.fetchRequest().sorted(by: "age").sorted(by: "name")
    for name in ["cid", "dan"] { try employee(name).age = 40 }
    try stack.context.save()
    let controller = FetchedResultsController(
      fetchRequest: request, managedObjectContext: stack.context,
      sectionNameKeyPath: "department.name")
    controller.delegate = listener
    try controller.performFetch()
    let ann = try employee("ann")
    ann.age = 50
    stack.context.processPendingChanges()
    #expect(controller.updateError?.code == .invalidRequest)
    try stack.context.save()
    ann.age = 30
    stack.context.processPendingChanges()
    #expect(controller.updateError == nil)
    #expect(controller.sections?.map(\.numberOfObjects) == [2, 2])
  }

  @Test("results are cut into sections, and places lead there and back (B314)")
  func places() throws {
    let controller = try makeController(sections: true)
    try controller.performFetch()
    #expect(controller.sections?.map(\.name) == ["A", "B"])
    #expect(controller.sections?.map(\.numberOfObjects) == [2, 2])
    #expect(controller.object(at: IndexPath(indexes: [1, 0])).name == "cid")
    let dan = try employee("dan")
    #expect(controller.indexPath(forObject: dan) == IndexPath(indexes: [1, 1]))
    #expect(controller.sectionIndexTitles == ["A", "B"])
    #expect(controller.section(forSectionIndexTitle: "B", at: 1) == 1)
  }

  @Test("without a delegate, or with one that wants nothing, the results are current (L2, B315)")
  func deaf() throws {
    let controller = try makeController()
    try controller.performFetch()
    let deaf = DeafListener()
    for name in ["eve", "fay"] {
      let new = Employee(context: stack.context)
      (new.name, new.age) = (name, 40)
      stack.context.processPendingChanges()
      #expect(controller.fetchedObjects?.count == 5)
      #expect(controller.indexPath(forObject: try employee(name)) == [0, 4])
      stack.context.rollback()
      stack.context.processPendingChanges()
      #expect(controller.fetchedObjects?.count == 4)
      controller.delegate = deaf
    }
  }

  @Test(
    "an object that comes, goes or is changed is told in its kind, between will and did (B316, B317)"
  )
  func kinds() throws {
    let controller = try followed()
    let (ann, dan) = (try employee("ann"), try employee("dan"))
    let new = Employee(context: stack.context)
    new.name = "bea"
    new.age = 50
    stack.context.delete(dan)
    ann.age = 31
    stack.context.processPendingChanges()
    #expect(
      listener.told == [
        "will 4", "delete dan 0.3 -", "update ann 0.0 -", "insert bea - 0.1", "did 4",
      ])
    #expect(controller.fetchedObjects?.map(\.name) == ["ann", "bea", "bob", "cid"])
  }

  @Test("who fetches twice is told once, and not of what the fetch finds (B316, L1)")
  func fetchingTwice() throws {
    let controller = try followed()
    let other = stack.anotherContext()
    let new = Employee(context: other)
    (new.name, new.age) = ("abe", 40)
    try other.save()
    try controller.performFetch()
    #expect(listener.told.isEmpty && controller.fetchedObjects?.count == 5)
    try employee("ann").age = 31
    stack.context.processPendingChanges()
    #expect(listener.told == ["will 5", "update ann 0.1 -", "did 5"])
  }

  @Test("nothing is told before the event ends (B318)")
  func timing() throws {
    let controller = try followed()
    try employee("ann").age = 3
    #expect(listener.told.isEmpty && controller.fetchedObjects?.count == 4)
    stack.context.processPendingChanges()
    #expect(listener.told == ["will 4", "delete ann 0.0 -", "did 3"])
  }

  @Test("who stands elsewhere has moved, and those around have not (B317)")
  func moves() throws {
    let controller = try followed()
    try employee("ann").name = "zoe"
    stack.context.processPendingChanges()
    #expect(listener.told == ["will 4", "move zoe 0.0 0.3", "did 4"])
    #expect(controller.fetchedObjects?.map(\.name) == ["bob", "cid", "dan", "zoe"])
  }

  @Test("a move to a new section, and the end of an emptied one, are told sections first (B316)")
  func sections() throws {
    let controller = try followed(sections: true)
    let (cid, dan) = (try employee("cid"), try employee("dan"))
    let place = Department(context: stack.context)
    place.name = "C"
    cid.department = place
    dan.department = place
    stack.context.processPendingChanges()
    #expect(
      listener.told.prefix(3) == ["will 4", "delete section B 1", "insert section C 1"])
    #expect(Set(listener.told.dropFirst(3).dropLast()) == ["move cid 1.0 1.0", "move dan 1.1 1.1"])
    #expect(controller.sections?.map(\.name) == ["A", "C"])
  }

  @Test("a change of what the order or condition leads to is followed, too (B317)")
  func related() throws {
    let controller = try followed(sections: true)
    let first = try #require(controller.fetchedObjects?.first?.department)
    first.name = "Z"
    stack.context.processPendingChanges()
    #expect(controller.sections?.map(\.name) == ["B", "Z"])
    #expect(controller.fetchedObjects?.map(\.name) == ["cid", "dan", "ann", "bob"])
  }

  @Test("a delegate with the snapshot is told nothing else (B319)")
  func snapshots() throws {
    let controller = try makeController(sections: true)
    let listener = SnapshotListener()
    controller.delegate = listener
    try controller.performFetch()
    stack.context.delete(try employee("ann"))
    stack.context.processPendingChanges()
    try employee("bob").age = 33
    stack.context.processPendingChanges()
    #expect(listener.others == 0 && listener.snapshots.count == 2)
    let last = try #require(listener.snapshots.last)
    #expect(last.sectionIdentifiers == ["A", "B"])
    #expect(last.itemIdentifiers(inSection: "B").count == 2)
    #expect(last.reconfiguredItemIdentifiers == [try employee("bob").objectID])
  }

  @Test("a delegate with the difference is told it for results without sections only (B319)")
  func differences() throws {
    let listener = DifferenceListener()
    for sections in [false, true] {
      let controller = try makeController(sections: sections)
      controller.delegate = listener
      try controller.performFetch()
      let before = try #require(controller.fetchedObjects).map(\.objectID)
      try employee("ann").name = "zoe"
      stack.context.processPendingChanges()
      if !sections {
        let difference = try #require(listener.differences.last)
        #expect(before.applying(difference) == controller.fetchedObjects?.map(\.objectID))
      }
      stack.context.rollback()
      stack.context.processPendingChanges()
      controller.delegate = nil
    }
    #expect(listener.differences.count == 2)
  }

  @Test("what a merge makes match appears, registered or not, and what it ends goes (B321)")
  func merged() throws {
    let hidden = Employee(context: stack.context)
    hidden.name = "eva"
    hidden.age = 3
    try stack.context.save()
    let id = hidden.objectID
    for isRegistered in [true, false] {
      let other = stack.anotherContext()
      let controller = try makeController()
      let listener = Listener()
      controller.delegate = listener
      try controller.performFetch()
      if !isRegistered { stack.context.reset() }
      if !isRegistered { try controller.performFetch() }
      #expect((stack.context.registeredObject(for: id) != nil) == isRegistered)
      let theirs = try #require(try other.existingObject(with: id) as? Employee)
      for (age, count) in [(30, 5), (3, 4)] {
        theirs.age = Int32(age)
        try other.save()
        var changes = ManagedObjectContext.ObjectIDChanges()
        changes.updatedObjectIDs = [id]
        stack.context.mergeChanges(changes)
        #expect(controller.fetchedObjects?.count == count)
      }
      #expect(
        listener.told == [
          "will 4", "insert eva - 0.4", "did 5", "will 5", "delete eva 0.4 -", "did 4",
        ])
      controller.delegate = nil
    }
    withExtendedLifetime(hidden) {}
  }

  @Test("after a reset the results are gone until they are fetched again (B115, B320)")
  func reset() throws {
    let controller = try followed()
    stack.context.reset()
    #expect(controller.fetchedObjects == nil)
    try controller.performFetch()
    #expect(controller.fetchedObjects?.count == 4)
  }

  @Test("snapshots can be awaited in another task")
  func stream() async throws {
    let controller = try makeController()
    try controller.performFetch()
    var iterator = controller.snapshots().makeAsyncIterator()
    #expect(await iterator.next()?.numberOfItems == 4)
    stack.context.delete(try employee("ann"))
    stack.context.processPendingChanges()
    #expect(await iterator.next()?.numberOfItems == 3)
  }

  @Test("three hundred random events are told so that the old list becomes the new one (B317)")
  func random() throws {
    let controller = try followed(sections: true)
    let list = ListOnScreen(controller)
    controller.delegate = list
    var generator = SplitMix(state: 7)
    for _ in 0..<300 {
      for _ in 0..<Int.random(in: 1...4, using: &generator) { try changeSomething(&generator) }
      let wanted = try stack.context.fetch(controller.fetchRequest)
      #expect(controller.fetchedObjects == wanted)
      #expect(list.sections.map(\.name) == controller.sections?.map(\.name))
      #expect(list.sections.flatMap(\.names) == wanted.map(\.name))
    }
  }

  private func changeSomething(_ generator: inout SplitMix) throws {
    let all = try stack.context.fetch(Employee.fetchRequest().sorted(by: "name"))
    let places = try stack.context.fetch(Department.fetchRequest().sorted(by: "name"))
    let target = all.randomElement(using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      let new = Employee(context: stack.context)
      new.name = "n\(Int.random(in: 0..<50, using: &generator))"
      new.age = 20
      new.department = places.randomElement(using: &generator)
    case 1: if all.count > 4, let target { stack.context.delete(target) }
    case 2: target?.name = "m\(Int.random(in: 0..<50, using: &generator))"
    case 3: target?.age = Int32.random(in: 10...40, using: &generator)
    case 4: target?.department = places.randomElement(using: &generator)
    default: places.randomElement(using: &generator)?.name += "x"
    }
  }
}

/// A generator of random numbers that are the same for a seed.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
