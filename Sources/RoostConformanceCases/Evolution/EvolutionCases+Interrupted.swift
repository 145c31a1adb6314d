// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Migrations that are cut off, and programs of the old version that go on.
extension EvolutionCases {
  /// Returns the description of a store whose migration is divided, where its type divides any.
  ///
  /// - Parameters:
  ///   - description: The store.
  ///   - records: The number of records in the first transaction.
  static func divided(
    _ description: PersistentStoreDescription, records: Int = 2
  ) -> PersistentStoreDescription {
    var description = description
    description.evolution.batches.largestLog = 0
    description.evolution.batches.bytes = Int64(records) * 2_048
    description.evolution.batches.records = records
    return description
  }

  /// A migration is cut off at each of its reports: there are as many as there are records.
  private static let few = 12

  static let interrupted: [ConformanceCase] = [
    ConformanceCase(
      .evolution, "interrupted",
      "what a program of the old version saves after a migration that was cut off is there in the new one (M25, M50)",
      needs: [.reopening, .evolution]
    ) { stage in
      let model = things { thing in
        thing.attribute("note").isOptional = false
        thing.attribute("note").defaultValue = "none"
        thing.attribute("size").defaultValue = 8
        thing.attribute("size").isOptional = false
        thing.declaredProperties.append(
          AttributeDescription.of("more", .double, default: .double(0.1)))
        thing.drop("code")
      }.make()
      var isCutOff = true
      var number = 0
      while isCutOff {
        number += 1
        let store = try filled(stage)
        isCutOff = try cutOff(store, model, atReport: number)
        if isCutOff {
          let old = try stage.open(things().make(), on: [store])
          try EvolutionThings.expect(old.context, count: few)
          try change(old.context)
          old.close()
          let new = try stage.open(model, on: [store])
          try expectChanges(new.context)
          try new.reopen()
          try expectChanges(new.context)
          new.close()
        }
      }
      try expect(number > 3, "it was cut off at \(number - 1) reports")
    },
    ConformanceCase(
      .evolution, "interrupted-reinserted",
      "records that were inserted again as they were, after a migration was cut off, have all values (M25, M50)",
      needs: [.reopening, .evolution]
    ) { stage in
      let model = things { thing in
        thing.attribute("size").defaultValue = 8
        thing.attribute("size").isOptional = false
        thing.rename("note", to: "remark")
      }.make()
      var isCutOff = true
      var number = 0
      while isCutOff {
        number += 1
        let store = try filled(stage)
        isCutOff = try cutOff(store, model, atReport: number)
        guard isCutOff else { continue }
        let old = try stage.open(things().make(), on: [store])
        try insertAgain(old)
        old.close()
        let new = try stage.open(model, on: [store])
        try EvolutionThings.expect(
          new.context, renamed: ["note": "remark"], except: ["size"], count: few)
        for (index, thing) in try new.context.all("Thing").enumerated() {
          try expectEqual(
            try thing.number("size"), EvolutionThings.size(index) ?? 8,
            "the size after \(number) reports")
        }
        new.close()
      }
    },
    ConformanceCase(
      .evolution, "interrupted-removals",
      "what a migration that was cut off has not removed or indexed, the next opening does (M25, M31, M50)",
      needs: [.reopening, .evolution]
    ) { stage in
      let model = things { thing in
        thing.attribute("note").isOptional = false
        thing.attribute("note").defaultValue = "none"
        thing.drop("code")
        thing.drop("size")
        thing.indexes = [
          FetchIndexDescription(
            name: "byNote",
            elements: [FetchIndexElementDescription(property: thing.attribute("note"))])
        ]
      }.make()
      var isReached = true
      var number = 0
      while isReached {
        number += 1
        let store = try filled(stage)
        isReached = try migrate(store, model, cutOffAt: number).isReached
        for _ in 0..<2 {
          let new = try stage.open(model, on: [store])
          try EvolutionThings.expect(new.context, except: ["note", "code", "size"], count: few)
          try expectEqual(
            try new.context.names("Thing", "note == 'none'"),
            EvolutionThings.names(of: few) { EvolutionThings.note($0) == nil })
          try expect(!new.hasDeferredMigration, "nothing is left after report \(number)")
          new.close()
        }
      }
    },
  ]

  /// Returns a new store of the old version, whose migration is divided.
  private static func filled(_ stage: ConformanceStage) throws -> PersistentStoreDescription {
    let stack = try stage.open(things().make())
    try EvolutionThings.fill(stack.context, count: few)
    try stack.context.save()
    stack.close()
    return divided(stack.stores[0])
  }

  /// Deletes all records but the first, and inserts them again with the same values under the same IDs.
  private static func insertAgain(_ stack: ConformanceStack) throws {
    var ids: [Int: ObjectID] = [:]
    for index in 1..<few {
      let object = try stack.context.named("Thing", EvolutionThings.name(index))
      ids[index] = object.objectID
      stack.context.delete(object)
    }
    try stack.context.save()
    let context = stack.makeContext()
    for (index, id) in ids {
      let object = try context.insert("Thing")
      for (key, value) in EvolutionThings.values(index) { try object.set(key, value) }
      context.makePermanent(object, as: id)
    }
    try context.save()
  }

  /// Migrates a store, and ends that at a report.
  ///
  /// - Returns: Whether there were so many.
  private static func cutOff(
    _ store: PersistentStoreDescription, _ model: ManagedObjectModel, atReport number: Int
  ) throws -> Bool {
    try !migrate(store, model, cutOffAt: number).isMigrated
  }

  private static func migrate(
    _ store: PersistentStoreDescription, _ model: ManagedObjectModel, cutOffAt number: Int
  ) throws -> (isMigrated: Bool, isReached: Bool) {
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    let reports = Notes<MigrationProgress>()
    coordinator.migrations.observe { report in
      reports.add(report)
      if reports.all.count == number { throw CancellationError() }
    }
    do {
      let added = try coordinator.addPersistentStore(with: store)
      try coordinator.remove(added)
      return (true, reports.all.count >= number)
    } catch let error as PersistenceError where error.code == .migrationCancelled {
      return (false, true)
    }
  }

  private static func change(_ context: ManagedObjectContext) throws {
    for object in try context.all("Thing", "name == 't001' OR name == 't003'") {
      try object.set("size", nil)
      try object.set("note", "later")
    }
    for object in try context.all("Thing", "name == 't002'") { context.delete(object) }
    try context.make("Thing", ["name": "new"])
    try context.save()
  }

  private static func expectChanges(_ context: ManagedObjectContext) throws {
    let all = few
    try expectEqual(try context.names("Thing", "name != nil").count, all, "the things")
    try expectEqual(try context.names("Thing", "name == 't002'"), [], "what was deleted")
    try expectEqual(
      try context.names("Thing", "note == 'later' AND size == 8"), ["t001", "t003"],
      "what was changed")
    try expectEqual(
      try context.names("Thing", "name == 'new' AND note == 'none' AND size == 8"), ["new"],
      "what was inserted")
    try expectEqual(try context.names("Thing", "more == 0.1").count, all, "the new values")
  }
}
