// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The references of other stores to a store whose records are in another one by now (X50).
///
/// Each store is brought to the new place in a transaction of its own. So both ends of the move remember it: a process
/// may be killed between two of them, and stores that are not attached while the records are moved are brought there
/// when they are attached with the new store (``follow(with:in:)``).
struct MovedReferences {
  /// The UUID of the store that is referred to, and how its keys are those of the new one.
  private let move: StoreSuccession
  /// The UUID of the new one.
  private let destination: String

  private typealias Change = (number: Int64, reference: ForeignReference)

  private init(_ move: StoreSuccession, to destination: String) {
    (self.move, self.destination) = (move, destination)
  }

  // MARK: - Moving

  /// Lets the numbers of stores mean the records of a new store.
  ///
  /// - Parameters:
  ///   - stores: The stores that may refer to the old one.
  ///   - old: The store whose records were copied.
  ///   - new: The store that has them.
  ///   - translation: How keys of the old store are written in the new one.
  /// - Throws: `readOnlyStore` for a store that refers to the old one and cannot be written, or what a store throws;
  ///   then all refer to the old one again.
  static func rewrite(
    in stores: [AttachedStore], from old: AttachedStore, to new: AttachedStore,
    _ translation: KeyTranslation
  ) throws {
    guard old.schema.model.hasRelationshipsAcrossStores else { return }
    let (source, destination) = (old.identity.identifier, new.identity.identifier)
    let moved = MovedReferences(translation.succession(of: source), to: destination)
    let concerned = try stores.filter { try !moved.references(of: $0).isEmpty }
    guard !concerned.isEmpty else { return }
    // A program that opens the old store after a crash in between finds which references are to be brought back.
    try old.note(successor: translation.succession(of: destination))
    var written: [(store: AttachedStore, former: [Change])] = []
    do {
      for store in concerned { written.append((store, try moved.rewrite(in: store))) }
    } catch {
      for (store, former) in written { try? store.rewriteForeign(former) }
      try? old.note(successor: nil)
      throw error
    }
    // All is done: what is remembered for longer is only that the new store was the old one.
    try? old.note(successor: nil)
  }

  // MARK: - Following

  /// Brings references to where the records are, after a store was added: those of the others to stores that it has
  /// taken the place of, and its own to stores whose place others have taken. Where both ends of a move are attached,
  /// no reference is touched.
  ///
  /// - Complexity: Nothing is asked of any store unless one of them has moved.
  static func follow(with added: AttachedStore, in coordinator: PersistentStoreCoordinator) {
    guard coordinator.managedObjectModel.hasRelationshipsAcrossStores else { return }
    let stores = coordinator.attachedStores
    func isAttached(_ identifier: String) -> Bool {
      stores.contains { $0.identity.identifier == identifier }
    }
    let gate = coordinator.storeChanges.referenceGate
    for end in stores {
      let moves = end.moves.filter { !isAttached($0.identifier) }
      guard !moves.isEmpty else { continue }
      gate.lock()
      defer { gate.unlock() }
      for store in end === added ? stores : [added] where store !== end {
        for move in moves {
          do {
            _ = try MovedReferences(move, to: end.identity.identifier).rewrite(in: store)
          } catch {
            store.log.remark(
              "References to a store that was moved could not be brought to its new place: \(error)"
            )
          }
        }
      }
    }
  }

  // MARK: - One store

  /// - Returns: What was changed, as it was before.
  private func rewrite(in store: AttachedStore) throws -> [Change] {
    let former = try references(of: store)
    guard !former.isEmpty else { return [] }
    try store.rewriteForeign(
      former.compactMap { number, reference in
        guard let key = move.key(of: reference.key) else { return nil }
        var reference = reference
        (reference.store, reference.key) = (destination, key)
        return (number, reference)
      })
    return former
  }

  private func references(of store: AttachedStore) throws -> [Change] {
    var found: [Change] = []
    try store.forEachForeignReference(in: 1...ForeignNumber.largest) { number, reference in
      if reference.store == move.identifier { found.append((number, reference)) }
    }
    return found
  }
}

extension AttachedStore {
  /// The moves at whose end the records are in this store: to it, and away from it where that was not finished.
  fileprivate var moves: [StoreSuccession] {
    let metadata = store.metadata
    let away = metadata.successor.map { [$0.reversed(from: $0.identifier)] } ?? []
    return (metadata.predecessors ?? []) + away
  }

  /// Notes to which store the records are being moved. A store that is read only cannot remember it.
  fileprivate func note(successor: StoreSuccession?) throws {
    guard !isReadOnly else { return }
    var metadata = store.metadata
    metadata.successor = successor
    let changes = StoreChangeSet(metadata: metadata)
    guard case .committed = try requesting({ try $0.commit(changes) }) else { return }
    metadataWasWritten(metadata)
  }

  fileprivate func rewriteForeign(
    _ changes: [(number: Int64, reference: ForeignReference)]
  ) throws {
    defer { foreign.forget() }
    try requesting { try $0.foreignReferences?.rewrite(changes) }
  }
}
