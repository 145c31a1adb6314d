// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The rules by which a store computes the derived attributes of its entities.
///
/// The coordinator makes it when the store is added; a store gets it from its schema and uses it in
/// ``StoreChangeSet/deriving(_:from:)``.
///
/// ```swift
/// let plan = try schema.derivations()
/// if !plan.isEmpty { changes = try changes.deriving(plan, from: transaction).changes }
/// ```
public struct DerivationPlan: Sendable {
  /// All rules, of all entities.
  let rules: [DerivationRule]
  /// The rules that concern the records of a concrete entity.
  private let rulesByEntity: [ObjectIdentifier: [DerivationRule]]

  /// Whether no entity has a derived attribute.
  public var isEmpty: Bool { rules.isEmpty }

  /// Makes the rules for all derived attributes.
  ///
  /// - Parameter entities: Entities of a model in use.
  /// - Throws: `persistentStoreIncompatibleSchema` for an expression that cannot be kept up to date.
  public init(_ entities: [EntityDescription]) throws {
    var rules: [DerivationRule] = []
    var byEntity: [ObjectIdentifier: [DerivationRule]] = [:]
    for entity in entities {
      for case let attribute as DerivedAttributeDescription in entity.declaredProperties {
        let rule = try DerivationRule(attribute)
        rules.append(rule)
        for concrete in entity.concreteEntities {
          byEntity[ObjectIdentifier(concrete), default: []].append(rule)
        }
      }
    }
    self.rules = rules
    rulesByEntity = byEntity
  }

  /// Whether a change of records of an entity's hierarchy may change a derived attribute of these or other records.
  package func concerns(_ entity: EntityDescription) -> Bool {
    let root = entity.rootEntity
    return rules.contains { rule in
      rule.attribute.entity?.rootEntity === root
        || rule.path.contains { $0.destinationEntity?.rootEntity === root }
    }
  }

  /// The rules that concern a row.
  func rules(for row: Row) -> [DerivationRule] { rules(of: row.layout.entity) }

  /// The rules that concern the records of a concrete entity.
  func rules(of entity: EntityDescription) -> [DerivationRule] {
    rulesByEntity[ObjectIdentifier(entity)] ?? []
  }
}

/// The data source of derived attributes: the records and relationships of a store, read inside the writing
/// transaction.
///
/// ```swift
/// extension MyTransaction: DerivationSource {}  // a store reads the same for others
/// ```
public protocol DerivationSource {
  /// Returns the stored rows; records that do not exist are left out.
  func rows(forKeys keys: [Int64]) throws -> [Row]

  /// Returns the stored destinations of a to-many relationship; unknown sources have none.
  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations
}
