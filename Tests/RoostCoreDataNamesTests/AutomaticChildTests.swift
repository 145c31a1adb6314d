// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

@Suite("Children that merge by themselves, and what is deleted before it was saved")
struct AutomaticChildTests {
  /// A parent context and its child.
  private struct Family: @unchecked Sendable {
    // Sendable: each context and its objects are used on the context's queue only.
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)

    init(_ container: NSPersistentContainer) {
      parent.persistentStoreCoordinator = container.persistentStoreCoordinator
      child.parent = parent
      child.automaticallyMergesChangesFromParent = true
    }

    /// Saves a change in the parent and reads it in the child, without leaving the parent's queue.
    func titlesOfChild() -> [String?] {
      parent.performAndWait {
        let soup = Recipe(context: parent)
        soup.title = "Soup"
        try? parent.save()
        let copy = child.performAndWait { () -> Recipe? in
          let copy = child.object(with: soup.objectID) as? Recipe
          copy?.willAccessValue(forKey: nil)
          return copy
        }
        var titles = [child.performAndWait { copy?.title }]
        soup.title = "Stew"
        try? parent.save()
        titles.append(child.performAndWait { copy?.title })
        return titles
      }
    }
  }

  private func makeContainer() throws -> NSPersistentContainer {
    try CoreDataStack(inMemory: true).container
  }

  @Test("a child merges its parent's save while the parent's queue waits for it (B209, B218)")
  func waitingParent() async throws {
    let family = Family(try makeContainer())
    // A merge that fetched the rows from the parent would deadlock: then the other task ends first.
    let titles = await withTaskGroup(of: [String?]?.self) { group in
      group.addTask {
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(returning: family.titlesOfChild()) }
        }
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(60))
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    #expect(titles == ["Soup", "Stew"])
  }

  @Test("an object that was never saved is deleted until the end of the event (B89, B90)")
  func deletedBeforeSave() throws {
    let context = try makeContainer().viewContext
    let soup = Recipe(context: context)
    soup.title = "Soup"
    context.delete(soup)
    #expect(soup.isDeleted)
    #expect(!soup.isInserted)
    #expect(soup.managedObjectContext === context)
    context.processPendingChanges()
    #expect(soup.managedObjectContext == nil)
    #expect(!soup.isDeleted)
    #expect(!context.hasChanges)
    // The class has an entity as long as its model exists.
    withExtendedLifetime(context) {
      let single = Recipe(entity: Recipe.entity(), insertInto: nil)
      #expect(!single.isDeleted)
    }
  }
}
