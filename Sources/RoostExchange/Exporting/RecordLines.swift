// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// Writes the records of one entity.
protocol RecordLines {
  /// Appends the header before the first record.
  func begin(_ bytes: inout [UInt8])
  /// Appends a record.
  func append(_ object: ManagedObject, to bytes: inout [UInt8]) throws
}

/// Writes JSON lines.
struct JSONRecordLines: RecordLines {
  private let export: ExportPlan
  private let plan: EntityPlan
  private let attributes: [AttributeDescription]
  private let relationships: [RelationshipDescription]

  init(_ export: ExportPlan, _ plan: EntityPlan) {
    self.export = export
    self.plan = plan
    attributes = export.attributes(of: plan)
    relationships = export.relationships(of: plan)
  }

  func begin(_ bytes: inout [UInt8]) {}

  func append(_ object: ManagedObject, to bytes: inout [UInt8]) throws {
    var members = [JSONNode.Member("@entity", .text(plan.name))]
    if let id = try export.name(of: object).id {
      members.append(JSONNode.Member("@id", .text(id)))
    }
    for attribute in attributes {
      // An element that is nil is named, too: a new record would keep the initial value of one that is not.
      let value = FieldReader.filled(
        try object.exchangeValue(forKey: attribute.name), attribute)
      members.append(JSONNode.Member(attribute.name, try FieldText.node(value)))
    }
    for relationship in relationships {
      members.append(JSONNode.Member(relationship.name, try node(relationship, object)))
    }
    JSONText.append(.object(members), to: &bytes)
    bytes.append(10)
  }

  private func node(
    _ relationship: RelationshipDescription, _ object: ManagedObject
  ) throws -> JSONNode {
    switch try object.value(forKey: relationship.name) {
    case let destination as ManagedObject: try reference(destination, relationship)
    case let members as [ManagedObject]: .list(try members.map { try reference($0, relationship) })
    case let members as Set<ManagedObject>:
      .list(
        try members.sorted { $0.objectID.key < $1.objectID.key }.map {
          try reference($0, relationship)
        })
    default: relationship.isToMany ? .list([]) : .null
    }
  }

  private func reference(
    _ destination: ManagedObject, _ relationship: RelationshipDescription
  ) throws -> JSONNode {
    let name = try export.name(of: destination)
    if name.key == nil { try export.checkExported(destination, relationship) }
    return try name.reference(from: relationship.destinationEntity)
  }
}

/// Writes delimiter-separated values.
struct CSVRecordLines: RecordLines {
  private enum Column {
    case id
    case value([String])
    case key(RelationshipDescription, AttributeDescription)
    case reference(RelationshipDescription)
  }

  private let export: ExportPlan
  private let plan: EntityPlan
  private let delimiter: UInt8
  private let columns: [(name: String, column: Column)]
  /// Whether records get an ID even if they have a key.
  private let alwaysHasID: Bool

  init(_ export: ExportPlan, _ plan: EntityPlan, delimiter: UInt8) {
    self.export = export
    self.plan = plan
    self.delimiter = delimiter
    var columns: [(name: String, column: Column)] = []
    alwaysHasID = export.isLedToByID(plan)
    if alwaysHasID || plan.mayLackKey { columns.append(("@id", .id)) }
    for attribute in export.attributes(of: plan) {
      for path in Self.paths(of: attribute) {
        columns.append((path.joined(separator: "."), .value(path)))
      }
    }
    for relationship in export.relationships(of: plan) {
      guard let destination = relationship.destinationEntity else { continue }
      let other = export.plan(of: destination)
      for attribute in other.keys.first?.attributes ?? [] {
        columns.append(
          ("\(relationship.name).\(attribute.name)", .key(relationship, attribute)))
      }
      if export.mayNeedID(other) { columns.append((relationship.name, .reference(relationship))) }
    }
    self.columns = columns
  }

  private static func paths(of attribute: AttributeDescription) -> [[String]] {
    guard let composite = attribute as? CompositeAttributeDescription else {
      return [[attribute.name]]
    }
    return composite.elements.compactMap { $0 as? AttributeDescription }
      .flatMap { paths(of: $0).map { [attribute.name] + $0 } }
  }

  func begin(_ bytes: inout [UInt8]) {
    CSVText.append(columns.map(\.name), delimiter: delimiter, to: &bytes)
  }

  func append(_ object: ManagedObject, to bytes: inout [UInt8]) throws {
    CSVText.append(
      try columns.map { try cell($0.column, object) }, delimiter: delimiter, to: &bytes)
  }

  private func cell(_ column: Column, _ object: ManagedObject) throws -> String? {
    switch column {
    case .id:
      let name = try export.name(of: object)
      return alwaysHasID ? name.fileID : name.id
    case .value(let path):
      var value = try object.exchangeValue(forKey: path[0])
      for name in path.dropFirst() {
        guard case .composite(let elements) = value else { return nil }
        value = elements[name] ?? .null
      }
      return try FieldText.text(value)
    case .key(let relationship, let attribute):
      guard let name = try destination(relationship, object), hasKey(name, relationship) else {
        return nil
      }
      return try FieldText.text(name.object.exchangeValue(forKey: attribute.name))
    case .reference(let relationship):
      guard let name = try destination(relationship, object), !hasKey(name, relationship) else {
        return nil
      }
      try export.checkExported(name.object, relationship)
      return name.fileID
    }
  }

  private func destination(
    _ relationship: RelationshipDescription, _ object: ManagedObject
  ) throws -> RecordName? {
    try (object.value(forKey: relationship.name) as? ManagedObject).map(export.name)
  }

  /// Whether a destination is named by the key of the relationship's destination entity, which has columns.
  private func hasKey(_ name: RecordName, _ relationship: RelationshipDescription) -> Bool {
    guard let key = name.key?.key, let destination = relationship.destinationEntity else {
      return false
    }
    return key.names == export.plan(of: destination).keys.first?.names
  }
}

extension ExportPlan {
  /// Whether an exported relationship refers to records of an entity by ID, because its destination entity does not
  /// have their key.
  func isLedToByID(_ plan: EntityPlan) -> Bool {
    guard let key = plan.keys.first else { return false }
    return entities.contains { other in
      relationships(of: other).contains { relationship in
        guard let destination = relationship.destinationEntity else { return false }
        return plan.entity.isKindOf(entity: destination)
          && self.plan(of: destination).keys.first?.names != key.names
      }
    }
  }

  /// Whether a record of an entity, or of a subentity, may have to be named by an ID as a destination of that entity.
  func mayNeedID(_ plan: EntityPlan) -> Bool {
    let names = plan.keys.first?.names
    return plan.mayLackKey
      || plan.entity.concreteEntities.contains {
        let other = self.plan(of: $0)
        return other.mayLackKey || other.keys.first?.names != names
      }
  }
}
