// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostObjects

/// Does what the case wants whenever the life cycle or validation calls it, and is written down: ``Hooks`` in its
/// context's user info.
package final class HookedObject: ManagedObject {
  private var hooks: Hooks? { managedObjectContext?.userInfo["hooks"] as? Hooks }

  package override func awakeFromFetch() { hooks?.hear(.awakeFromFetch, self) }
  package override func prepareForDeletion() { hooks?.hear(.prepareForDeletion, self) }
  package override func willSave() { hooks?.hear(.willSave, self) }
  package override func didSave() { hooks?.hear(.didSave, self) }

  package override func validateForInsert() throws {
    try hooks?.judge(.validateForInsert, self)
    try super.validateForInsert()
  }

  package override func validateForUpdate() throws {
    try hooks?.judge(.validateForUpdate, self)
    try super.validateForUpdate()
  }

  package override func validateForDelete() throws {
    try hooks?.judge(.validateForDelete, self)
    try super.validateForDelete()
  }

  package override func validate(_ value: inout Value, forKey key: String) throws {
    hooks?.replace(&value, key)
  }
}

/// What a case does in the methods that a class overrides, and what was called.
package final class Hooks: @unchecked Sendable {
  // Sendable: a case plays on one thread.

  package enum Hook: String {
    case awakeFromFetch, prepareForDeletion, willSave, didSave
    case validateForInsert, validateForUpdate, validateForDelete
  }

  /// What is done, on top of writing it down.
  package var onCall: (Hook, ManagedObject) throws -> Void = { _, _ in }
  /// What becomes of a value that is validated.
  package var onValue: (inout Value, String) -> Void = { _, _ in }
  private var events: [String] = []
  private var failure: (any Error)?

  package init() {}

  /// Writes something else down.
  package func note(_ event: String) {
    events.append(event)
  }

  fileprivate func hear(_ hook: Hook, _ object: ManagedObject) {
    do { try judge(hook, object) } catch { failure = error }
  }

  fileprivate func judge(_ hook: Hook, _ object: ManagedObject) throws {
    note("\(hook) \(try object.text("name") ?? "-")")
    try onCall(hook, object)
  }

  fileprivate func replace(_ value: inout Value, _ key: String) {
    onValue(&value, key)
  }

  /// What was called since the last time.
  ///
  /// - Throws: What a method that cannot throw had to say.
  package func take() throws -> [String] {
    if let failure { throw failure }
    defer { events = [] }
    return events
  }

  /// Those of the calls since the last time whose name begins with some letters, in alphabetical order.
  package func take(_ prefix: String) throws -> [String] {
    try take().filter { $0.hasPrefix(prefix) }.sorted()
  }
}

/// Parents and their children, whose methods do what a case wants.
package enum HookedModel {
  /// - Parameter rule: What becomes of the children of a parent that is deleted.
  package static func make(_ rule: DeleteRule = .nullify) -> ManagedObjectModel {
    var sketch = ModelSketch()
    for name in ["Parent", "Child"] {
      sketch.add(
        name, [.string("name"), .integer("stamp"), .string("word", optional: false)],
        class: HookedObject.self)
      sketch[name].attributesByName["word"]?.defaultConstant = .string("")
    }
    sketch.relate(
      .init("Parent", "children", .many, rule: rule), .init("Child", "parent", .one))
    return sketch.make()
  }

  /// Opens a store, with hooks in the user info of the stack's context.
  package static func open(_ stage: ConformanceStage, _ rule: DeleteRule = .nullify) throws
    -> (stack: ConformanceStack, hooks: Hooks)
  {
    let stack = try stage.open(make(rule))
    let hooks = Hooks()
    stack.context.userInfo["hooks"] = hooks
    return (stack, hooks)
  }
}
