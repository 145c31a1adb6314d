// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

extension KeyValueStore: StoreEvolution {
  /// The store itself: it supports migration.
  public var evolution: (any StoreEvolution)? { self }

  /// The text of the model as it was written with the metadata; nil in stores of earlier versions.
  public func storedModel() throws -> [UInt8]? {
    try checkOpen()
    let text = try engine.reading { try $0.blob(named: KeyValueStore.modelName) }
    guard text?.count ?? 0 <= KeyValueStore.longestModelText else {
      throw PersistenceError(
        .corruptStore, "The text of the store's model is longer than any that is written.",
        store: identity.identifier)
    }
    return text
  }

  /// No model has a longer text.
  private static let longestModelText = 16 << 20

  /// Returns the steps of a migration. Records are counted where some are dropped or get other values.
  public func steps(of change: SchemaChange) throws -> [MigrationPlan.Step] {
    try checkOpen()
    var steps: [MigrationPlan.Step] = []
    try engine.read(as: change.source) { snapshot in
      steps = try EvolutionRun(
        change, over: snapshot, in: engine, batches: description.evolution.batches,
        cancellation: cancellation
      ).check()
    }
    return steps
  }

  /// Migrates the store in one transaction of the engine. Indexes of many records are filled afterwards, in further
  /// ones.
  public func evolve(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool {
    try checkOpen()
    try requireWritable("cannot be brought to another version of its model")
    guard try engine.reading({ try isOf(change, $0) }) else { return false }
    let evolution = RunningEvolution(metadata, reporter)
    do {
      try engine.evolve(
        change,
        by: EvolutionWork(
          write: { try self.write(change, evolution, over: $0, to: &$1, handingOver: $2) },
          verify: { try evolution.run?.verify(self.description.evolution.verify, $0, $1) }))
    } catch {
      // Another process may have migrated the store, so that this one could not read it.
      guard (try? engine.reading({ try isOf(change, $0) })) == false else { throw error }
      return false
    }
    guard evolution.run != nil else { return false }
    remember(evolved: evolution.metadata, as: evolution.bytes)
    build(evolution.indexes, evolution.current)
    return true
  }

  /// The state of an evolution while it runs.
  private final class RunningEvolution {
    let target: StoreMetadata
    var metadata: StoreMetadata
    var bytes: [UInt8] = []
    let reporter: RepeatedReporter
    /// The reporter of the last attempt.
    var current = MigrationReporter()
    /// The indexes that are filled after the version has changed.
    var indexes: [PlannedStep] = []
    /// The run; nil when another process was faster.
    var run: EvolutionRun?

    init(_ metadata: StoreMetadata, _ reporter: MigrationReporter) {
      target = metadata
      self.metadata = metadata
      self.reporter = RepeatedReporter(reporter)
    }
  }

  private func write(
    _ change: SchemaChange, _ evolution: RunningEvolution, over snapshot: any KeyValueSnapshot,
    to batch: inout WriteBatch, handingOver: @escaping (inout WriteBatch) throws -> Void
  ) throws {
    // Checked first in the transaction: another process may have been faster (M33).
    evolution.run = nil
    guard try isOf(change, snapshot) else { return }
    // A prepared part is encoded for the old version of the model.
    if let part = try SaveRecords.parts(in: snapshot).first {
      throw part.inDoubt(in: identity.identifier)
    }
    let run = try EvolutionRun(
      change, over: snapshot, in: engine, batches: description.evolution.batches,
      defers: description.evolution.defersLightweightMigration, cancellation: cancellation)
    evolution.run = run
    evolution.indexes = run.defers ? [] : run.plannedSteps().filter(run.isLeft)
    var output = EvolutionOutput(change, handingOver)
    let reporter = evolution.reporter.next()
    evolution.current = reporter
    try run.write(to: &output, reporter: reporter)
    try cancellation.check()
    evolution.metadata = evolution.target
    // Programs may have changed the user values since they were read.
    evolution.metadata.userValues = try KeyValueStore.metadata(in: snapshot)?.userValues ?? [:]
    evolution.metadata.setDeferredSteps(run.deferredSteps())
    evolution.bytes = [UInt8](try evolution.metadata.json())
    output.batch.setBlob(evolution.bytes, named: KeyValueStore.metadataName)
    try writeModel(of: change.destination, evolution.metadata, over: snapshot, to: &output.batch)
    try output.batch.checkSizes()
    batch = output.batch
  }

  /// Fills indexes now that the version has changed. What fails or is cancelled here stays in the metadata as left for
  /// later.
  private func build(_ steps: [PlannedStep], _ reporter: MigrationReporter) {
    do {
      for planned in steps {
        guard case .index(let index) = planned.work else { continue }
        try reporter.begin(planned.step.title, records: Int64(planned.step.rows))
        var size = EntryPortionSize(description.evolution.batches)
        while true {
          let start = ContinuousClock.now
          let rows = try fillPortion(of: index, limit: size.records)
          guard rows > 0 else { break }
          size.adapt(seconds: start.duration(to: .now) / .seconds(1))
          try reporter.advance(by: Int64(rows))
        }
      }
    } catch {
      description.log?.remark(
        "The store was migrated, and indexes of its new version are not complete: \(error)")
    }
  }

  /// Whether the store still has the version that the change starts from.
  private func isOf(_ change: SchemaChange, _ snapshot: any KeyValueSnapshot) throws -> Bool {
    try KeyValueStore.metadata(in: snapshot)?.isSource(of: change) ?? false
  }
}
