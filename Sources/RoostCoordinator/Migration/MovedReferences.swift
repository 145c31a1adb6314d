// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The references of other stores to a store whose records are in another one by now (X50).
///
/// The attached stores are brought to the new one, each in a transaction of its own; when one refuses, those before it
/// are brought back. Stores that are not attached keep their references to the old UUID, and so dangle when they are
/// attached without the old store.
struct MovedReferences {
  private let old: AttachedStore
  private let new: AttachedStore
  private let translation: KeyTranslation

  private typealias Change = (number: Int64, reference: ForeignReference)

  init(from old: AttachedStore, to new: AttachedStore, _ translation: KeyTranslation) {
    self.old = old
    self.new = new
    self.translation = translation
  }

  /// Lets the numbers of stores mean the records of the new store.
  ///
  /// - Parameters:
  ///   - stores: The stores that may refer to the old one.
  ///   - undo: What is done when a store refuses, before its error is thrown.
  /// - Throws: `readOnlyStore` for a store that refers to the old one and cannot be written, or what a store throws.
  func rewrite(in stores: [AttachedStore], orUndo undo: () -> Void) throws {
    guard old.schema.model.hasRelationshipsAcrossStores else { return }
    var written: [(store: AttachedStore, former: [Change])] = []
    do {
      for store in stores {
        let former = try references(of: store)
        guard !former.isEmpty else { continue }
        try store.rewriteForeign(
          former.map { number, reference in
            var reference = reference
            reference.store = new.identity.identifier
            reference.key = translation.translate(reference.key)
            return (number, reference)
          })
        written.append((store, former))
      }
    } catch {
      for (store, former) in written { try? store.rewriteForeign(former) }
      undo()
      throw error
    }
  }

  private func references(of store: AttachedStore) throws -> [Change] {
    var found: [Change] = []
    try store.forEachForeignReference(in: 1...ForeignNumber.largest) { number, reference in
      if reference.store == old.identity.identifier { found.append((number, reference)) }
    }
    return found
  }
}

extension AttachedStore {
  fileprivate func rewriteForeign(
    _ changes: [(number: Int64, reference: ForeignReference)]
  ) throws {
    defer { foreign.forget() }
    try requesting { try $0.foreignReferences?.rewrite(changes) }
  }
}
