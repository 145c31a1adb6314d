// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostStore

/// The environment of a case: it makes stacks on stores of the harness, and removes all stores afterwards.
///
/// ```swift
/// let both = try stage.open(model, on: [stage.makeStore(), stage.makeReferenceStore()])
/// ```
public final class ConformanceStage {
  /// The store under test.
  public let harness: any ConformanceHarness
  /// The check at the end of the case.
  package let mode: ConformanceMode
  /// The stores of other kinds beside the one under test.
  private let companions: [any ConformanceHarness]
  private var storesMade = 0
  private var leavings: [() throws -> Void] = []
  private var stacks: [ConformanceStack] = []

  package init(
    harness: any ConformanceHarness, mode: ConformanceMode = .plain,
    beside companions: [any ConformanceHarness] = []
  ) {
    self.harness = harness
    self.mode = mode
    self.companions = companions
  }

  /// The number of stores in a case over several of them: one of each kind.
  package var storeCount: Int { max(2, companions.count + 1) }

  /// Whether all stores of the stage can be opened again.
  package var isReopenable: Bool {
    harness.isReopenable && companions.allSatisfy(\.isReopenable)
  }

  /// Opens an empty store with a model.
  ///
  /// - Parameter model: The model; it is in use afterwards.
  /// - Throws: The errors of the coordinator.
  public func open(_ model: ManagedObjectModel) throws -> ConformanceStack {
    try open(model, on: [makeStore()])
  }

  /// Opens stores with a model.
  ///
  /// - Parameter stores: Descriptions from ``makeStore()``, in the order of adding.
  /// - Throws: The errors of the coordinator.
  public func open(
    _ model: ManagedObjectModel, on stores: [PersistentStoreDescription]
  ) throws -> ConformanceStack {
    let stack = try ConformanceStack(model: model, stores: stores, stage: self)
    stacks.append(stack)
    return stack
  }

  /// Describes an empty store that is removed at the end of the case. With stores of other kinds beside the one under
  /// test, the kinds take turns.
  public func makeStore() throws -> PersistentStoreDescription {
    let kinds = [harness] + companions
    defer { storesMade += 1 }
    return try makeStore(of: kinds[storesMade % kinds.count])
  }

  /// Describes an empty store of another harness that is removed when the case is over.
  package func makeStore(of harness: any ConformanceHarness) throws -> PersistentStoreDescription {
    let store = try harness.makeEmptyStore()
    leavings.append { try harness.drop(store) }
    return store
  }

  /// Opens an empty store with notifications of remote changes.
  package func openAnnouncing(_ model: ManagedObjectModel) throws -> ConformanceStack {
    var store = try makeStore()
    try store.setOption(.boolean(true), forKey: StoreOption.remoteChangeNotification)
    return try open(model, on: [store])
  }

  /// Opens the stores of a stack once more, with a coordinator of its own, on the same model.
  package func openSame(_ stack: ConformanceStack) throws -> ConformanceStack {
    try open(stack.model, on: stack.stores)
  }

  /// Opens an empty store that keeps a history.
  package func openTracking(_ model: ManagedObjectModel) throws -> ConformanceStack {
    var store = try makeStore()
    try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
    return try open(model, on: [store])
  }

  /// Opens an empty store that keeps a history with previous values.
  package func openKeepingValues(_ model: ManagedObjectModel) throws -> ConformanceStack {
    var store = try makeStore()
    try store.setOption(.string("values"), forKey: StoreOption.historyLevel)
    return try open(model, on: [store])
  }

  /// Closes the stacks and removes the stores. In ``ConformanceMode/reopening`` every store is reopened first, and
  /// its content is compared.
  ///
  /// - Throws: The first error, also when a store cannot be removed.
  package func finish() throws {
    do {
      defer { clear() }
      for stack in stacks {
        let before = try stack.content()
        guard mode == .reopening, isReopenable, stack.isWhole else { continue }
        try stack.reopen()
        try StoreContent.expectSame(stack.content(), before)
      }
    }
    try expect(leftovers.isEmpty, "the store can be dropped, but \(leftovers)")
  }

  /// Closes the stacks and removes the stores, even after a failure.
  package func clear() {
    for stack in stacks { stack.close() }
    for leaving in leavings {
      do {
        try leaving()
      } catch {
        leftovers.append("\(error)")
      }
    }
    stacks = []
    leavings = []
  }

  /// Descriptions of stores that could not be removed.
  private var leftovers: [String] = []
}
