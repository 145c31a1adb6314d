// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests of the members visible to a program that imports Core Data's names: those of Core Data, and none that the
/// program may have declared itself.
@Suite struct NamesVisibilityTests {
  /// Core Data's names come with SQLite, whose module is found by its map.
  private static let mode5 = ["-swift-version", "5"] + map
  private static let map = [
    "-Xcc",
    "-fmodule-map-file="
      + URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Backends/SQLite/CSQLite/module.modulemap").path,
  ]

  /// A library with declarations that programs for Core Data often have themselves.
  private static let library = """
    import Foundation
    import CoreData
    public struct Row {}
    public struct Value {}
    public struct SortOrdering {}
    public enum PersistenceError: Error { case own }
    public final class PersistentContainer {}
    extension NSManagedObject {
      public class var entityName: String { entity().name ?? "none" }
      public subscript(key: String) -> Any? { value(forKey: key) }
      public class func `where`(_ format: String) -> NSPredicate { NSPredicate(format: format) }
    }
    extension NSManagedObjectContext {
      public func newChildContext() -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = self
        return child
      }
      public var canUndo: Bool { undoManager != nil }
      public func explain() -> String { "" }
    }
    extension NSAttributeDescription {
      public convenience init(name: String, type: NSAttributeType) {
        self.init()
        self.name = name
        attributeType = type
      }
    }
    extension NSEntityDescription {
      public convenience init(name: String) {
        self.init()
        self.name = name
      }
    }
    extension NSRelationshipDescription {
      public convenience init(name: String) {
        self.init()
        self.name = name
      }
    }
    extension NSFetchRequest {
      public func sorted(by key: String) -> Self { self }
      public func limit(_ count: Int) -> Self { fetchLimit = count; return self }
      public func filter(_ format: String) -> Self { self }
    }
    extension NSBatchDeleteResult { public var count: Int? { result as? Int } }
    extension NSBatchInsertResult { public var objectIDs: [NSManagedObjectID]? { nil } }
    """

  /// A program that uses the library's members: they are the only ones.
  private static let program = """
    import Foundation
    import CoreData
    func use(_ context: NSManagedObjectContext, _ request: NSFetchRequest<NSManagedObject>, _ object: NSManagedObject) {
      _ = object["name"]
      _ = (Row(), Value(), SortOrdering(), PersistentContainer(), PersistenceError.own)
      let child = context.newChildContext()
      _ = (child.canUndo, child.explain(), NSManagedObject.entityName)
      let name = NSAttributeDescription(name: "name", type: .stringAttributeType)
      let person = NSEntityDescription(name: "Person")
      person.properties = [name, NSRelationshipDescription(name: "friends")]
      _ = request.sorted(by: "name").limit(3).filter("a == 1")
    }
    func results(_ deleted: NSBatchDeleteResult, _ inserted: NSBatchInsertResult) -> Int {
      (deleted.count ?? 0) + (inserted.objectIDs?.count ?? 0)
    }
    """

  @Test(
    "members that programs declare themselves are not ambiguous (F45)",
    .enabled(if: Compiler.isUsed),
    arguments: [[], ["-enable-upcoming-feature", "MemberImportVisibility"]])
  func ownMembers(options: [String]) throws {
    let result = try Compiler.check(
      Self.library + "\n"
        + Self.program.replacingOccurrences(of: "import Foundation\nimport CoreData\n", with: ""),
      Self.mode5 + options)
    #expect(result.succeeded, "\(result.output)")
  }

  @Test(
    "types without a prefix are not visible (F45)", .enabled(if: Compiler.isUsed),
    arguments: [
      "ManagedObject", "ManagedObjectContext", "FetchRequest<Int>", "Row", "Value", "SortOrdering",
      "PersistenceError", "PersistentContainer", "StoreMetadata", "ContextActor",
    ])
  func types(name: String) throws {
    let result = try Compiler.check(
      "import RoostCoreDataNames\nfunc use(_ value: \(name)) {}", Self.mode5)
    #expect(!result.succeeded && result.output.contains("cannot find type"), "\(result.output)")
  }

  @Test(
    "what only Roost has is not visible (F45)", .enabled(if: Compiler.isUsed),
    arguments: [
      "NSManagedObject.entityName", "context.newChildContext()", "context.canUndo",
      "NSAttributeDescription(name: \"a\", type: .stringAttributeType)", "deleted.count",
      "object[\"name\"]", "request.limit(1)", "request.sorted(by: \"a\")", "deleted.objectIDs",
      "context.explain(request)",
    ])
  func members(expression: String) throws {
    let result = try Compiler.check(
      """
      import RoostCoreDataNames
      func use(
        _ context: NSManagedObjectContext, _ request: NSFetchRequest<NSManagedObject>,
        _ deleted: NSBatchDeleteResult, _ object: NSManagedObject
      ) { _ = \(expression) }
      """, Self.mode5)
    #expect(!result.succeeded, "\(expression) is visible")
  }

  @Test(
    "the names do not switch off the proof of isolation (F7)", .enabled(if: Compiler.isUsed))
  func isolation() throws {
    let leak = """
      import Roost
      func leak(_ container: PersistentContainer) {
        let context = container.newBackgroundContext()
        Task.detached { _ = context.hasChanges }
        context.rollback()
      }
      """
    let alone = try Compiler.check(leak)
    #expect(!alone.succeeded && alone.output.contains("sending"), "\(alone.output)")
    let together = try Compiler.check("import RoostCoreDataNames\n" + leak, Self.map)
    #expect(!together.succeeded && together.output.contains("sending"), "\(together.output)")
    let knowingly = try Compiler.check("import RoostSendableContexts\n" + leak)
    #expect(knowingly.succeeded, "\(knowingly.output)")
  }
}
