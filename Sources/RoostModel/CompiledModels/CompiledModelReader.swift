// SPDX-License-Identifier: Apache-2.0

/// Reads a model compiled by Xcode: a `.mom`, which is a keyed archive of the model.
///
/// Entities are made first, then their properties, then the hierarchy, then references to all of these, like in
/// ``XcodeModelReader``. Objects refer to one another in cycles, and are identified by their numbers in the archive.
struct CompiledModelReader {
  let archive: KeyedArchive
  let conditions: ArchivedConditions
  let model: ManagedObjectModel
  let parser: ModelTextParser
  /// The entities by name, with their objects in the archive.
  private(set) var entities:
    [String: (description: EntityDescription, object: KeyedArchive.Object)] =
      [:]

  /// Reads the archive.
  ///
  /// - Parameters:
  ///   - name: The name of the file in errors.
  ///   - model: An empty model to fill.
  ///   - parser: Parses predicates and expressions.
  /// - Throws: `invalidModel` with the number of the invalid object, `limitExceeded`.
  init(
    _ bytes: [UInt8], name: String, into model: ManagedObjectModel, parser: ModelTextParser
  ) throws(PersistenceError) {
    archive = try KeyedArchive(bytes, name: name)
    conditions = ArchivedConditions(archive: archive)
    self.model = model
    self.parser = parser
  }

  /// Fills the model.
  ///
  /// - Throws: `invalidModel` with the number of the invalid object, or the faults of the model's check.
  mutating func read() throws(PersistenceError) {
    guard let root = archive.root, root.className == "NSManagedObjectModel" else {
      throw PersistenceError(.invalidModel, "\(archive.name) is an archive of something else.")
    }
    try makeEntities(of: root)
    let all = entities.values.sorted {
      UTF8Order.isLess($0.description.name ?? "", $1.description.name ?? "")
    }
    for entity in all { try addProperties(to: entity.description, of: entity.object) }
    try linkHierarchy()
    for entity in all { try addInverses(to: entity.description, of: entity.object) }
    model.noteOneSidedInverses()
    for entity in all { try addIndexes(to: entity.description, of: entity.object) }
    try addTemplates(of: root)
    try addConfigurations(of: root)
    for identifier in try archive.members("NSVersionIdentifiers", of: root) {
      if case .string(let text) = identifier, !text.isEmpty {
        model.versionIdentifiers.insert(text)
      }
    }
    let faults = model.findFaults()
    guard faults.isEmpty else {
      throw PersistenceError(
        .invalidModel, "\(archive.name) has \(faults.count) faults: \(faults[0].message)",
        entityName: faults[0].entityName, key: faults[0].key, underlyingErrors: faults)
    }
  }

  /// Returns the entity of an archived object.
  func entity(_ object: KeyedArchive.Object) throws(PersistenceError) -> EntityDescription {
    guard object.className == "NSEntityDescription",
      let name = try archive.text("NSEntityName", of: object), let known = entities[name],
      known.object.number == object.number
    else { throw archive.fault(object, "is no entity of the model") }
    return known.description
  }

  private mutating func makeEntities(of root: KeyedArchive.Object) throws(PersistenceError) {
    let listed = try archive.entries("NSEntities", of: root)
    guard listed.count <= RecordKey.largestEntityCode else {
      throw archive.fault(root, "has more than \(RecordKey.largestEntityCode) entities")
    }
    for (name, value) in listed {
      guard case .object(let object) = value, object.className == "NSEntityDescription",
        try archive.text("NSEntityName", of: object) == name, entities[name] == nil
      else { throw archive.fault(root, "has an entity “\(name)” that is none") }
      entities[name] = (try makeEntity(name, object), object)
    }
    model.entities = listed.map(\.key).sorted(by: UTF8Order.isLess).compactMap {
      entities[$0]?.description
    }
  }

  private func makeEntity(
    _ name: String, _ object: KeyedArchive.Object
  ) throws(PersistenceError) -> EntityDescription {
    let entity = EntityDescription(name: name)
    if let className = try archive.text("NSClassNameForEntity", of: object), !className.isEmpty {
      // A leading dot stands for the program's module.
      entity.managedObjectClassName = String(className.drop { $0 == "." })
    }
    entity.isAbstract = try archive.isSet("NSIsAbstract", of: object)
    entity.versionHashModifier = try archive.text("NSVersionHashModifier", of: object)
    let identifier = try archive.text("NSRenamingIdentifier", of: object)
    entity.renamingIdentifier = identifier == name ? nil : identifier
    entity.userInfo = try userInfo(of: object)
    return entity
  }

  private func linkHierarchy() throws(PersistenceError) {
    var children: [String: [EntityDescription]] = [:]
    var parents: [String: String] = [:]
    for (name, entity) in entities {
      guard let parent = try archive.child("NSSuperentity", of: entity.object) else { continue }
      let parentName = try self.entity(parent).name ?? ""
      parents[name] = parentName
      children[parentName, default: []].append(entity.description)
    }
    for (name, entity) in entities {
      var path: Set<String> = []
      var next: String? = name
      while let step = next {
        guard path.insert(step).inserted else {
          throw archive.fault(entity.object, "is its own parent")
        }
        next = parents[step]
      }
    }
    for (name, list) in children {
      entities[name]?.description.replaceSubentities(
        list.sorted { UTF8Order.isLess($0.name ?? "", $1.name ?? "") })
    }
  }

  func userInfo(of object: KeyedArchive.Object) throws(PersistenceError) -> [String: any Sendable] {
    var result: [String: any Sendable] = [:]
    for (key, value) in try archive.entries("NSUserInfo", of: object) {
      switch value {
      case .string(let text): result[key] = text
      case .boolean(let truth): result[key] = truth
      case .integer(let number): result[key] = number
      case .real(let number): result[key] = number
      default: model.readingNotes.append("\(archive.name): “\(key)” of the user info is left out.")
      }
    }
    return result
  }
}
