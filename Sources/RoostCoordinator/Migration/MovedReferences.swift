// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The references of other stores to a store whose records were moved to another one (X50).
///
/// Each referring store is rewritten in a transaction of its own. So both ends of the move record it: a process may
/// be killed between two transactions, and stores that are not attached during the move are rewritten when they are
/// attached together with the new store (``follow(with:in:)``).
struct MovedReferences {
  /// The UUID of the old store, and the translation of its keys.
  private let move: StoreSuccession
  /// The UUID of the new store.
  private let destination: String

  private typealias Change = (number: Int64, reference: ForeignReference)

  private init(_ move: StoreSuccession, to destination: String) {
    (self.move, self.destination) = (move, destination)
  }

  // MARK: - Moving

  /// Rewrites the foreign references of stores to the records of a new store.
  ///
  /// - Parameters:
  ///   - stores: The stores that may refer to the old one.
  ///   - old: The store whose records were copied.
  ///   - new: The store that holds the copies.
  ///   - translation: The translation of keys from the old store to the new one.
  /// - Throws: `readOnlyStore` for a store that refers to the old one and cannot be written, or the error of a store;
  ///   then all references are restored.
  static func rewrite(
    in stores: [AttachedStore], from old: AttachedStore, to new: AttachedStore,
    _ translation: KeyTranslation
  ) throws {
    guard old.schema.model.hasRelationshipsAcrossStores else { return }
    let (source, destination) = (old.identity.identifier, new.identity.identifier)
    let moved = MovedReferences(translation.succession(of: source), to: destination)
    let concerned = try stores.filter { try !moved.references(of: $0).isEmpty }
    guard !concerned.isEmpty else { return }
    // After a crash, a program that opens the old store finds which references must be restored.
    try old.note(successor: translation.succession(of: destination))
    var written: [(store: AttachedStore, former: [Change])] = []
    do {
      for store in concerned { written.append((store, try moved.rewrite(in: store))) }
    } catch {
      for (store, former) in written { try? store.rewriteForeign(former) }
      try? old.note(successor: nil)
      throw error
    }
    // Done: only the new store keeps a record of the move.
    try? old.note(successor: nil)
  }

  // MARK: - Following

  /// Rewrites references after a store was added: references of other stores to stores that it has replaced, and its
  /// own references to stores that others have replaced. Where both ends of a move are attached, no reference is
  /// changed.
  ///
  /// - Complexity: No store is asked unless one of them has moved.
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

  /// - Returns: The references that were rewritten, with their former values.
  private func rewrite(in store: AttachedStore) throws -> [Change] {
    let former = try references(of: store)
    let changes = former.compactMap { number, reference -> Change? in
      guard let key = move.key(of: reference.key) else { return nil }
      var reference = reference
      (reference.store, reference.key) = (destination, key)
      return (number, reference)
    }
    guard !changes.isEmpty else { return [] }
    // A record has one number: the second one of a record that was already followed is left alone, and dangles.
    let known = try store.foreignNumbers(of: changes.map(\.reference))
    try store.rewriteForeign(zip(changes, known).compactMap { $1 == nil ? $0 : nil })
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
  /// The moves whose records are in this store now: moves to it, and unfinished moves away from it.
  fileprivate var moves: [StoreSuccession] {
    let metadata = store.metadata
    let away = metadata.successor.map { [$0.reversed(from: $0.identifier)] } ?? []
    return (metadata.predecessors ?? []) + away
  }

  /// Records the store to which the records are being moved. A read-only store cannot record it.
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
