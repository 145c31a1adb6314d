// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

extension PartialCondition {
  /// Returns the conditions of an index's predicate, if it is a conjunction of comparisons that an index can
  /// evaluate.
  ///
  /// - Returns: An empty list otherwise: then the index has all rows, which is slower and never wrong.
  static func conditions(
    of predicate: any ModelPredicate, entity: EntityDescription, model: ManagedObjectModel
  ) -> [PartialCondition] {
    guard let known = try? FetchPredicate(predicate),
      let resolved = try? RequestResolver(model: model).predicate(known, of: entity)
    else { return [] }
    let request = RequestConditions(resolved, store: "")
    var found: Set<Int> = []
    let conditions = entity.layout.storedSlots.compactMap { slot -> PartialCondition? in
      guard slot.kind != .reference, let all = request.condition(onOffset: slot.offset) else {
        return nil
      }
      found.formUnion(all.parts)
      return PartialCondition(
        slot: slot, name: entity.layout.names[slot.index], condition: all.condition)
    }
    return found.count == request.parts.count ? conditions : []
  }
}

extension RequestConditions {
  /// Whether every row that satisfies the request is in an index.
  func implyPresence(in index: IndexDefinition) -> Bool {
    index.conditions.allSatisfy { partial in
      condition(onOffset: partial.slot.offset)?.condition.implies(partial.condition) ?? false
    }
  }

  /// Returns the parts of the predicate that equal the index's own conditions.
  func partsSaid(by index: IndexDefinition) -> Set<Int> {
    index.conditions.reduce(into: []) { parts, partial in
      guard let said = condition(onOffset: partial.slot.offset), said.condition == partial.condition
      else { return }
      parts.formUnion(said.parts)
    }
  }
}
