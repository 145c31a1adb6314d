// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The cases of `--evolution`: a store that is opened with one version of the model after the other, beside tables that
/// are changed by hand.
struct EvolutionRun {
  let engine: any Engine
  let data: SampleData

  /// - Parameter rounds: How often each case is measured.
  func run(rounds: Int, progress: Progress) throws -> [ComparedResult<EvolutionWork>] {
    var found = ComparedResults<EvolutionWork>(engine.kind)
    for round in 0..<rounds where !Interruption.isRequested {
      progress.note("\(engine.kind.title): versions, round \(round + 1) of \(rounds)")
      try evolve(&found)
      try changeByHand(&found)
      if engine.kind == .postgresql {
        progress.note("\(engine.kind.title): online, round \(round + 1) of \(rounds)")
        try changeOnline(&found)
      }
    }
    return found.all
  }

  private func evolve(_ found: inout ComparedResults<EvolutionWork>) throws {
    let stage = try Stage(engine, data)
    try stage.clear()
    try stage.fill()
    try stage.close()
    try openUnchanged(&found)
    let next = try PersistentContainer(
      name: "bench", model: BenchVersions.model(after: .add), stores: [engine.storeDescription])
    found.add(
      try time { _ = try next.migrationPlan(for: engine.storeDescription) }, to: .plan)
    for work in [EvolutionWork.add, .rename, .remove, .toMany] {
      found.add(try open(after: work), to: work)
    }
    let source = try BenchVersions.model(after: .toMany)
    let mapping = MappingModels(
      [
        try MappingModel.inferredMappingModel(
          forSourceModel: source, destinationModel: BenchVersions.model(after: .mapped))
      ], sourceModels: [source])
    if EvolutionWork.mapped.beside(engine.kind) != nil {
      found.add(try copy(after: .toMany), besides: .mapped)
    }
    found.add(try open(after: .mapped, by: mapping), to: .mapped)
    try follow(&found)
    let description = try engine.storeDescription
    try description.type.driver.destroy(description)
  }

  /// Compares openings that find nothing to migrate with those that look for nothing, in turns.
  private func openUnchanged(_ found: inout ComparedResults<EvolutionWork>) throws {
    var (ours, others): ([Double], [Double]) = ([], [])
    for _ in 0..<7 {
      ours.append(try open(after: nil))
      others.append(try open(after: nil, refusing: true))
    }
    found.add(ours.min() ?? 0, to: .unchanged)
    found.add(others.min() ?? 0, besides: .unchanged)
  }

  /// Does the same as a policy for each person, which asks for the new object and sets a value.
  private func follow(_ found: inout ComparedResults<EvolutionWork>) throws {
    let source = try BenchVersions.model(after: .mapped)
    let mapping = try MappingModel.inferredMappingModel(
      forSourceModel: source, destinationModel: BenchVersions.model(after: .policy))
    for entity in mapping.entityMappings where entity.sourceEntityName == "Person" {
      entity.entityMigrationPolicy = TitlePolicy.self
    }
    if EvolutionWork.policy.beside(engine.kind) != nil {
      found.add(try copy(after: .mapped), besides: .policy)
    }
    found.add(
      try open(after: .policy, by: MappingModels([mapping], sourceModels: [source])), to: .policy)
  }

  func time(_ body: () throws -> Void) rethrows -> Double {
    let meter = Meter()
    try meter.measure(body)
    return meter.milliseconds
  }

  /// The milliseconds that it takes to open the store with a version, and to ask it for a key.
  func open(
    after work: EvolutionWork?, by migration: (any StoreMigration)? = nil, refusing: Bool = false
  ) throws -> Double {
    let model = try BenchVersions.model(after: work)
    var description = try engine.storeDescription
    description.migration = migration
    if refusing { description.evolution = .refuse }
    let container = try PersistentContainer(name: "bench", model: model, stores: [description])
    let milliseconds = try time {
      try container.loadPersistentStores()
      let context = container.newBackgroundContext()
      let request = FetchRequest<ObjectID>(entityName: "Department").limit(1)
      guard try context.fetch(request).count == 1 else {
        throw BenchError("The store lost its records when its model changed.")
      }
    }
    try close(container)
    return milliseconds
  }

  /// The milliseconds that it takes to copy the store as it is.
  private func copy(after work: EvolutionWork) throws -> Double {
    let description = try engine.storeDescription
    let container = try PersistentContainer(
      name: "bench", model: BenchVersions.model(after: work), stores: [description])
    try container.loadPersistentStores()
    let coordinator = container.persistentStoreCoordinator
    guard let store = coordinator.persistentStores.first, let url = description.url else {
      return 0
    }
    let place = url.appendingPathExtension("copy")
    let milliseconds = try time {
      _ = try coordinator.migratePersistentStore(store, to: place, type: description.type)
    }
    try close(container)
    var copied = description
    copied.url = place
    try description.type.driver.destroy(copied)
    return milliseconds
  }

  func close(_ container: PersistentContainer) throws {
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  // MARK: - By hand

  private func changeByHand(_ found: inout ComparedResults<EvolutionWork>) throws {
    let raw = try RawStage(engine, data)
    defer { raw.close() }
    if let database = raw.database as? RawLMDB {
      try raw.fill()
      found.add(try time { try database.makeToMany() }, besides: .toMany)
      try database.dropLists()
      return try raw.database.clear()
    }
    guard let database = raw.database as? any StatementDatabase else { return }
    try raw.fill()
    if let database = raw.database as? RawSQLite {
      found.add(try time { try database.lookAtVersion(1_000) } / 1_000, to: .epoch)
      found.add(try time { try database.delete(data) }, besides: .epoch)
    }
    try database.execute(["DROP TABLE IF EXISTS person_departments"])
    for (work, statements) in Self.statements {
      raw.close()
      let milliseconds = try time {
        try raw.reopen()
        guard let database = raw.database as? any StatementDatabase else { return }
        try database.execute(["BEGIN"] + statements + ["COMMIT"])
      }
      found.add(milliseconds, besides: work)
    }
    try raw.database.clear()
  }

  private static let statements: [(EvolutionWork, [String])] = [
    (.add, ["ALTER TABLE person ADD COLUMN grade INTEGER DEFAULT 1"]),
    (.rename, ["ALTER TABLE person RENAME COLUMN bio TO biography"]),
    (.remove, ["ALTER TABLE person DROP COLUMN biography"]),
    (
      .toMany,
      [
        """
        CREATE TABLE person_departments (person BIGINT NOT NULL, department BIGINT NOT NULL,
        PRIMARY KEY (person, department))
        """,
        """
        INSERT INTO person_departments SELECT id, department FROM person
        WHERE department IS NOT NULL ORDER BY id
        """,
        "CREATE INDEX person_departments_back ON person_departments (department, person)",
        "DROP INDEX person_department",
        "ALTER TABLE person DROP COLUMN department",
      ]
    ),
  ]
}

/// Gives each person a title that its old name says.
final class TitlePolicy: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    let made = manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: [source])
    let name = try source.value(forKey: "fullName") as? String ?? ""
    try made.first?.setValue("Dr. " + name, forKey: "title")
  }
}

/// An engine that is told what to do by statements.
protocol StatementDatabase: RawDatabase {
  func execute(_ statements: [String]) throws
}

extension RawSQLite: StatementDatabase {
  func execute(_ statements: [String]) throws {
    for statement in statements { try execute(statement) }
  }
}

extension RawSQLite {
  /// Reads the number of the version as often as it is said, as each transaction of a store does once.
  func lookAtVersion(_ count: Int) throws {
    let statement = try prepare("PRAGMA user_version")
    for _ in 0..<count {
      _ = try statement.step()
      statement.reset()
    }
  }
}

extension RawPostgreSQL: StatementDatabase {
  func execute(_ statements: [String]) throws {
    for statement in statements { try run(statement) }
  }
}
