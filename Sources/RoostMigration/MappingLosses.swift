// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The records that a mapping model drops.
struct MappingLosses {
  let mapping: MappingModel
  /// The entities of the store's version.
  let source: [EntityDescription]
  let destination: ManagedObjectModel

  /// Returns the entities from which no mapping makes objects, with the numbers of their records.
  func entities(_ census: StoreCensus) throws -> [MigrationPlan.Loss] {
    let read = Set(mapping.entityMappings.filter(\.makesInstances).map(\.sourceEntityName))
    return try source.filter { !$0.isAbstract && !read.contains($0.name) }
      .map { MigrationPlan.Loss(name: $0.name ?? "", count: try census.records(of: $0.name ?? "")) }
      .filter { $0.count > 0 }
  }

  /// Refuses to drop records, where the policy forbids it.
  ///
  /// - Throws: `migration`.
  func refuse(_ census: StoreCensus, _ policy: EvolutionPolicy) throws {
    guard !policy.allowsLoss else { return }
    let losses = try entities(census)
    guard !losses.isEmpty else { return }
    throw PersistenceError(
      .migration,
      "The migration would lose data, which the description's evolution policy forbids: "
        + losses.map { "\($0.count) of \($0.name)" }.joined(separator: ", ")
        + ". Make objects of these records in an entity mapping.")
  }

  /// Refuses an entity that becomes abstract and has records, unless a mapping says what becomes of them (M12).
  ///
  /// - Throws: `migration`.
  func refuseAbstract(_ census: StoreCensus) throws {
    let told = Set(mapping.entityMappings.map(\.sourceEntityName))
    for entity in source where !entity.isAbstract && !told.contains(entity.name) {
      guard let name = entity.name,
        let new = destination.entities.first(where: { $0.isAbstract && $0.continues(entity) })
      else { continue }
      let count = try census.records(of: name)
      guard count > 0 else { continue }
      throw PersistenceError(
        .migration,
        "\(new.name ?? name) is to be abstract, and the store has records of it: \(count). Delete them, or make "
          + "other objects of them in an entity mapping.", entityName: name)
    }
  }
}

extension EntityDescription {
  /// Whether this is the later version of an entity, by its name or its earlier one.
  fileprivate func continues(_ old: EntityDescription) -> Bool {
    (renamingIdentifier ?? name) == old.name
  }
}
