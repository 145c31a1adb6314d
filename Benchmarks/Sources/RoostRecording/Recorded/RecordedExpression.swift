// SPDX-License-Identifier: Apache-2.0

import Roost

/// An expression in a recording.
indirect enum RecordedExpression: Codable {
  case constant(RecordedValue)
  case list([RecordedValue])
  case path(RecordedPath)
  case aggregate(String, RecordedPath)
  case subqueryCount(RecordedPath, variable: Int, RecordedPredicate)
  case function(String, [RecordedExpression])
  case conditional(RecordedPredicate, RecordedExpression, RecordedExpression)
  case entity(String)
  case entities([String])

  init(_ expression: ResolvedExpression, in store: StoreIdentity) throws {
    switch expression {
    case .constant(let value): self = .constant(try RecordedValue(value, in: store))
    case .list(let values): self = .list(try values.map { try RecordedValue($0, in: store) })
    case .path(let path): self = .path(RecordedPath(path))
    case .aggregate(let function, let path):
      self = .aggregate(function.rawValue, RecordedPath(path))
    case .subqueryCount(let path, let variable, let predicate):
      self = .subqueryCount(
        RecordedPath(path), variable: variable, try RecordedPredicate(predicate, in: store))
    case .function(let function, let arguments):
      self = .function(
        function.rawValue, try arguments.map { try RecordedExpression($0, in: store) })
    case .conditional(let condition, let first, let second):
      self = .conditional(
        try RecordedPredicate(condition, in: store), try RecordedExpression(first, in: store),
        try RecordedExpression(second, in: store))
    case .entity(let entity): self = .entity(entity.name ?? "")
    case .entities(let entities): self = .entities(entities.map { $0.name ?? "" })
    }
  }

  func resolved(_ names: ReplayNames) throws -> ResolvedExpression {
    switch self {
    case .constant(let value): return .constant(try value.value(names.objectID))
    case .list(let values): return .list(try values.map { try $0.value(names.objectID) })
    case .path(let path): return .path(try path.resolved(names))
    case .aggregate(let name, let path):
      return .aggregate(try names.function(name), try path.resolved(names))
    case .subqueryCount(let path, let variable, let predicate):
      let members = try path.resolved(names)
      return .subqueryCount(
        members, variable: variable,
        try names.inSubquery(of: variable) { try predicate.resolved(names) })
    case .function(let name, let arguments):
      return .function(try names.function(name), try arguments.map { try $0.resolved(names) })
    case .conditional(let condition, let first, let second):
      return .conditional(
        try condition.resolved(names), try first.resolved(names), try second.resolved(names))
    case .entity(let name): return .entity(try names.entity(name))
    case .entities(let list): return .entities(try list.map(names.entity))
    }
  }
}

/// A key path in a recording.
struct RecordedPath: Codable {
  /// The number of the subquery's variable where the path begins; nil for the object that is evaluated.
  var variable: Int?
  var steps: [Step]
  var end: End
  var rootEntity: String?
  var endGuard: String?

  struct Step: Codable {
    var entity: String
    var relationship: String
  }

  enum End: Codable {
    case attribute(entity: String, slot: String)
    case elements(entity: String, slot: String)
    case object
    case entity
  }

  init(_ path: ResolvedPath) {
    if case .variable(let number) = path.root { variable = number }
    steps = path.relationships.map { Step(entity: $0.entity?.name ?? "", relationship: $0.name) }
    switch path.end {
    case .object: end = .object
    case .entity: end = .entity
    case .attribute(let attribute, let slot):
      let (entity, name) = Self.names(of: attribute, slot, path)
      end = .attribute(entity: entity, slot: name)
    case .elements(let attribute, let slot):
      let (entity, name) = Self.names(of: attribute, slot, path)
      end = .elements(entity: entity, slot: name)
    }
    rootEntity = path.rootEntity?.name
    endGuard = path.endGuard?.name
  }

  /// Returns the names of the entity and the slot of an attribute at the end of a path.
  private static func names(
    of attribute: AttributeDescription, _ slot: RowSlot, _ path: ResolvedPath
  ) -> (entity: String, slot: String) {
    // An element of a composite belongs to no entity itself: the row's layout has its name.
    let owner =
      attribute.entity ?? path.endGuard ?? path.relationships.last?.destinationEntity
      ?? path.rootEntity
    let names = owner?.layout.names ?? []
    let name = names.indices.contains(slot.index) ? names[slot.index] : attribute.name
    return (owner?.name ?? "", RecordedModel.plainName(name))
  }

  func resolved(_ names: ReplayNames) throws -> ResolvedPath {
    if let variable, !names.isInSubquery(of: variable) {
      throw RecordingError("The recording uses a subquery's variable outside of it.")
    }
    let end: ResolvedPath.End
    switch self.end {
    case .object: end = .object
    case .entity: end = .entity
    case .attribute(let entity, let slot):
      let owner = try names.entity(entity)
      guard let attribute = owner.attributesByName[slot],
        let place = owner.layout.slot(named: slot)
      else { throw RecordingError("\(entity) has no attribute \(slot).") }
      end = .attribute(attribute, place)
    case .elements(let entity, let slot):
      // Recordings keep transformable values as mere bytes.
      throw RecordingError(
        "The recording asks for elements of \(entity).\(slot), which it has as bytes only.")
    }
    return ResolvedPath(
      root: variable.map(ResolvedPath.Root.variable) ?? .object,
      relationships: try steps.map { try names.relationship($0.entity, $0.relationship) },
      end: end, rootEntity: try rootEntity.map(names.entity),
      endGuard: try endGuard.map(names.entity))
  }
}
