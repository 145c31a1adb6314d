// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Determines the derived attributes whose stored values are no longer right, although their expressions are the same:
/// the values that they are computed from change.
struct StaleDerivations {
  let source: StoreSchema
  let destination: StoreSchema
  let entities: [EntityChange]
  let moves: [RelationMove]
  let matches: EntityMatches

  /// Returns the changes of the entities, in which all derived attributes that depend on changes are computed.
  func computed() -> [EntityChange] {
    // Wrong expressions are refused elsewhere.
    guard let plan = try? destination.derivations(), !plan.isEmpty else { return entities }
    let before = try? source.derivations()
    return entities.map { entity in
      let rules = before?.rules(of: entity.source) ?? []
      return entity.computing(
        Set(plan.rules(of: entity.destination).filter { isStale($0, rules, entity) }.map(\.slot)))
    }
  }

  private func isStale(
    _ rule: DerivationRule, _ rules: [DerivationRule], _ entity: EntityChange
  ) -> Bool {
    if case .now = rule.kind { return false }
    guard let old = entity.keptSlot(for: rule.slot) else { return false }
    guard let before = rules.first(where: { $0.slot == old }),
      before.path.count == rule.path.count
    else { return true }
    return zip(before.path, rule.path).contains { changesPairs(from: $0, to: $1) }
      || readsChangedValues(before, rule, entity)
  }

  /// Whether records come to have other destinations than before.
  private func changesPairs(
    from old: RelationshipDescription, to new: RelationshipDescription
  ) -> Bool {
    let found = matches.sources(of: new)
    guard found.count == 1, found[0] === old else { return true }
    let isMerged = moves.contains { move in
      let relationship = move.to.relationship
      return (relationship === new || relationship === new.maintainedInverse)
        && (move.isShared || move.to.isSymmetric != move.from.isSymmetric)
    }
    return isMerged
      || !source.codes(of: old.destinationEntity)
        .isSubset(of: destination.codes(of: new.destinationEntity))
  }

  /// Whether the attribute at the end of the path has other values in some records.
  private func readsChangedValues(
    _ before: DerivationRule, _ rule: DerivationRule, _ entity: EntityChange
  ) -> Bool {
    guard let slot = rule.sourceSlot, let old = before.sourceSlot else {
      return rule.sourceSlot != before.sourceSlot
    }
    var readers = [entity]
    if let end = rule.path.last?.destinationEntity {
      readers = entities.filter { $0.destination.isKindOf(entity: end) }
    }
    return readers.contains { $0.keptSlot(for: slot) != old }
  }
}

extension EntityChange {
  /// Returns the slot of the source whose values a slot has unchanged; nil for none.
  fileprivate func keptSlot(for slot: RowSlot) -> RowSlot? {
    guard case .kept(let old)? = slots.first(where: { $0.slot == slot })?.origin else { return nil }
    return old
  }

  /// Returns the change in which some slots are computed, and not kept.
  fileprivate func computing(_ computed: Set<RowSlot>) -> EntityChange {
    guard !computed.isEmpty else { return self }
    return EntityChange(
      source: source, destination: destination, code: code,
      slots: slots.map { slot in
        guard computed.contains(slot.slot) else { return slot }
        return SlotChange(slot: slot.slot, name: slot.name, origin: .derived)
      },
      removedSlots: source.layout.slots.filter { slot in
        removedSlots.contains(slot) || computed.contains { keptSlot(for: $0) == slot }
      })
  }
}

extension StoreSchema {
  /// Returns the codes of the concrete entities of an entity.
  package func codes(of entity: EntityDescription?) -> Set<Int> {
    Set((entity?.concreteEntities ?? []).compactMap(code(of:)))
  }
}
