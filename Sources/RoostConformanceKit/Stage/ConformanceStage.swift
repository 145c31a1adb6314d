// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostStore

/// What a case plays on: it makes stacks on stores of the harness, and clears everything away afterwards.
///
/// ```swift
/// let both = try stage.open(model, on: [stage.makeStore(), stage.makeReferenceStore()])
/// ```
public final class ConformanceStage {
  /// The store under test.
  public let harness: any ConformanceHarness
  /// What is done when the case is over.
  package let mode: ConformanceMode
  /// The stores of other kinds that stand beside the one under test.
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

  /// How many stores a case over several of them has: as many as there are kinds.
  package var storeCount: Int { max(2, companions.count + 1) }

  /// Whether all stores of the stage can be opened again.
  package var isReopenable: Bool {
    harness.isReopenable && companions.allSatisfy(\.isReopenable)
  }

  /// Opens an empty store with a model.
  ///
  /// - Parameter model: The model; it is in use afterwards.
  /// - Throws: What the coordinator throws.
  public func open(_ model: ManagedObjectModel) throws -> ConformanceStack {
    try open(model, on: [makeStore()])
  }

  /// Opens stores with a model.
  ///
  /// - Parameter stores: What ``makeStore()`` made, in the order of adding.
  /// - Throws: What the coordinator throws.
  public func open(
    _ model: ManagedObjectModel, on stores: [PersistentStoreDescription]
  ) throws -> ConformanceStack {
    let stack = try ConformanceStack(model: model, stores: stores, stage: self)
    stacks.append(stack)
    return stack
  }

  /// Describes an empty store that is removed when the case is over. Where stores of other kinds stand beside the one
  /// under test, they take turns with it.
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

  /// Opens an empty store that announces what is written to it.
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

  /// Closes what is open and removes the stores. In ``ConformanceMode/reopening`` every store is opened again
  /// before, and must hold what it held.
  ///
  /// - Throws: What went wrong, also when a store cannot be removed.
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

  /// Closes what is open and removes the stores, whatever happened.
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

  /// What could not be cleared away.
  private var leftovers: [String] = []
}
