// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Swift code of a mapping model between two models: inferred mappings are written out, and open decisions are
/// comments in a policy, each at its place (M65).
struct MappingSkeleton {
  let source: ManagedObjectModel
  let destination: ManagedObjectModel
  /// How the models are named in comments.
  let titles: (source: String, destination: String)
  /// Swift expressions that make the models.
  let makers: (source: String, destination: String)

  /// The code.
  var text: String {
    let pairs = self.pairs
    let policies = pairs.compactMap { $0.policy }
    return ([head, model(pairs)] + policies + [test(pairs)]).joined(separator: "\n\n") + "\n"
  }

  private var head: String {
    """
    // From \(titles.source) to \(titles.destination). Give it to the description of the store:
    //   description.migration = MappingModels([ModelMapping.model()])
    // Each comment in a policy is a decision that cannot be inferred.

    import Foundation
    import Roost
    import RoostSQLite
    import Testing
    """
  }

  private func model(_ pairs: [MappedEntity]) -> String {
    let removed = concrete(source).filter { old in
      !pairs.contains { $0.source === old }
    }
    var lines = [
      "/// Leads from version \(source.versionChecksum) to \(destination.versionChecksum).",
      "enum ModelMapping {", "  static func model() -> MappingModel {",
    ]
    for pair in pairs { lines += pair.mapping.map { "    " + $0 } }
    for entity in removed {
      let name = entity.name ?? ""
      lines.append(
        "    let \(SwiftText.variable(name))Removed = EntityMapping(from: \(SwiftText.quoted(name)), "
          + "to: nil)")
    }
    let names =
      pairs.map { SwiftText.variable($0.destination.name ?? "") }
      + removed.map { SwiftText.variable($0.name ?? "") + "Removed" }
    lines.append("    return MappingModel(entityMappings: [\(names.joined(separator: ", "))])")
    return (lines + ["  }", "}"]).joined(separator: "\n")
  }

  // MARK: Pairs

  private var pairs: [MappedEntity] {
    let old = Dictionary(
      concrete(source).map { (Self.identity($0), $0) }, uniquingKeysWith: { first, _ in first })
    let byName = source.entitiesByName
    return concrete(destination).map { entity in
      let name = entity.name ?? ""
      let match = old[Self.identity(entity)] ?? byName[name].flatMap { $0.isAbstract ? nil : $0 }
      return MappedEntity(source: match, destination: entity)
    }
  }

  private static func identity(_ entity: EntityDescription) -> String {
    entity.renamingIdentifier ?? entity.name ?? ""
  }

  private func concrete(_ model: ManagedObjectModel) -> [EntityDescription] {
    model.entities.filter { !$0.isAbstract }
      .sorted { UTF8Order.isLess($0.name ?? "", $1.name ?? "") }
  }

  // MARK: Test

  private func test(_ pairs: [MappedEntity]) -> String {
    var lines = [
      "@Test(\"a store of the earlier version is migrated\")",
      "func migratesEarlierStore() throws {",
      "  let url = FileManager.default.temporaryDirectory.appending(path: \"\\(UUID()).sqlite\")",
      "  defer { try? FileManager.default.removeItem(at: url) }",
      "  let old = try PersistentContainer(",
      "    name: \"Old\", model: \(makers.source), stores: [.sqlite(at: url)])",
      "  try old.loadPersistentStores()", "  let context = old.newBackgroundContext()",
      "  try context.performAndWait {", "    var objects: [String: ManagedObject] = [:]",
      "    for (name, entity) in old.managedObjectModel.entitiesByName where !entity.isAbstract {",
      "      objects[name] = ManagedObject(entity: entity, insertInto: context)", "    }",
    ]
    for entity in concrete(source) { lines += sampleLines(of: entity).map { "    " + $0 } }
    lines += [
      "    try context.save()", "  }",
      "  for store in old.persistentStoreCoordinator.persistentStores {",
      "    try old.persistentStoreCoordinator.remove(store)", "  }", "",
      "  var description = PersistentStoreDescription.sqlite(at: url)",
      "  description.migration = MappingModels([ModelMapping.model()])",
      "  let new = try PersistentContainer(",
      "    name: \"New\", model: \(makers.destination), stores: [description])",
      "  try new.loadPersistentStores()", "  let migrated = new.newBackgroundContext()",
      "  try migrated.performAndWait {",
    ]
    for pair in pairs where pair.source != nil {
      let name = SwiftText.quoted(pair.destination.name ?? "")
      lines += [
        "    do {", "      let request = FetchRequest<ManagedObject>(entityName: \(name))",
        "      request.includesSubentities = false",
        "      let count = try migrated.count(for: request)", "      #expect(count == 1)", "    }",
      ]
    }
    return (lines + ["  }", "}"]).joined(separator: "\n")
  }

  /// Returns lines that set the required properties of an object.
  private func sampleLines(of entity: EntityDescription) -> [String] {
    let object = "objects[\(SwiftText.quoted(entity.name ?? ""))]"
    var lines: [String] = []
    for attribute in entity.attributesInOrder
    where !attribute.isOptional && attribute.isStored && attribute.defaultConstant.isNull
      && !(attribute is DerivedAttributeDescription)
    {
      let name = SwiftText.quoted(attribute.name)
      if let sample = SwiftText.sample(of: attribute.type) {
        lines.append("try \(object)?.setValue(\(sample), forKey: \(name))")
      } else {
        lines.append("// \(entity.name ?? "").\(attribute.name) needs a value.")
      }
    }
    for relationship in entity.relationshipsInOrder
    where !relationship.isOptional && !relationship.isToMany && !relationship.isTransient {
      let target = relationship.destinationEntity?.concreteEntities.first?.name ?? ""
      lines.append(
        "try \(object)?.setValue(objects[\(SwiftText.quoted(target))], "
          + "forKey: \(SwiftText.quoted(relationship.name)))")
    }
    return lines
  }
}
