// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import XCTest

/// Tests as in apps, of contexts, policies, errors and events.
final class FirmContextTests: FirmTestCase {
  /// Objects of the stack are equal to themselves, as all Objective-C objects are.
  func testIdentities() throws {
    let one = firm("A")
    XCTAssertEqual(one.managedObjectContext, context)
    XCTAssertNotEqual(one.managedObjectContext, container.newBackgroundContext())
    XCTAssertEqual(context.persistentStoreCoordinator, container.persistentStoreCoordinator)
    XCTAssertEqual(one.entity.managedObjectModel, container.managedObjectModel)
    XCTAssertEqual(container.persistentStoreDescriptions, container.persistentStoreDescriptions)
    let request = Firm.fetchRequest()
    XCTAssertEqual(request, request)
    XCTAssertNotEqual(request, Firm.fetchRequest())
    XCTAssertEqual(Set([context, context]).count, 1)
    context.name = "main"
    XCTAssertEqual("\(context)", "<NSManagedObjectContext: main>")
  }

  /// `NSMergePolicy` is the type of all policies (B178-B182).
  func testMergePolicies() throws {
    let policy: NSMergePolicy = .mergeByPropertyStoreTrump
    context.mergePolicy = policy
    XCTAssertEqual(context.mergePolicy as NSMergePolicy?, policy)
    func mergeType(_ policy: NSMergePolicy = .error) -> NSMergePolicyType { policy.mergeType }
    XCTAssertEqual(mergeType(), .errorMergePolicyType)
    XCTAssertEqual(mergeType(NSMergePolicy.rollback), .rollbackMergePolicyType)
    XCTAssertEqual(mergeType(NSOverwriteMergePolicy), .overwriteMergePolicyType)
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    XCTAssertTrue((context.mergePolicy as AnyObject) === NSMergeByPropertyObjectTrumpMergePolicy)
  }

  func testConcurrencyTypes() {
    func name(of type: NSManagedObjectContextConcurrencyType) -> String {
      switch type {
      case .mainQueueConcurrencyType: "main"
      case .privateQueueConcurrencyType: "private"
      case .confinementConcurrencyType: "confinement"
      }
    }
    XCTAssertEqual(name(of: context.concurrencyType), "main")
    XCTAssertEqual(name(of: container.newBackgroundContext().concurrencyType), "private")
    XCTAssertEqual(NSManagedObjectContextConcurrencyType.confinementConcurrencyType.rawValue, 0)
  }

  /// A context may be captured by the closures that Core Data's programs write, in Swift's mode 6 too.
  func testContextsAreSendable() {
    // The closure uses the context only in `performAndWait`, on the context's queue.
    struct Holder: @unchecked Sendable { let context: NSManagedObjectContext }
    let holder = Holder(context: container.newBackgroundContext())
    let done = expectation(description: "reset")
    DispatchQueue.global().async {
      holder.context.performAndWait { holder.context.reset() }
      done.fulfill()
    }
    wait(for: [done], timeout: 60)
  }

  /// An error thrown by an override is caught by its type (B155).
  func testOwnErrors() throws {
    let clerk = Clerk(context: context)
    clerk.age = 1
    XCTAssertThrowsError(try context.save()) {
      XCTAssertEqual($0 as? Clerk.Refusal, .tooYoung)
    }
    firm(nil)
    XCTAssertThrowsError(try context.save()) { error in
      let error = error as NSError
      XCTAssertEqual(error.code, NSValidationMultipleErrorsError)
      XCTAssertEqual((error.userInfo[NSDetailedErrorsKey] as? [NSError])?.count, 2)
    }
  }

  func testValidatingAValue() throws {
    let firm = firm("A")
    var value: AnyObject?
    XCTAssertThrowsError(try firm.validateValue(&value, forKey: "name")) {
      XCTAssertEqual(($0 as NSError).code, NSValidationMissingMandatoryPropertyError)
    }
    value = NSNumber(value: 7)
    try firm.validateValue(&value, forKey: "rank")
    XCTAssertEqual(value as? Int, 7)
  }

  /// Changes on the main thread are notified at the end of the run loop's cycle (B97).
  func testTheRunLoopEndsAnEvent() throws {
    let told = expectation(
      forNotification: .NSManagedObjectContextObjectsDidChange, object: context)
    let one = firm("A")
    XCTAssertEqual(context.insertedObjects, [one])
    wait(for: [told], timeout: 60)
    let controller = NSFetchedResultsController(
      fetchRequest: sorted(), managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    let listener = Listener()
    controller.delegate = listener
    try controller.performFetch()
    listener.told = expectation(description: "the list is told")
    firm("B")
    wait(for: [try XCTUnwrap(listener.told)], timeout: 60)
    XCTAssertEqual(controller.fetchedObjects?.map(\.name), ["A", "B"])
    XCTAssertEqual(controller.fetchRequest, controller.fetchRequest)
  }

  private func sorted() -> NSFetchRequest<Firm> {
    let request = Firm.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return request
  }

  private final class Listener: NSFetchedResultsControllerDelegate {
    var told: XCTestExpectation?
    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>
    ) {
      told?.fulfill()
    }
  }

  func testAContextOfAContainerInAnActor() async throws {
    let count = try await container.performBackgroundTask { context -> Int in
      Firm(context: context).name = "A"
      try context.save()
      return try context.count(for: Firm.fetchRequest())
    }
    XCTAssertEqual(count, 1)
  }
}
