// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

/// Tests of the properties of Foundation's objects.
@Suite("Parts of expressions, descriptors and sets")
struct ExpressionPartTests {
  @Test("the key path of an expression that begins with another one is the rest of it (B353)")
  func keyPath() {
    let expression = NSExpression(format: "SUBQUERY(people, $p, $p.age > 3).team.name")
    #expect(expression.keyPath == "team.name")
    #expect(expression.arguments?.map(\.keyPath) == ["team.name"])
  }

  @Test("the sides of an expression of two arguments are the first and the second (B353)")
  func sides() {
    let sum = NSExpression(format: "a + b")
    #expect(sum.left.keyPath == "a")
    #expect(sum.right.keyPath == "b")
  }

  @Test("a reversed sort descriptor sorts the other way, by the same key (B126)")
  func reversed() throws {
    let stack = try CoreDataStack(inMemory: true)
    for name in ["a", "b", "c"] { Tag(context: stack.mainContext).name = name }
    try stack.mainContext.save()
    let ascending = NSSortDescriptor(key: "name", ascending: true)
    let request = NSFetchRequest<Tag>(entityName: "Tag")
    request.sortDescriptors = [try #require(ascending.reversedSortDescriptor as? NSSortDescriptor)]
    #expect(try stack.mainContext.fetch(request).map(\.name) == ["c", "b", "a"])
  }

  /// Counts its notifications.
  private final class Listener: NSFetchedResultsControllerDelegate {
    var count = 0
    func controllerDidChangeContent(_: NSFetchedResultsController<any NSFetchRequestResult>) {
      count += 1
    }
  }

  @Test("a controller tells its delegate of the moment, and no earlier one (B318)")
  func delegates() throws {
    let stack = try CoreDataStack(inMemory: true)
    let request = NSFetchRequest<Tag>(entityName: "Tag")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: stack.mainContext, sectionNameKeyPath: nil,
      cacheName: nil)
    let listeners = [Listener(), Listener()]
    try controller.performFetch()
    for listener in listeners {
      controller.delegate = listener
      Tag(context: stack.mainContext).name = "a"
      stack.mainContext.processPendingChanges()
    }
    #expect(listeners.map(\.count) == [1, 1])
  }
}
