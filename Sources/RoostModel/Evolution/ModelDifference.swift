// SPDX-License-Identifier: Apache-2.0

/// The difference between two versions of a model: the changes, and the pairs of corresponding parts.
///
/// Entities and properties are recognised by their renaming identifiers, which are their names unless set: to rename a
/// property, give it a new name and its old one as `renamingIdentifier`. Properties may move up and down in a
/// hierarchy.
///
/// A difference exists exactly when data of the old version can be migrated to the new one by rules, without program
/// code. It is computed without a store.
///
/// ```swift
/// let difference = try ModelDifference(from: version1, to: version2)
/// for change in difference.changes { print(change) }
/// ```
public struct ModelDifference: Sendable {
  /// All changes, by entity. Equal models give equal changes in the same order.
  public let changes: [ModelChange]
  /// The entities of the new version, sorted by name, each with its source.
  public let entities: [EntityPair]
  /// The entities of the old version without a counterpart in the new one, sorted by name.
  public let removedEntities: [EntityDescription]

  /// Compares two versions of a model.
  ///
  /// - Parameters:
  ///   - source: The old version.
  ///   - destination: The new version.
  ///   - configuration: The configuration whose entities are compared; nil for all.
  ///   - allowsLosslessTypeChanges: Whether types may change in ways that lose nothing: to wider integers, from float
  ///     to double, from integers of up to 32 bits to double, between string and URI, and from attributes to the
  ///     elements of a composite or back. Core Data infers none of these.
  /// - Throws: `inferredMappingModel` when there is a change that cannot be inferred. The message lists every such
  ///   change with its remedy; entity and key are those of the first.
  /// - Complexity: Linear in the number of properties, inherited ones included.
  public init(
    from source: ManagedObjectModel, to destination: ManagedObjectModel,
    configuration: String? = nil, allowsLosslessTypeChanges: Bool = false
  ) throws {
    try self.init(
      from: try Self.members(of: source, configuration, "old"),
      to: try Self.members(of: destination, configuration, "new"),
      allowsLosslessTypeChanges: allowsLosslessTypeChanges)
  }

  /// Compares the entities of a store before and after a migration (M3).
  ///
  /// - Parameter isSet: Returns whether the program itself sets the values of a property of the new entity; such a
  ///   property may change in any way.
  /// - Throws: `inferredMappingModel` like the initialiser for models.
  package init(
    from source: [EntityDescription], to destination: [EntityDescription],
    allowsLosslessTypeChanges: Bool,
    isSet: (_ entity: EntityDescription, _ property: String) -> Bool = { _, _ in false }
  ) throws {
    var finder = DifferenceFinder(
      from: source, to: destination, allowsLosslessTypeChanges: allowsLosslessTypeChanges)
    finder.find()
    try Self.refuse(finder.refusals.filter { !Self.isSet($0, finder.pairs, isSet) })
    changes = finder.changes.sorted()
    entities = finder.pairs
    removedEntities = finder.removedEntities
  }

  /// Whether stored data is not affected: a store has to update its version hashes at most.
  public var isEmpty: Bool { !changes.contains(where: \.concernsStoredData) }

  /// Whether stored values, links or records may be lost.
  public var isLossy: Bool { changes.contains(where: \.isLossy) }

  private static func members(
    of model: ManagedObjectModel, _ configuration: String?, _ label: String
  ) throws -> [EntityDescription] {
    guard let entities = model.entities(forConfigurationName: configuration) else {
      throw PersistenceError(
        .inferredMappingModel,
        "The \(label) version of the model has no configuration “\(configuration ?? "")”.")
    }
    return entities
  }

  /// Whether a refusal concerns a property that the program sets in all entities with records.
  private static func isSet(
    _ refusal: PersistenceError, _ pairs: [EntityPair],
    _ isSet: (EntityDescription, String) -> Bool
  ) -> Bool {
    guard let key = refusal.key?.split(separator: ".").first.map(String.init),
      let owner = pairs.first(where: { $0.destination.name == refusal.entityName })?.destination,
      let property = owner.propertiesByName[key]
    else { return false }
    let holders = pairs.filter { pair in
      pair.source?.isAbstract == false && !pair.destination.isAbstract
        && pair.destination.propertiesByName[key] === property
    }
    return !holders.isEmpty && holders.allSatisfy { isSet($0.destination, key) }
  }

  private static func refuse(_ refusals: [PersistenceError]) throws {
    guard let first = refusals.first else { return }
    guard refusals.count > 1 else { throw first }
    let lines = refusals.map { refusal in
      let place = [refusal.entityName, refusal.key].compactMap { $0 }.joined(separator: ".")
      return "\n- \(place): \(refusal.message)"
    }
    throw PersistenceError(
      .inferredMappingModel,
      "\(refusals.count) changes of the model cannot be inferred:" + lines.joined(),
      entityName: first.entityName, key: first.key)
  }
}
