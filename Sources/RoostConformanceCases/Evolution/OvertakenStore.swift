// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// A store that another program writes to after it was opened, and before it is prepared for a model or migrated.
private final class OvertakenStore: ForwardingStore, @unchecked Sendable {
  // Sendable: constant.
  private let meanwhile: Meanwhile

  init(_ base: any PersistentStore, _ meanwhile: Meanwhile) {
    self.meanwhile = meanwhile
    super.init(base)
  }

  override func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    if meanwhile.isBeforePreparing { try meanwhile.body() }
    try super.prepare(schema, metadata: metadata)
  }

  override var evolution: (any StoreEvolution)? {
    guard !meanwhile.isBeforePreparing, let evolution = super.evolution else {
      return super.evolution
    }
    return OvertakenEvolution(base: evolution, meanwhile: meanwhile)
  }
}

/// A migration before which, once it is planned, another program writes.
private struct OvertakenEvolution: StoreEvolution {
  let base: any StoreEvolution
  let meanwhile: Meanwhile

  func storedModel() throws -> [UInt8]? { try base.storedModel() }

  func steps(of change: SchemaChange) throws -> [MigrationPlan.Step] { try base.steps(of: change) }

  func evolve(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool {
    try meanwhile.body()
    return try base.evolve(change, to: metadata, reporter: reporter)
  }

  func finishDeferredStep(isEvolving: Bool) throws -> Bool {
    try base.finishDeferredStep(isEvolving: isEvolving)
  }

  var expansion: (any StoreExpansion)? { base.expansion }
}

/// The writes of the other program.
private final class Meanwhile: @unchecked Sendable {
  // Sendable: one thread opens the store, and no other one uses the object.
  let body: () throws -> Void
  /// Whether they are made before the store is prepared; before it is migrated otherwise.
  let isBeforePreparing: Bool

  init(isBeforePreparing: Bool, _ body: @escaping () throws -> Void) {
    self.isBeforePreparing = isBeforePreparing
    self.body = body
  }
}

extension PersistentStoreDescription {
  /// The same store, in whose opening another program writes to it.
  ///
  /// - Parameter write: Writes to the store; called once in each opening.
  func overtaken(by write: @escaping () throws -> Void) -> PersistentStoreDescription {
    let meanwhile = Meanwhile(isBeforePreparing: true, write)
    return forwarded { OvertakenStore($0, meanwhile) }
  }

  /// The same store, to which another program writes between the plan of each migration and its first transaction.
  ///
  /// - Parameter write: Writes to the store.
  func overtakenMigrating(by write: @escaping () throws -> Void) -> PersistentStoreDescription {
    let meanwhile = Meanwhile(isBeforePreparing: false, write)
    return forwarded { OvertakenStore($0, meanwhile) }
  }
}
