// SPDX-License-Identifier: Apache-2.0

import RoostModel

@testable import RoostStore

/// The evolution of a ``BrokenStore``.
struct BrokenEvolution: StoreEvolution {
  let base: any StoreEvolution
  let defect: StoreDefect

  func storedModel() throws -> [UInt8]? { try base.storedModel() }

  func steps(of change: SchemaChange) throws -> [MigrationPlan.Step] {
    try base.steps(of: damaged(change))
  }

  func evolve(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool {
    var metadata = metadata
    if defect == .givesCodesTwice {
      let names = Set(change.destination.entities.compactMap(\.name))
      metadata.entityCodes = metadata.entityCodes.filter { names.contains($0.key) }
    }
    return try base.evolve(damaged(change), to: metadata, reporter: reporter)
  }

  func finishDeferredStep(isEvolving: Bool) throws -> Bool {
    try base.finishDeferredStep(isEvolving: isEvolving)
  }

  var expansion: (any StoreExpansion)? { base.expansion }

  private func damaged(_ change: SchemaChange) -> SchemaChange {
    SchemaChange(
      source: change.source, destination: change.destination, metadata: change.metadata,
      entities: change.entities.map(damaged), removedEntities: change.removedEntities,
      moves: change.moves, keptLinkTables: change.keptLinkTables,
      strandedPlaces: change.strandedPlaces,
      renamedEntities: change.renamedEntities)
  }

  private func damaged(_ entity: EntityChange) -> EntityChange {
    EntityChange(
      source: entity.source, destination: entity.destination, code: entity.code,
      slots: entity.slots.map { slot in
        SlotChange(slot: slot.slot, name: slot.name, origin: origin(of: slot, entity))
      }, removedSlots: entity.removedSlots)
  }

  private func origin(of slot: SlotChange, _ entity: EntityChange) -> SlotChange.Origin {
    switch (defect, slot.origin) {
    case (.forgetsDefaults, .constant): return .constant(.null)
    case (.forgetsDefaults, .defaulted(let old, _)): return .kept(old)
    case (.losesRenamedValues, .kept(let old)):
      guard case .attribute = entity.destination.layout.contents[slot.slot.index],
        entity.source.layout.names[old.index] != slot.name
      else { return slot.origin }
      return .constant(.null)
    default: return slot.origin
    }
  }
}
