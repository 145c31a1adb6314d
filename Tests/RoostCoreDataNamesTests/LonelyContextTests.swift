// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Synchronization
import Testing

@Suite("Contexts that merge by themselves and were not used yet")
struct LonelyContextTests {
  /// Counts the merges of a context, and records the thread of the last one.
  private final class Merges: Sendable {
    private let state = Mutex<(count: Int, thread: ObjectIdentifier?)>((0, nil))
    private let happened = DispatchSemaphore(value: 0)
    // Set once, before the object is shared.
    private nonisolated(unsafe) var token: (any NSObjectProtocol)?

    init(_ context: NSManagedObjectContext) {
      token = NotificationCenter.default.addObserver(
        forName: NSManagedObjectContext.didMergeChangesObjectIDsNotification, object: context,
        queue: nil
      ) { [weak self] _ in self?.note() }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    private func note() {
      state.withLock { $0 = ($0.count + 1, ObjectIdentifier(Thread.current)) }
      happened.signal()
    }

    var count: Int { state.withLock { $0.count } }
    var thread: ObjectIdentifier? { state.withLock { $0.thread } }

    /// The timeout is for a context that never merges.
    func wait() -> Bool { happened.wait(timeout: .now() + 60) == .success }
  }

  private func save(_ title: String, in context: NSManagedObjectContext) throws {
    try context.performAndWait {
      Recipe(context: context).title = title
      try context.save()
    }
  }

  @Test("a context that nobody has used yet merges on its queue (F34, B345)")
  func unused() throws {
    let container = try CoreDataStack(inMemory: true).container
    let writer = container.newBackgroundContext()
    for early in [true, false] {
      let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      if early { reader.automaticallyMergesChangesFromParent = true }
      reader.persistentStoreCoordinator = container.persistentStoreCoordinator
      reader.automaticallyMergesChangesFromParent = true
      let merges = Merges(reader)
      try save("Soup", in: writer)
      #expect(merges.wait())
      #expect(merges.thread != ObjectIdentifier(Thread.current))
      try save("Stew", in: writer)
      #expect(merges.wait())
      #expect(merges.count == 2)
    }
  }

  @Test("a context that its maker uses merges where its maker is (F34, B345)")
  func usedByItsMaker() throws {
    let container = try CoreDataStack(inMemory: true).container
    let writer = container.newBackgroundContext()
    let reader = container.newBackgroundContext()
    reader.automaticallyMergesChangesFromParent = true
    let merges = Merges(reader)
    #expect(reader.registeredObjects.isEmpty)
    try save("Soup", in: writer)
    #expect(merges.count == 0)
    reader.processPendingChanges()
    #expect(merges.count == 1)
    #expect(merges.thread == ObjectIdentifier(Thread.current))
  }

  @Test("a merge is over when the maker's first use of a context goes on (F34)")
  func firstUseBesideMerges() throws {
    let container = try CoreDataStack(inMemory: true).container
    let writer = container.newBackgroundContext()
    try save("Soup", in: writer)
    for round in 0..<200 {
      let reader = container.newBackgroundContext()
      reader.automaticallyMergesChangesFromParent = true
      writer.perform {
        for _ in 0..<3 {
          Recipe(context: writer).title = "\(round)"
          do { try writer.save() } catch { Issue.record(error) }
        }
      }
      if round % 3 == 0 { Thread.sleep(forTimeInterval: 0) }
      let made = Recipe(context: reader)
      made.title = "Own"
      let request = NSFetchRequest<Recipe>(entityName: "Recipe")
      for recipe in try reader.fetch(request) { recipe.willAccessValue(forKey: nil) }
      try reader.save()
      writer.performAndWait {}
      reader.processPendingChanges()
      #expect(try reader.count(for: request) == 1 + 4 * (round + 1))
    }
  }
}
