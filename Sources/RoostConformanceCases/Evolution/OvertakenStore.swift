// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// A store that another program writes to after it was opened, and before it is prepared for a model.
private final class OvertakenStore: ForwardingStore, @unchecked Sendable {
  // Sendable: constant.
  private let meanwhile: Meanwhile

  init(_ base: any PersistentStore, _ meanwhile: Meanwhile) {
    self.meanwhile = meanwhile
    super.init(base)
  }

  override func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    try meanwhile.body()
    try super.prepare(schema, metadata: metadata)
  }
}

/// The writes of the other program.
private final class Meanwhile: @unchecked Sendable {
  // Sendable: one thread opens the store, and no other one uses the object.
  let body: () throws -> Void

  init(_ body: @escaping () throws -> Void) {
    self.body = body
  }
}

extension PersistentStoreDescription {
  /// The same store, in whose opening another program writes to it.
  ///
  /// - Parameter write: Writes to the store; called once in each opening.
  func overtaken(by write: @escaping () throws -> Void) -> PersistentStoreDescription {
    let meanwhile = Meanwhile(write)
    return forwarded { OvertakenStore($0, meanwhile) }
  }
}
