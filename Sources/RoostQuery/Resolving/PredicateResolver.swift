// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Resolves the names of a condition in the model. It recurses to the depth of the tree, which was checked before.
struct PredicateResolver {
  let model: ManagedObjectModel
  /// The entity of the evaluated object; nil for a single value.
  let entity: EntityDescription?
  /// The value of `now()`, the same for a whole request.
  let now: Date
  /// Whether transient properties are allowed: true for conditions evaluated in memory only.
  var allowsTransient = false
  /// Whether a number for a string attribute is compared by its text.
  var comparesByAffinity = false
  /// Returns the value at a key path of an object in the condition itself.
  var objectValue: ((ObjectID, [String]) throws -> FetchExpression)?
  /// The columns that a HAVING condition may name besides properties.
  var columns: [String: FetchExpression] = [:]
  /// Whether aggregate functions aggregate the rows of a group.
  var aggregatesGroups = false

  /// The variables bound by subqueries, the outermost first.
  var members: [(name: String, entity: EntityDescription)] = []
  /// The entities to which sibling conditions restrict an object, by its key path.
  var admitted: [FetchExpression: [EntityDescription]] = [:]

  mutating func predicate(_ predicate: FetchPredicate) throws -> ResolvedPredicate {
    switch predicate {
    case .constant(let truth): return .constant(truth)
    case .comparison(let comparison): return try self.comparison(comparison)
    case .and(let operands): return try conjunction(operands)
    case .or(let operands):
      var result: [ResolvedPredicate] = []
      var isTrue = false
      for operand in operands {
        switch try self.predicate(operand) {
        case .constant(let truth): isTrue = isTrue || truth
        case .or(let inner): result.append(contentsOf: inner)
        case let other: result.append(other)
        }
      }
      return isTrue ? .constant(true) : Self.joined(result, .constant(false)) { .or($0) }
    case .not(let operand): return Self.negated(try self.predicate(operand))
    }
  }

  private mutating func conjunction(_ operands: [FetchPredicate]) throws -> ResolvedPredicate {
    let outer = admitted
    defer { admitted = outer }
    for operand in operands { admitEntities(operand) }
    var result: [ResolvedPredicate] = []
    var isFalse = false
    for operand in operands {
      switch try self.predicate(operand) {
      case .constant(let truth): isFalse = isFalse || !truth
      case .and(let inner): result.append(contentsOf: inner)
      case let other: result.append(other)
      }
    }
    return isFalse ? .constant(false) : Self.joined(result, .constant(true)) { .and($0) }
  }

  private static func joined(
    _ operands: [ResolvedPredicate], _ empty: ResolvedPredicate,
    _ join: ([ResolvedPredicate]) -> ResolvedPredicate
  ) -> ResolvedPredicate {
    operands.isEmpty ? empty : operands.count == 1 ? operands[0] : join(operands)
  }

  static func negated(_ predicate: ResolvedPredicate) -> ResolvedPredicate {
    switch predicate {
    case .constant(let truth): .constant(!truth)
    case .not(let inner): inner
    default: .not(predicate)
    }
  }

  // MARK: Errors

  func invalid(_ message: String) -> PersistenceError {
    PersistenceError(.invalidRequest, message, entityName: entity?.name)
  }

  func mismatch(_ message: String, key: String?) -> PersistenceError {
    PersistenceError(.invalidValue, message, entityName: entity?.name, key: key)
  }
}

// MARK: - Entities

extension PredicateResolver {
  /// Records the restriction of `entity == X` or `entity IN {X, Y}` for sibling operands, which may then use
  /// attributes that only these entities have.
  private mutating func admitEntities(_ operand: FetchPredicate) {
    guard case .comparison(let comparison) = operand, comparison.modifier == .direct,
      comparison.comparison == .equalTo || comparison.comparison == .in,
      let object = Self.objectOfEntityKey(comparison.left),
      let entities = try? entities(named: comparison.right)
    else { return }
    admitted[object] = entities
  }

  /// Returns the object whose `entity` an expression denotes; nil for other expressions.
  private static func objectOfEntityKey(_ expression: FetchExpression) -> FetchExpression? {
    switch expression {
    case .keyPath(let path) where path.last?.lowercased() == "entity":
      path.count == 1 ? .evaluatedObject : .keyPath(Array(path.dropLast()))
    case .keyPathOf(let base, let path) where path.last?.lowercased() == "entity":
      path.count == 1 ? base : .keyPathOf(base, Array(path.dropLast()))
    default: nil
    }
  }

  /// Returns the entities that a constant or a list of constants names.
  func entities(named expression: FetchExpression) throws -> [EntityDescription] {
    switch expression {
    case .constant(.string(let name)):
      guard let entity = model.entitiesByName[name] else {
        throw PersistenceError(
          .unknownEntity, "The model has no entity “\(name)”.", entityName: name)
      }
      return [entity]
    case .list(let members): return try members.flatMap { try entities(named: $0) }
    default: throw invalid("an entity is compared with entities only")
    }
  }
}
