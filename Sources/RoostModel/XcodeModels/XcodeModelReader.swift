// SPDX-License-Identifier: Apache-2.0

/// Reads a model from Xcode's XML of one version: the file `contents` of an `.xcdatamodel`.
///
/// Entities are made first, then their properties, then the hierarchy, then references to all of these. Every fault
/// is an error with its line. Settings that concern only Xcode and Apple's systems are ignored: positions in the
/// editor, code generation, scalar types, syncing.
struct XcodeModelReader {
  /// The maximum number of elements of all composites of a model; a few lines of XML could expand to billions.
  static let largestElementCount = 20_000
  /// The maximum length of the name of an entity, a property or an index in bytes.
  private static let largestNameLength = 1024

  let text: ModelText
  let parser: ModelTextParser
  let root: ModelElement
  let model: ManagedObjectModel
  private(set) var entities: [String: EntityDescription] = [:]
  /// The offsets of entities, and of the properties and indexes of each by entity name.
  var offsets: [String: Int] = [:]
  var memberOffsets: [String: [String: Int]] = [:]
  /// The XML attributes of the composites, by composite name.
  let composites: [String: [ModelElement]]
  /// The number of composite elements so far.
  var elementCount = 0
  /// The properties of each entity; available after the hierarchy was linked.
  private(set) var properties = PropertyTable(of: [])

  /// Parses the XML of a model.
  ///
  /// - Parameter model: An empty model, which is filled.
  /// - Throws: `invalidModel` with file, line and column.
  init(
    _ text: ModelText, into model: ManagedObjectModel, parser: ModelTextParser
  ) throws(PersistenceError) {
    self.text = text
    self.model = model
    self.parser = parser
    root = try ModelElement.parse(text)
    composites = Dictionary(
      root.children(named: "composite").compactMap { element in
        element.attributes["name"].map { ($0, element.children(named: "attribute")) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Fills the model.
  ///
  /// - Throws: `invalidModel` with file, line and column.
  mutating func read() throws(PersistenceError) {
    guard root.name == "model" else {
      throw error("This is no model, but an XML file of “\(root.name)”.", root)
    }
    let elements = root.children(named: "entity")
    try makeEntities(elements)
    for element in elements { try addProperties(to: try entity(element), element) }
    try linkHierarchy(elements)
    var size = ModelCheck(model: model)
    if !size.checkSize() { try refuse(size.faults) }
    properties = PropertyTable(of: model.entities)
    for element in elements { try addInverses(to: try entity(element), element) }
    model.noteOneSidedInverses()
    for element in elements { try addIndexes(to: try entity(element), element) }
    try addTemplates()
    try addConfigurations()
    if let identifier = root.value("userDefinedModelVersionIdentifier") {
      model.versionIdentifiers = [identifier]
    }
    try check()
  }

  private mutating func makeEntities(_ elements: [ModelElement]) throws(PersistenceError) {
    for element in elements {
      let name = try requiredName(element)
      guard entities.count < RecordKey.largestEntityCode else {
        throw error("There are more than \(RecordKey.largestEntityCode) entities.", element)
      }
      guard entities[name] == nil else {
        throw error("There are two entities “\(name)”.", element, entityName: name)
      }
      entities[name] = try makeEntity(name, element)
      offsets[name] = element.offset
    }
    model.entities = elements.compactMap { $0.attributes["name"].flatMap { entities[$0] } }
  }

  private func makeEntity(
    _ name: String, _ element: ModelElement
  ) throws(PersistenceError) -> EntityDescription {
    let entity = EntityDescription(name: name)
    if let className = element.value("representedClassName") {
      // A leading dot stands for the program's module.
      entity.managedObjectClassName = String(className.drop { $0 == "." })
    }
    entity.isAbstract = element.isSet("isAbstract")
    entity.versionHashModifier = element.value("versionHashModifier")
    entity.renamingIdentifier = element.value("elementID") ?? element.value("renamingIdentifier")
    entity.userInfo = userInfo(element)
    if let text = element.value("coreSpotlightDisplayNameExpression") {
      entity.coreSpotlightDisplayNameExpression = try expression(text, element)
    }
    return entity
  }

  private func linkHierarchy(_ elements: [ModelElement]) throws(PersistenceError) {
    try refuseCycles(elements)
    var children: [String: [EntityDescription]] = [:]
    for element in elements {
      guard let parent = element.value("parentEntity") else { continue }
      children[parent, default: []].append(try entity(element))
    }
    for element in elements {
      let entity = try entity(element)
      if let subentities = entity.name.flatMap({ children[$0] }) {
        entity.replaceSubentities(subentities)
      }
    }
  }

  /// Refuses cycles of parent entities.
  private func refuseCycles(_ elements: [ModelElement]) throws(PersistenceError) {
    var parents: [String: String] = [:]
    for element in elements {
      guard let parent = element.value("parentEntity") else { continue }
      _ = try entity(named: parent, element)
      parents[element.attributes["name"] ?? ""] = parent
    }
    var sound: Set<String> = []
    for element in elements {
      var path: Set<String> = []
      var next = element.attributes["name"]
      while let name = next, !sound.contains(name) {
        guard path.insert(name).inserted else {
          throw error("The parents of “\(name)” lead back to it.", element, entityName: name)
        }
        next = parents[name]
      }
      sound.formUnion(path)
    }
  }

  /// Runs the model's own check, and reports its faults with their location in the file.
  private func check() throws(PersistenceError) {
    try refuse(model.findFaults())
  }

  private func refuse(_ faults: [PersistenceError]) throws(PersistenceError) {
    guard !faults.isEmpty else { return }
    let placed = faults.map { fault in
      let name = fault.entityName ?? ""
      let member = fault.key.flatMap { memberOffsets[name]?[$0] }
      let offset = member ?? offsets[name] ?? root.offset
      return text.error(
        fault.message, at: offset, entityName: fault.entityName, key: fault.key)
    }
    guard placed.count > 1 else { throw placed[0] }
    throw PersistenceError(
      .invalidModel, "\(text.name) has \(placed.count) faults.", underlyingErrors: placed)
  }
}

// MARK: - Words

extension XcodeModelReader {
  func error(
    _ message: String, _ element: ModelElement, entityName: String? = nil, key: String? = nil,
    underlying: (any Error)? = nil
  ) -> PersistenceError {
    text.error(
      message, at: element.offset, entityName: entityName, key: key, underlying: underlying)
  }

  /// Returns the value of a required attribute.
  func required(_ name: String, _ element: ModelElement) throws(PersistenceError) -> String {
    guard let value = element.value(name) else {
      throw error("“\(element.name)” has no “\(name)”.", element)
    }
    return value
  }

  /// Returns the name of an entity, a property or an index. Its length is limited, because names are combined in
  /// messages and other names.
  func requiredName(_ element: ModelElement) throws(PersistenceError) -> String {
    let name = try required("name", element)
    guard name.utf8.count <= Self.largestNameLength else {
      throw error("The name is longer than \(Self.largestNameLength) bytes.", element)
    }
    return name
  }

  /// Returns the entity that an element describes.
  func entity(_ element: ModelElement) throws(PersistenceError) -> EntityDescription {
    try entity(named: element.attributes["name"] ?? "", element)
  }

  func entity(
    named name: String, _ element: ModelElement
  ) throws(PersistenceError) -> EntityDescription {
    guard let entity = entities[name] else {
      throw error("The model has no entity “\(name)”.", element)
    }
    return entity
  }

  /// Returns the value of a 32-bit integer attribute.
  func number(_ name: String, _ element: ModelElement) throws(PersistenceError) -> Int? {
    guard let text = element.value(name) else { return nil }
    guard let number = Int32(text) else {
      throw error("“\(name)” is no number: “\(text)”.", element)
    }
    return Int(number)
  }

  func userInfo(_ element: ModelElement) -> [String: any Sendable] {
    var result: [String: any Sendable] = [:]
    for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
      if let key = entry.attributes["key"] { result[key] = entry.attributes["value"] ?? "" }
    }
    return result
  }

  func expression(
    _ text: String, _ element: ModelElement,
    parse: (ModelTextParser) -> (String) throws -> any ModelExpression = { $0.expression }
  ) throws(PersistenceError) -> any ModelExpression {
    do {
      return try parse(parser)(text)
    } catch {
      throw self.error("The expression “\(text)” cannot be read.", element, underlying: error)
    }
  }
}
