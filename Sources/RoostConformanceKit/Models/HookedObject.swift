// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostObjects

/// An object whose life-cycle and validation methods call the ``Hooks`` in its context's user info, which record the
/// calls.
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

/// The hooks of a case for overridden methods, and the record of the calls.
package final class Hooks: @unchecked Sendable {
  // Sendable: a case plays on one thread.

  package enum Hook: String {
    case awakeFromFetch, prepareForDeletion, willSave, didSave
    case validateForInsert, validateForUpdate, validateForDelete
  }

  /// The case's own hook, called in addition to the record.
  package var onCall: (Hook, ManagedObject) throws -> Void = { _, _ in }
  /// The case's own hook for a value that is validated.
  package var onValue: (inout Value, String) -> Void = { _, _ in }
  private var events: [String] = []
  private var failure: (any Error)?

  package init() {}

  /// Records an event of the case.
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

  /// Returns the calls since the last time.
  ///
  /// - Throws: An error from a method that cannot throw.
  package func take() throws -> [String] {
    if let failure { throw failure }
    defer { events = [] }
    return events
  }

  /// Returns the calls since the last time whose names begin with a prefix, in alphabetical order.
  package func take(_ prefix: String) throws -> [String] {
    try take().filter { $0.hasPrefix(prefix) }.sorted()
  }
}

/// A model of parents and children whose methods call hooks.
package enum HookedModel {
  /// - Parameter rule: The delete rule from parents to children.
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
