// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A compiled path, which enumerates its members.
struct CompiledPath<Source: EvaluationSource> {
  typealias Scope = EvaluationScope<Source>
  typealias Item = Source.Item

  let root: ResolvedPath.Root
  private let steps: [Step]

  private struct Step {
    let relationship: RelationshipDescription
    let isToMany: Bool
    /// The entity that an object must be of to have the relationship.
    let owner: EntityDescription?
  }

  init(_ path: ResolvedPath) throws {
    guard path.relationships.count <= QueryLimits.maximumDepth else {
      throw PersistenceError(
        .limitExceeded, "a key path has more than \(QueryLimits.maximumDepth) steps")
    }
    root = path.root
    steps = path.relationships.indices.map { index in
      Step(
        relationship: path.relationships[index], isToMany: path.relationships[index].isToMany,
        owner: path.guardEntity(ofStep: index))
    }
  }

  /// Returns the destination of a path without to-many steps; nil when a step has no destination.
  func destination(_ scope: Scope) throws -> Item? {
    var item = scope.item(root)
    for step in steps {
      guard Self.follows(step, item, scope.source),
        let next = try scope.source.destination(of: step.relationship, from: item)
      else { return nil }
      item = next
    }
    return item
  }

  /// Calls `body` with every member, and with nil for a missing to-one destination, until it returns true.
  ///
  /// - Returns: Whether `body` returned true.
  func contains(_ scope: Scope, _ body: (Item?) throws -> Bool) throws -> Bool {
    try contains(from: scope.item(root), step: 0, scope.source, body)
  }

  // It recurses along the steps of one key path, which are limited.
  private func contains(
    from item: Item, step index: Int, _ source: Source, _ body: (Item?) throws -> Bool
  ) throws -> Bool {
    guard index < steps.count else { return try body(item) }
    let step = steps[index]
    guard Self.follows(step, item, source) else { return try missing(from: index, body) }
    if step.isToMany {
      for next in try source.destinations(of: step.relationship, from: item) {
        if try contains(from: next, step: index + 1, source, body) { return true }
      }
      return false
    }
    guard let next = try source.destination(of: step.relationship, from: item) else {
      return try missing(from: index, body)
    }
    return try contains(from: next, step: index + 1, source, body)
  }

  /// Handles a missing object: to-many steps behind it have no members; otherwise the member is nil.
  private func missing(from index: Int, _ body: (Item?) throws -> Bool) throws -> Bool {
    if steps[index...].contains(where: \.isToMany) { return false }
    return try body(nil)
  }

  private static func follows(_ step: Step, _ item: Item, _ source: Source) -> Bool {
    guard let owner = step.owner else { return true }
    return source.entity(of: item).isKindOf(entity: owner)
  }
}
