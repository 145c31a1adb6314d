// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// The computation of one derived attribute: the resolved path, and the function or aggregate at its end.
struct DerivationRule: Sendable {
  /// The derived attribute, and its slot in the rows of its entity and subentities.
  let attribute: DerivedAttributeDescription
  let slot: RowSlot
  /// The relationships from the record to the source of the value; all to-one, except the last of an aggregate.
  let path: [RelationshipDescription]
  let kind: Kind

  enum Kind: Sendable {
    /// The time of the save.
    case now
    /// The value of an attribute at the end of the path, optionally transformed by a function.
    case copy(RowSlot, function: FetchFunction?)
    /// The number of destinations.
    case count
    /// The sum of an attribute of the destinations.
    case sum(RowSlot)
  }

  /// The slot of the attribute that is read at the end of the path.
  var sourceSlot: RowSlot? {
    switch kind {
    case .copy(let slot, _), .sum(let slot): slot
    case .now, .count: nil
    }
  }

  /// Makes a rule from an attribute's expression (B310).
  ///
  /// - Throws: `persistentStoreIncompatibleSchema` for expressions that cannot be kept up to date.
  init(_ attribute: DerivedAttributeDescription) throws {
    guard let entity = attribute.entity, let slot = attribute.slot,
      let model = attribute.derivationExpression
    else { throw Self.refusal(attribute, "it has no expression") }
    let expression: FetchExpression
    do {
      expression = try FetchExpression(model)
    } catch {
      throw Self.refusal(attribute, "its expression cannot be read", underlying: error)
    }
    self.attribute = attribute
    self.slot = slot
    let form = try Form(expression, of: attribute)
    var (path, source) = try Self.resolve(form.path, from: entity, for: attribute)
    switch form.function {
    case .now: kind = .now
    case .count:
      guard source == nil else {
        throw Self.refusal(attribute, "it counts a property that is no relationship")
      }
      kind = .count
    case .sum:
      kind = .sum(try Self.number(source, attribute))
    case let function:
      guard let source else { throw Self.refusal(attribute, "its path ends at no attribute") }
      kind = .copy(source.slot, function: function)
    }
    let isAggregate = form.function == .count || form.function == .sum
    let toMany = path.filter(\.isToMany).count
    guard toMany == (isAggregate ? 1 : 0), !isAggregate || path.last?.isToMany == true else {
      throw Self.refusal(
        attribute, "it needs one to-many relationship for @count and @sum, and none for the others")
    }
    if case .now = kind { path = [] }
    self.path = path
    try checkTypes(source)
  }

  private func checkTypes(_ source: (slot: RowSlot, type: AttributeType)?) throws {
    let type = attribute.type
    let fits =
      switch kind {
      case .now: type == .date
      case .count: type.isNumeric
      case .sum: type.isNumeric
      case .copy(_, nil):
        source.map { $0.type == type || $0.type.isNumeric && type.isNumeric } ?? false
      case .copy: type == .string && source?.type == .string
      }
    guard fits else { throw Self.refusal(attribute, "its expression gives no \(type)") }
  }

  private static func number(
    _ source: (slot: RowSlot, type: AttributeType)?, _ attribute: DerivedAttributeDescription
  ) throws -> RowSlot {
    guard let source, source.type.isNumeric else {
      throw refusal(attribute, "it sums up a property that is no number")
    }
    return source.slot
  }

  static func refusal(
    _ attribute: DerivedAttributeDescription, _ reason: String, underlying: (any Error)? = nil
  ) -> PersistenceError {
    PersistenceError(
      .persistentStoreIncompatibleSchema,
      "The derived attribute cannot be kept up to date: \(reason).",
      entityName: attribute.entity?.name, key: attribute.name, underlying: underlying)
  }
}

// MARK: - Reading expressions

extension DerivationRule {
  /// A parsed derivation expression: an optional function, and a path. `pages.@count` and `count:(pages)` are the
  /// same.
  private struct Form {
    var function: FetchFunction?
    var path: [String] = []

    init(_ expression: FetchExpression, of attribute: DerivedAttributeDescription) throws {
      switch expression {
      case .keyPath(let steps):
        let operators = steps.filter { $0.hasPrefix("@") }
        path = steps.filter { !$0.hasPrefix("@") }
        guard operators.isEmpty || steps.last?.hasPrefix("@") == true else {
          let last = (path + operators).joined(separator: ".")
          throw DerivationRule.refusal(attribute, "the operator is the last step, as in “\(last)”")
        }
        switch operators {
        case []: break
        case ["@count"]: function = .count
        case ["@sum"]: function = .sum
        default: throw DerivationRule.refusal(attribute, "it knows @count and @sum only")
        }
      case .function(.now, []): function = .now
      case .function(let called, let arguments):
        let known: Set<FetchFunction> = [.canonical, .uppercase, .lowercase, .count, .sum]
        guard known.contains(called), arguments.count == 1, case .keyPath(let steps) = arguments[0],
          !steps.contains(where: { $0.hasPrefix("@") })
        else {
          throw DerivationRule.refusal(
            attribute, "it knows canonical:, uppercase:, lowercase:, count:, sum: and now() only")
        }
        (function, path) = (called, steps)
      default: throw DerivationRule.refusal(attribute, "it is no key path and no function of one")
      }
    }
  }

  /// Resolves the names of a path: relationships, then optionally an attribute or an element of a composite.
  private static func resolve(
    _ names: [String], from entity: EntityDescription, for attribute: DerivedAttributeDescription
  ) throws -> ([RelationshipDescription], (slot: RowSlot, type: AttributeType)?) {
    var path: [RelationshipDescription] = []
    var current = entity
    var rest = names[...]
    while let name = rest.first, let relationship = current.relationshipsByName[name] {
      guard !relationship.isTransient, relationship.maintainedInverse != nil,
        let destination = relationship.destinationEntity
      else {
        throw refusal(attribute, "“\(name)” is transient or has no inverse to find it by")
      }
      guard !relationship.leadsAcrossStores else {
        throw refusal(
          attribute,
          "“\(name)” may lead into another store, which does not tell this one of its changes; "
            + "leave the relationship within its store, or compute the value in the program")
      }
      path.append(relationship)
      current = destination
      rest = rest.dropFirst()
    }
    if rest.isEmpty { return (path, nil) }
    let name = rest.joined(separator: ".")
    guard let slot = current.layout.slot(named: name),
      case .attribute(let source, _) = current.layout.contents[slot.index], source.isStored
    else {
      throw refusal(attribute, "“\(name)” is no stored attribute of \(current.name ?? "")")
    }
    guard !(source is DerivedAttributeDescription) else {
      throw refusal(attribute, "“\(name)” is derived itself")
    }
    return (path, (slot, source.type))
  }
}
