// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// A step of a plan, and its work.
struct PlannedStep {
  var step: MigrationPlan.Step
  var work = Work.note
  /// The records that have to be counted for the step, if any.
  var counted: Counted?

  enum Work {
    /// No work, or a part of another step's work.
    case note
    case move(RelationMove)
    /// Rewrites the records of an entity code, where needed.
    case rewrite(Int)
    case index(IndexDefinition)
    case remove(EntityDescription)
  }

  /// Records of an entity code with a value in a slot of the source, or without one.
  struct Counted {
    var code: Int
    var slot: RowSlot
    var ofNulls = false
  }

  /// Whether it can be deferred.
  var isDeferrable: Bool { step.isDeferrable }

  init(
    _ title: String, _ kind: MigrationPlan.Kind, rows: Int = 0, work: Work = .note,
    counted: Counted? = nil, isDeferrable: Bool = false
  ) {
    step = MigrationPlan.Step(title, kind: kind, rows: rows, isDeferrable: isDeferrable)
    self.work = work
    self.counted = counted
  }
}

extension EvolutionRun {
  /// The steps in order: moves of relationships come first, because rows and indexes contain the moved values.
  func plannedSteps() -> [PlannedStep] {
    var steps = change.renamedEntities.map { source, destination in
      PlannedStep("rename \(source.name ?? "") to \(destination.name ?? "")", .catalogue)
    }
    for entity in change.entities { steps += definitionSteps(of: entity) }
    for move in change.moves { steps.append(step(of: move)) }
    for entity in change.entities { steps += recordSteps(of: entity) }
    for index in catalogChange.builtIndexes {
      let rows = count(of: index.entityCodes)
      guard rows > 0 else { continue }
      steps.append(
        PlannedStep(
          index.title, .index, rows: rows, work: .index(index),
          isDeferrable: canDefer && index.isDeferrable))
    }
    for entity in change.entities { steps += lossSteps(of: entity) }
    steps += lostTables.map { table in
      PlannedStep(
        "drop \(table.name)", .drop, rows: linkCount(of: table), isDeferrable: canDefer)
    }
    for entity in change.removedEntities {
      let rows = counts[change.source.code(of: entity) ?? 0] ?? 0
      steps.append(
        PlannedStep(
          "drop \(entity.name ?? "")", .drop, rows: rows, work: .remove(entity),
          isDeferrable: canDefer && rows > 0))
    }
    return steps
  }

  /// Steps that change names and defaults only.
  private func definitionSteps(of entity: EntityChange) -> [PlannedStep] {
    let name = entity.destination.name ?? ""
    return entity.slots.compactMap { slot in
      guard case .attribute = entity.destination.layout.contents[slot.slot.index] else {
        return nil
      }
      switch slot.origin {
      case .constant: return PlannedStep("add \(name).\(slot.name)", .addColumn)
      case .kept(let old), .defaulted(let old, _), .converted(let old, _):
        let before = entity.source.layout.names[old.index]
        guard before != slot.name else { return nil }
        return PlannedStep("rename \(name).\(before) to \(slot.name)", .catalogue)
      case .derived, .moved: return nil
      }
    }
  }

  private func step(of move: RelationMove) -> PlannedStep {
    if renamedTables(of: move) != nil {
      return PlannedStep("rename the links of \(move.title)", .catalogue)
    }
    switch move.from {
    case .links(let table):
      return PlannedStep("move \(move.title)", .move, rows: linkCount(of: table), work: .move(move))
    case .slot:
      let rows = count(of: move.from.codes(in: change.source).firsts)
      return PlannedStep("move \(move.title)", .move, rows: rows, work: .move(move))
    }
  }

  /// Steps that write records of an entity; the last one does the work of all.
  private func recordSteps(of entity: EntityChange) -> [PlannedStep] {
    guard mayRewrite(entity.code) else { return [] }
    let name = entity.destination.name ?? ""
    let rows = counts[entity.code] ?? 0
    let derived = derivedSlots[entity.code] ?? []
    var steps: [PlannedStep] = []
    for slot in entity.slots {
      switch slot.origin {
      case .defaulted(let old, _):
        steps.append(
          PlannedStep(
            "fill \(name).\(slot.name)", .fill, rows: rows,
            counted: .init(code: entity.code, slot: old, ofNulls: true)))
      case .converted(let old, _):
        steps.append(
          PlannedStep(
            "convert \(name).\(slot.name)", .rewrite, rows: rows,
            counted: .init(code: entity.code, slot: old)))
      case .kept, .constant, .derived, .moved:
        guard derived.contains(slot.slot.index) else { continue }
        steps.append(PlannedStep("compute \(name).\(slot.name)", .fill, rows: rows))
      }
    }
    if steps.isEmpty { steps.append(PlannedStep("rewrite \(name)", .rewrite, rows: rows)) }
    steps[steps.count - 1].work = .rewrite(entity.code)
    return steps
  }

  /// Steps that drop values.
  private func lossSteps(of entity: EntityChange) -> [PlannedStep] {
    let name = entity.source.name ?? ""
    let removed = entity.removedSlots.filter { slot in
      // Values that can be computed are no loss.
      guard case .attribute(let attribute, _) = entity.source.layout.contents[slot.index] else {
        return true
      }
      return !(attribute is DerivedAttributeDescription)
    }
    return (removed + lostRelationships(of: entity)).map { slot in
      PlannedStep(
        "drop \(name).\(entity.source.layout.names[slot.index])", .drop,
        counted: .init(code: entity.code, slot: slot))
    }
  }

  /// The slots of relationships that are dropped.
  private func lostRelationships(of entity: EntityChange) -> [RowSlot] {
    var kept: Set<Int> = []
    for slot in entity.slots {
      if case .kept(let old) = slot.origin { kept.insert(old.index) }
    }
    let layout = entity.source.layout
    return zip(layout.slots, layout.contents).compactMap { slot, content in
      guard case .reference(let relationship) = content, !kept.contains(slot.index),
        !isMoved(relationship), !(relationship.maintainedInverse.map(isHeld) ?? false)
      else { return nil }
      return slot
    }
  }

  private func isMoved(_ relationship: RelationshipDescription) -> Bool {
    change.moves.contains { move in
      if case .slot(let moved) = move.from { moved === relationship } else { false }
    }
  }

  /// Whether the pairs of a to-one relationship are stored on its own side.
  private func isHeld(_ relationship: RelationshipDescription) -> Bool {
    guard case .toOne(let slot) = relationship.storage else { return false }
    if isMoved(relationship) { return true }
    let codes = change.source.codes(below: relationship.entity)
    return change.entities.contains { entity in
      codes.contains(entity.code)
        && entity.slots.contains {
          if case .kept(let old) = $0.origin { old.index == slot.index } else { false }
        }
    }
  }

  /// The link tables that are dropped.
  private var lostTables: [LinkTable] {
    change.source.linkTables.filter { table in
      !change.keptLinkTables.contains { $0.source === table }
        && !change.moves.contains { move in
          if case .links(table) = move.from { true } else { false }
        }
    }
  }

  /// The approximate number of links in a table.
  private func linkCount(of table: LinkTable) -> Int {
    guard let entries = catalog.tables[table.forwardSignature] else { return 0 }
    return (try? snapshot.entryCount(of: entries, in: .all)) ?? 0
  }

  /// Counts records for the steps, in one scan of each entity, and refuses values that cannot be converted.
  func survey(_ steps: inout [PlannedStep]) throws {
    for entity in change.entities where counts[entity.code] ?? 0 > 0 {
      let places = steps.indices.filter { steps[$0].counted?.code == entity.code }
      let converted = entity.slots.filter {
        if case .converted = $0.origin { true } else { false }
      }
      guard !places.isEmpty || !converted.isEmpty else { continue }
      let counted = places.compactMap { steps[$0].counted }
      var found = [Int](repeating: 0, count: counted.count)
      let conversion = conversion(
        ofCode: entity.code, only: Set(converted.map(\.slot.index)))
      let slots = RowSlots.some(Set(counted.map(\.slot.index)))
        .union(conversion?.sourceSlots ?? .none)
      try snapshot.scanRecords(
        ofEntityCode: entity.code, need: RowNeed(judged: slots, kept: .none)
      ) { chunk in
        try cancellation.check()
        for index in 0..<chunk.count {
          chunk.withRow(index) { row in
            for (number, count) in counted.enumerated()
            where row.isNull(count.slot) == count.ofNulls {
              found[number] += 1
            }
            if !converted.isEmpty { _ = conversion?.row(from: row, refused: refused) }
          }
        }
        return true
      }
      for (place, count) in zip(places, found) {
        let planned = steps[place]
        steps[place].step = MigrationPlan.Step(
          planned.step.title, kind: planned.step.kind, rows: count,
          isDeferrable: planned.isDeferrable)
      }
      if let conversion { try checkConversions(of: conversion) }
    }
  }
}

extension IndexDefinition {
  /// The title of the step that builds the index.
  fileprivate var title: String {
    switch purpose {
    case .fetch, .inverse, .words: "index \(name)"
    case .unique(let constraint):
      "unique \(entity.name ?? "") by \(constraint.joined(separator: ", "))"
    }
  }
}
