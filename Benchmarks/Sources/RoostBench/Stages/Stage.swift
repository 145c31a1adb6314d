// SPDX-License-Identifier: Apache-2.0

import Roost

/// A store with the data of the run, for one workload at a time.
final class Stage {
  let engine: any Engine
  let data: SampleData
  /// The kind of history that the store keeps.
  private let history: KeptHistory
  /// Measures the relevant parts of a workload.
  private(set) var meter = Meter()
  private(set) var container: PersistentContainer
  private var contexts: [ManagedObjectContext] = []

  init(_ engine: any Engine, _ data: SampleData, history: KeptHistory = .none) throws {
    self.engine = engine
    self.data = data
    self.history = history
    container = try Self.open(engine, history)
  }

  var extent: Extent { data.extent }

  /// Opens the store once more with a new coordinator, as a program does when it starts.
  ///
  /// - Parameter model: The model; a new one unless given, as when a program starts.
  func open(with model: ManagedObjectModel? = nil) throws -> PersistentContainer {
    try Self.open(engine, history, model)
  }

  private static func open(
    _ engine: any Engine, _ history: KeptHistory, _ model: ManagedObjectModel? = nil
  ) throws -> PersistentContainer {
    var description = try engine.storeDescription
    history.apply(to: &description)
    let container = try PersistentContainer(
      name: "bench", model: try model ?? BenchModel.make(), stores: [description])
    try container.loadPersistentStores()
    return container
  }

  /// Makes a context, which is kept until the store is reopened: objects whose context is gone have no values.
  func newContext() -> ManagedObjectContext {
    let context = container.newBackgroundContext()
    contexts.append(context)
    return context
  }

  /// Measures a part of a workload, and counts its requests to the store.
  func measure<Result>(_ body: () throws -> Result) rethrows -> Result {
    let coordinator = container.persistentStoreCoordinator
    let before = coordinator.counters
    defer { meter.counters = meter.counters + (coordinator.counters - before) }
    return try meter.measure(body)
  }

  /// Closes the store, opens it again and reads one key: no row is cached, no statement is prepared, and opening is
  /// not part of the measurement.
  func reopen() throws {
    try close()
    container = try open()
    let request = FetchRequest<ObjectID>(entityName: "Department")
    _ = try newContext().fetch(request.limit(1))
  }

  /// Begins a measurement.
  func startMeter(counting: Meter.Counting = .nothing) {
    meter = Meter(counting: counting)
  }

  /// Makes the store empty.
  func clear() throws {
    try close()
    let description = try engine.storeDescription
    try description.type.driver.destroy(description)
    container = try open()
  }

  func close() throws {
    contexts = []
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
