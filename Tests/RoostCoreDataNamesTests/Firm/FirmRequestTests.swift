// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import XCTest

/// Requests as programs for Core Data write them.
final class FirmRequestTests: FirmTestCase {
  override func setUp() {
    super.setUp()
    try? clerks(["Anna": 20, "bob": 31, "Zoë": 40])
  }

  /// A request of any results is executed without its context (B139).
  func testExecutingARequestOfAnyResults() throws {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Clerk")
    request.predicate = NSPredicate(format: "age > %d", 25)
    try context.performAndWait {
      XCTAssertEqual((try request.execute() as? [Clerk])?.count, 2)
      request.resultType = .managedObjectIDResultType
      XCTAssertEqual((try request.execute() as? [NSManagedObjectID])?.count, 2)
    }
  }

  func testAsynchronousFetchOfAnyResults() throws {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Clerk")
    let done = expectation(description: "found")
    let fetch = NSAsynchronousFetchRequest<NSFetchRequestResult>(fetchRequest: request) { result in
      XCTAssertEqual((result.finalResult as? [Clerk])?.count, 3)
      done.fulfill()
    }
    let result: NSAsynchronousFetchResult<NSFetchRequestResult> = try context.execute(fetch)
    XCTAssertNil(result.operationError)
    wait(for: [done], timeout: 60)
  }

  /// Batch requests use their `affectedStores` only (B278).
  func testBatchRequestsAskTheirStores() throws {
    let coordinator = container.persistentStoreCoordinator
    let store = try XCTUnwrap(coordinator.persistentStores.first)
    let update = NSBatchUpdateRequest(entityName: "Clerk")
    update.propertiesToUpdate = ["age": 60]
    update.resultType = .updatedObjectsCountResultType
    XCTAssertNil(update.affectedStores)
    update.affectedStores = [store]
    XCTAssertEqual(update.affectedStoreIdentifiers, [store.identifier])
    XCTAssertTrue(update.affectedStores?.first == store)
    XCTAssertEqual((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int, 3)
    let insertion = NSBatchInsertRequest(entityName: "Clerk", objects: [["age": 70]])
    insertion.affectedStores = coordinator.persistentStores
    try context.execute(insertion)
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Clerk")
    request.affectedStores = [store]
    let deletion = NSBatchDeleteRequest(fetchRequest: request)
    XCTAssertTrue(deletion.affectedStores?.first == store)
    deletion.affectedStores = []
    deletion.resultType = .resultTypeCount
    XCTAssertEqual((try context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int, 0)
    deletion.affectedStores = nil
    XCTAssertEqual((try context.execute(deletion) as? NSBatchDeleteResult)?.result as? Int, 4)
    XCTAssertEqual(
      NSManagedObjectContext.NotificationKey.queryGeneration.rawValue,
      NSManagedObjectContextQueryGenerationKey)
  }

  /// Handlers fill Foundation's dictionaries (B276).
  func testBatchInsertOfDictionaries() throws {
    var number = 0
    let request = NSBatchInsertRequest(entity: Clerk.entity()) { (values: NSMutableDictionary) in
      guard number < 2 else { return true }
      values.addEntries(from: ["name": "c\(number)", "age": 50])
      values["isHead"] = true
      number += 1
      return false
    }
    request.resultType = .count
    XCTAssertEqual(try context.execute(request).result as? Int, 2)
    number = 0
    let named = NSBatchInsertRequest(
      entityName: "Clerk",
      dictionaryHandler: { values in
        values["age"] = 50
        number += 1
        return number > 1
      })
    try context.execute(named)
    let found = NSFetchRequest<Clerk>(entityName: "Clerk")
    found.predicate = NSPredicate(format: "age == 50 AND isHead == YES")
    XCTAssertEqual(try context.count(for: found), 2)
    found.predicate = NSPredicate(format: "age == 50")
    XCTAssertEqual(try context.count(for: found), 3)
  }

  func testBatchDeleteOfANewRequest() throws {
    let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Clerk"))
    request.resultType = .resultTypeCount
    XCTAssertEqual(try context.execute(request).result as? Int, 3)
  }

  /// A column is a number of the type that it declares (B131).
  func testColumnsOfAType() throws {
    let mean = NSExpressionDescription()
    mean.name = "mean"
    mean.expression = NSExpression(
      forFunction: "average:", arguments: [NSExpression(forKeyPath: "age")])
    mean.expressionResultType = .integer64AttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Clerk")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [mean]
    XCTAssertEqual(try context.fetch(request).first?["mean"] as? Int, 30)
  }

  func testSortDescriptors() throws {
    let request = NSFetchRequest<Clerk>(entityName: "Clerk")
    request.sortDescriptors = [NSSortDescriptor(key: "firm.name", ascending: false)]
    XCTAssertEqual(request.sortDescriptors?.first?.key, "firm.name")
    XCTAssertEqual(
      request.sortDescriptors, [NSSortDescriptor(key: "firm.name", ascending: false)])
    XCTAssertNotEqual(
      request.sortDescriptors, [NSSortDescriptor(key: "firm.name", ascending: true)])
    request.sortDescriptors = [SortDescriptor(\Clerk.age, order: .reverse)].map {
      NSSortDescriptor($0)
    }
    XCTAssertEqual(try context.fetch(request).map(\.age), [40, 31, 20])
  }

  func testComparisonPredicates() throws {
    let request = NSFetchRequest<Clerk>(entityName: "Clerk")
    let comparison = NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: "name"),
      rightExpression: NSExpression(forConstantValue: "B"),
      modifier: .direct, type: .beginsWith, options: [.caseInsensitive])
    request.predicate = comparison
    XCTAssertEqual(try context.fetch(request).map(\.name), ["bob"])
    XCTAssertEqual(request.predicate, comparison)
    request.predicate = NSCompoundPredicate(orPredicateWithSubpredicates: [
      comparison,
      NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: \Clerk.age),
        rightExpression: NSExpression(forConstantValue: 20), modifier: .direct, type: .equalTo),
    ])
    XCTAssertEqual(try context.count(for: request), 2)
    XCTAssertEqual(comparison.description, "name BEGINSWITH[c] \"B\"")
    XCTAssertEqual(comparison.predicateOperatorType, .beginsWith)
    XCTAssertEqual(comparison.comparisonPredicateModifier, .direct)
    XCTAssertEqual(comparison.options, .caseInsensitive)
    XCTAssertEqual(comparison.leftExpression, NSExpression(forKeyPath: "name"))
    XCTAssertEqual(comparison.rightExpression, NSExpression(forConstantValue: "B"))
  }

  func testPredicatesOnPlainValues() {
    func holds(_ format: String, _ value: Any?, _ arguments: Any?...) -> Bool {
      NSPredicate(format: format, argumentArray: arguments).evaluate(with: value)
    }
    XCTAssertTrue(holds("SELF MATCHES %@", "a@b.c", "[a-z]+@[a-z.]+"))
    XCTAssertFalse(holds("SELF MATCHES %@", "a b", "[a-z]+"))
    XCTAssertTrue(holds("SELF BEGINSWITH[c] 'A' AND NOT SELF CONTAINS 'x'", "abc"))
    XCTAssertTrue(holds("length > 2 OR length == 0", "abc"))
    XCTAssertTrue(holds("SELF BETWEEN {1, 3}", 2))
    XCTAssertTrue(holds("SELF == nil", nil))
    XCTAssertTrue(holds("person.name == 'Ada'", ["person": ["name": "Ada"]]))
    XCTAssertTrue(holds("age + 1 > 36", ["age": 36]))
    XCTAssertTrue(holds("ANY SELF > 2", [1, 2, 3]))
    XCTAssertFalse(holds("ALL SELF > 2", [1, 2, 3]))
    XCTAssertTrue(holds("missing == nil", ["age": 36]))
    XCTAssertEqual(
      (["a", "b"] as NSArray).filtered(using: NSPredicate(format: "SELF == 'b'")) as? [String],
      ["b"])
  }
}
