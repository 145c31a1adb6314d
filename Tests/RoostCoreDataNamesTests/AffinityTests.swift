// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Tests of numbers in conditions on strings, as Core Data's SQLite store compares them.
@Suite struct AffinityTests {
  private func titles(
    _ predicate: NSPredicate, type: String = NSSQLiteStoreType
  ) throws -> [String] {
    let model = try NSManagedObjectModel(Recipe.self, Step.self, Tag.self)
    let container = NSPersistentContainer(name: "Affinity", managedObjectModel: model)
    let description = NSPersistentStoreDescription()
    description.type = type
    container.persistentStoreDescriptions = [description]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.newBackgroundContext()
    return try context.performAndWait {
      for title in ["1", "2", "2.5", "10", "5.0", "x"] { Recipe(context: context).title = title }
      let request = NSFetchRequest<Recipe>(entityName: "Recipe")
      request.predicate = predicate
      let pending = try context.fetch(request).compactMap(\.title).sorted()
      try context.save()
      let saved = try context.fetch(request).compactMap(\.title).sorted()
      #expect(pending == saved)
      #expect(try context.count(for: request) == saved.count)
      return saved
    }
  }

  @Test(
    "numbers are compared with strings by their text, in every store (F44)",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func comparisons(type: String) throws {
    let cases: [(NSPredicate, [String])] = [
      (NSPredicate(format: "title IN %@", [1, 10, 7]), ["1", "10"]),
      (NSPredicate(format: "title == 2"), ["2"]),
      (NSPredicate(format: "title == %@", NSNumber(value: 2.5)), ["2.5"]),
      (NSPredicate(format: "title == %@", NSNumber(value: 5.0 as Double)), ["5.0"]),
      (NSPredicate(format: "title == YES"), ["1"]),
      (NSPredicate(format: "title != 2"), ["1", "10", "2.5", "5.0", "x"]),
      (NSPredicate(format: "title BETWEEN {1, 2}"), ["1", "10", "2"]),
      (NSPredicate(format: "title >= 5"), ["5.0", "x"]),
    ]
    for (predicate, expected) in cases {
      #expect(try titles(predicate, type: type) == expected, "\(predicate)")
    }
  }

  @Test("batch requests compare in the same way (F44)")
  func batches() throws {
    let stack = try CoreDataStack(inMemory: true)
    let context = stack.container.newBackgroundContext()
    try context.performAndWait {
      for title in ["1", "2", "3"] { Recipe(context: context).title = title }
      try context.save()
      let update = NSBatchUpdateRequest(entityName: "Recipe")
      update.predicate = NSPredicate(format: "title IN {1, 2}")
      update.propertiesToUpdate = ["minutes": 9]
      update.resultType = .updatedObjectsCountResultType
      #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 2)
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Recipe")
      request.predicate = NSPredicate(format: "title == 3")
      let deletion = NSBatchDeleteRequest(fetchRequest: request)
      deletion.resultType = .resultTypeCount
      #expect((try context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int == 1)
    }
  }
}
