// SPDX-License-Identifier: Apache-2.0

/// Reads a model from its untrusted text: every fault is thrown, and time and memory are bounded by the model's size.
struct CanonicalModelReader {
  /// The maximum number of bytes of combined names, in the names of composite elements and in the hashes of
  /// relationships. A name of a few kilobytes that is part of a hundred thousand others takes seconds.
  private static let largestExpansion = 64 << 20

  let parser: ModelTextParser
  private let model = ManagedObjectModel()
  private var entities: [String: EntityDescription] = [:]
  private var expansion = 0

  init(parser: ModelTextParser) {
    self.parser = parser
  }

  /// Makes the model.
  mutating func read(_ node: TextNode) throws(TextFault) -> ManagedObjectModel {
    let root = try TextFields(node, "model")
    let format = try root.number("format")
    guard format == Int(CanonicalModel.format) else {
      throw TextFault("it is of format \(format), which this version of Roost does not know")
    }
    let nodes = try root.list("entities")
    guard nodes.count <= RecordKey.largestEntityCode else {
      throw TextFault("there are more than \(RecordKey.largestEntityCode) entities")
    }
    var members: [(entity: EntityDescription, fields: TextFields)] = []
    for node in nodes {
      let fields = try TextFields(node, "entity")
      members.append((try makeEntity(fields), fields))
    }
    model.entities = members.map(\.entity)
    for (entity, fields) in members { try addProperties(to: entity, fields) }
    try linkHierarchy(members)
    for (entity, fields) in members { try addInverses(to: entity, fields) }
    for (entity, fields) in members { try addIndexes(to: entity, fields) }
    try addConfigurations(root)
    model.versionIdentifiers = Set(try root.texts("identifiers"))
    if let fault = model.findFaults().first {
      let place = [fault.entityName, fault.key].compactMap { $0?.prefix(200) }
      throw TextFault(
        "the model is not consistent: \(fault.message) [\(place.joined(separator: "."))]")
    }
    return model
  }

  /// Returns the name of a part, which must be neither empty nor too long.
  func name(_ fields: TextFields, _ member: String = "name") throws(TextFault) -> String {
    let name = try fields.text(member)
    guard !name.isEmpty else { throw TextFault("a name is empty") }
    guard name.utf8.count <= CanonicalModel.largestNameLength else {
      throw TextFault("a name is longer than \(CanonicalModel.largestNameLength >> 10) kB")
    }
    return name
  }

  /// Counts bytes of combined names.
  mutating func expand(by count: Int) throws(TextFault) {
    expansion += count
    if expansion > Self.largestExpansion { throw TextFault("its names are too long together") }
  }

  func entity(named name: String) throws(TextFault) -> EntityDescription {
    guard let entity = entities[name] else {
      throw TextFault("there is no entity “\(name.prefix(200))”")
    }
    return entity
  }

  private mutating func makeEntity(_ fields: TextFields) throws(TextFault) -> EntityDescription {
    let entity = EntityDescription(name: try name(fields))
    entity.isAbstract = try fields.flag("abstract")
    entity.renamingIdentifier = try fields.text(ifPresent: "renamingIdentifier")
    entity.versionHashModifier = try fields.text(ifPresent: "modifier")
    var constraints: [[String]] = []
    for node in try fields.list("unique") {
      guard case .list(let names) = node else { throw TextFault("a constraint is no list") }
      constraints.append(try names.texts("unique"))
    }
    entity.uniquenessConstraints = constraints
    guard entities.updateValue(entity, forKey: entity.name ?? "") == nil else {
      throw TextFault("two entities have one name")
    }
    return entity
  }

  private func linkHierarchy(
    _ members: [(entity: EntityDescription, fields: TextFields)]
  ) throws(TextFault) {
    var parents: [String: String] = [:]
    var children: [String: [EntityDescription]] = [:]
    for (entity, fields) in members {
      guard let parent = try fields.text(ifPresent: "superentity") else { continue }
      _ = try self.entity(named: parent)
      parents[entity.name ?? ""] = parent
      children[parent, default: []].append(entity)
    }
    try refuseCycles(parents)
    for (entity, _) in members {
      if let subentities = children[entity.name ?? ""] { entity.replaceSubentities(subentities) }
    }
  }

  /// Refuses cycles of parent entities.
  private func refuseCycles(_ parents: [String: String]) throws(TextFault) {
    var sound: Set<String> = []
    for start in parents.keys {
      var path: Set<String> = []
      var next: String? = start
      while let name = next, !sound.contains(name) {
        guard path.insert(name).inserted else {
          throw TextFault("the superentities of “\(name.prefix(200))” lead back to it")
        }
        next = parents[name]
      }
      sound.formUnion(path)
    }
  }

  private func addInverses(
    to entity: EntityDescription, _ fields: TextFields
  ) throws(TextFault) {
    let nodes = try fields.list("relationships")
    let relationships = entity.declaredProperties.compactMap { $0 as? RelationshipDescription }
    for (relationship, node) in zip(relationships, nodes) {
      let fields = try TextFields(node, "relationship")
      guard let name = try fields.text(ifPresent: "inverse") else { continue }
      guard let inverse = inverses[relationship.destinationEntity?.name ?? ""]?[name] else {
        throw TextFault("there is no inverse “\(name.prefix(200))”")
      }
      relationship.inverseRelationship = inverse
    }
  }

  /// The relationships that each entity declares, by name.
  private var inverses: [String: [String: RelationshipDescription]] = [:]

  private mutating func addProperties(
    to entity: EntityDescription, _ fields: TextFields
  ) throws(TextFault) {
    var properties: [PropertyDescription] = []
    for node in try fields.list("attributes") {
      let fields = try TextFields(node, "attribute")
      properties.append(try makeAttribute(fields, depth: 0, path: 0))
    }
    var relationships: [String: RelationshipDescription] = [:]
    for node in try fields.list("relationships") {
      let relationship = try makeRelationship(try TextFields(node, "relationship"))
      relationships[relationship.name] = relationship
      properties.append(relationship)
    }
    inverses[entity.name ?? ""] = relationships
    guard Set(properties.map(\.name)).count == properties.count else {
      throw TextFault("two properties have one name")
    }
    entity.properties = properties
  }

  private func addConfigurations(_ root: TextFields) throws(TextFault) {
    var configurations: [String: [EntityDescription]] = [:]
    for node in try root.list("configurations") {
      let fields = try TextFields(node, "configuration")
      var members: [EntityDescription] = []
      for name in try fields.texts("entities") { members.append(try entity(named: name)) }
      configurations[try fields.text("name")] = members
    }
    model.entitiesByConfiguration = configurations
  }
}
