// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance
import RoostStore
import Synchronization
import Testing

@testable import RoostConformanceKit

@Suite("Stores of all kinds with an instrument")
struct InstrumentedStoreTests {
  /// Records the operations that it is notified of.
  private final class Recorder: StoreInstrument {
    private let told = Mutex(
      (began: [StoreOperation](), ended: [(StoreOperation, StoreOperationResult)]()))

    var hearsStatements: Bool { true }

    func operationBegan(_ operation: StoreOperation) {
      told.withLock { $0.began.append(operation) }
    }

    func operationEnded(_ operation: StoreOperation, _ result: StoreOperationResult) {
      told.withLock { $0.ended.append((operation, result)) }
    }

    /// Returns the operations of a piece of work, in the order of their ends; the same operations must have begun.
    func during(
      _ work: () throws -> Void
    ) throws -> [(operation: StoreOperation, result: StoreOperationResult)] {
      told.withLock { $0 = ([], []) }
      try work()
      let (began, ended) = told.withLock { ($0.began, $0.ended) }
      #expect(began.map(\.id).sorted() == ended.map(\.0.id).sorted())
      return ended.map { ($0.0, $0.1) }
    }
  }

  private struct Setting {
    let stage: ConformanceStage
    let stack: ConformanceStack
    let recorder = Recorder()

    init(_ harness: StoreHarness) throws {
      StoresUnderTest.prepared
      stage = ConformanceStage(harness: harness)
      var sketch = CompanyModel.sketch()
      sketch.add("Account", [.string("name")], unique: [["name"]])
      stack = try stage.open(sketch.make())
      try CompanyModel.fill(stack.context)
      try stack.context.save()
      try stack.readAnew()
      stack.context.name = "main"
      stack.context.transactionAuthor = "ada"
      stack.coordinator.instruments.add(recorder)
    }
  }

  @Test("reading is told: fetches, counts, faults, relationships", arguments: StoresUnderTest.all)
  func reading(_ harness: StoreHarness) throws {
    let setting = try Setting(harness)
    defer { setting.stage.clear() }
    let context = setting.stack.context
    let recorder = setting.recorder
    let request = try context.request("Person", "age > 20", [])
    request.includesPropertyValues = false
    var people: [ManagedObject] = []
    let fetch = try recorder.during { people = try context.fetch(request) }
      .filter { $0.operation.kind == .fetch }
    #expect(fetch.count == 1)
    #expect(fetch.first?.operation.entityName == "Person")
    #expect(fetch.first?.operation.isImplicit == false)
    #expect(fetch.first?.operation.contextName == "main")
    #expect(fetch.first?.operation.author == "ada")
    #expect(fetch.first?.result.statement?.isEmpty == false)
    #expect(try #require(fetch.first).result.duration > .zero)
    let count = try recorder.during { _ = try context.count(for: request) }
      .filter { $0.operation.kind == .count }
    #expect(count.count == 1)
    #expect(count.first?.result.outcome.isSuccess == true)
    let fault = try recorder.during { _ = try people[0].text("name") }
    #expect(fault.map(\.operation.kind) == [.rows])
    #expect(fault.map(\.operation.isImplicit) == [true])
    #expect(fault.map(\.operation.entityName) == ["Person"])
    #expect(fault.map(\.result.rows) == [people.count])
    #expect(fault.map(\.result.bytes) == [try people.reduce(0) { $0 + (try Self.size(of: $1)) }])
    let relationship = try recorder.during { _ = try people[0].many("projects").count }
    #expect(relationship.first?.operation.kind == .relationships)
    #expect(relationship.first?.operation.isImplicit == true)
    #expect(relationship.first?.operation.detail == "projects of \(people.count) objects")
    let existing = try recorder.during {
      _ = try setting.stack.makeContext().existingObject(with: people[0].objectID)
    }
    #expect(existing.map(\.operation.kind) == [.rows])
    #expect(existing.map(\.operation.isImplicit) == [false])
    #expect(existing.map(\.operation.contextName) == [nil])
  }

  /// The size of a person's key and values, which are numbers, texts and one reference.
  private static func size(of person: ManagedObject) throws -> Int {
    var size = 8
    for name in person.entity.attributesByName.keys {
      switch try person.get(name) {
      case .null: break
      case .string(let text): size += text.utf8.count
      default: size += 8
      }
    }
    for (name, relationship) in person.entity.relationshipsByName where !relationship.isToMany {
      if try person.one(name) != nil { size += 8 }
    }
    return size
  }

  @Test(
    "writing is told: saves, conflicts, failures, batch requests", arguments: StoresUnderTest.all)
  func writing(_ harness: StoreHarness) throws {
    let setting = try Setting(harness)
    defer { setting.stage.clear() }
    let context = setting.stack.context
    let recorder = setting.recorder
    let ada = try context.named("Person", "Ada")
    try context.make("Account", ["name": "a"])
    let save = try recorder.during { try context.save() }
    #expect(save.map(\.operation.kind).contains(.reservation))
    let commit = try #require(save.last)
    #expect(commit.operation.kind == .commit)
    #expect(commit.operation.entityName == "Account")
    #expect(commit.operation.detail == "1 inserted")
    #expect(commit.operation.contextName == "main")
    #expect(commit.result.rows == 1)
    // The key, and the name “a”.
    #expect(commit.result.bytes == 9)
    let other = setting.stack.makeContext()
    try other.named("Person", "Ada").set("age", 1)
    try other.save()
    try ada.set("age", 2)
    let conflict = try recorder.during {
      #expect(throws: PersistenceError(.managedObjectMerge, "")) { try context.save() }
    }
    #expect(conflict.map { "\($0.operation.kind) \($0.result.outcome)" } == ["commit conflict"])
    context.rollback()
    try context.make("Account", ["name": "a"])
    let failed = try recorder.during {
      #expect(throws: PersistenceError.self) { try context.save() }
    }
    #expect(failed.last.map { "\($0.operation.kind) \($0.result.outcome)" } == "commit conflict")
    context.rollback()
    let update = BatchUpdateRequest(entityName: "Person")
    update.propertiesToUpdate = ["salary": 7.0]
    let batch = try recorder.during { _ = try context.execute(update) }
    let whole = try #require(batch.last)
    #expect(whole.operation.kind == .batchUpdate)
    #expect(whole.operation.entityName == "Person")
    #expect(whole.result.rows == 5)
    #expect(batch.dropLast().allSatisfy { $0.operation.parent == whole.operation.id })
    #expect(batch.map(\.operation.kind).contains(.commit))
  }

  @Test("the log shows each statement of a request once", arguments: StoresUnderTest.all)
  func statements(_ harness: StoreHarness) throws {
    let setting = try Setting(harness)
    defer { setting.stage.clear() }
    let lines = Mutex<[StoreLogLine]>([])
    setting.stack.coordinator.setLog { line in lines.withLock { $0.append(line) } }
    let context = setting.stack.context
    let request = try context.request("Person", "age > 20", [])
    let told = try setting.recorder.during { _ = try context.fetch(request) }
    let seen = lines.withLock { $0 }
    let statements = seen.filter { $0.kind == .statement }.map(\.text)
    #expect(!statements.isEmpty)
    #expect(Set(statements).count == statements.count)
    for statement in statements {
      #expect(seen.filter { $0.text.contains(statement) }.count == 1, "\(statement)")
    }
    #expect(told.flatMap(\.result.statements) == statements)
  }

  @Test("a fault of a child is told as the child's, and as one that nobody asked for")
  func child() throws {
    let setting = try Setting(StoresUnderTest.inMemory)
    defer { setting.stage.clear() }
    let context = setting.stack.context
    context.stalenessInterval = 0
    let child = ManagedObjectContext(.privateQueue)
    child.parent = context
    child.name = "child"
    let request = try child.request("Person", nil, [])
    request.includesPropertyValues = false
    let people = try child.fetch(request)
    let told = try setting.recorder.during { _ = try people[0].text("name") }
    #expect(!told.isEmpty)
    #expect(told.allSatisfy { $0.operation.isImplicit && $0.operation.contextName == "child" })
  }

  @Test("the opening of a store is told, and the steps of its migration within it")
  func migration() throws {
    StoresUnderTest.prepared
    let stage = ConformanceStage(harness: StoresUnderTest.sqlite)
    defer { stage.clear() }
    let stack = try stage.open(CompanyModel.make())
    try CompanyModel.fill(stack.context)
    try stack.context.save()
    stack.close()
    var sketch = CompanyModel.sketch()
    sketch.add("Car", [.string("name")])
    sketch["Person"].declaredProperties.append(AttributeDescription.string("nickname"))
    let recorder = Recorder()
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: sketch.make())
    coordinator.instruments.add(recorder)
    let told = try recorder.during {
      for store in stack.stores {
        let added = try coordinator.addPersistentStore(with: store)
        try coordinator.remove(added)
      }
    }
    let opening = try #require(told.last)
    #expect(opening.operation.kind == .opening)
    #expect(opening.operation.storeIdentifier == nil)
    let steps = told.dropLast()
    #expect(!steps.isEmpty)
    #expect(steps.allSatisfy { $0.operation.kind == .migrationStep })
    #expect(steps.allSatisfy { $0.operation.parent == opening.operation.id })
    #expect(steps.allSatisfy { !$0.operation.detail.isEmpty && $0.result.outcome.isSuccess })
    let later = RoostStore.StoreMetrics()
    coordinator.instruments.add(later)
    var broken = stack.stores[0]
    broken.url = URL(filePath: "/missing/folder/file.sqlite")
    let failed = try recorder.during {
      #expect(throws: PersistenceError.self) { try coordinator.addPersistentStore(with: broken) }
    }
    #expect(failed.map(\.operation.kind) == [.opening])
    #expect(failed.first?.result.outcome.isSuccess == false)
    #expect(later.count(of: .opening) == 1)
  }
}
