// SPDX-License-Identifier: Apache-2.0

/// Something that a migration has left for later: what frees space or makes requests faster, and decides nothing about
/// what is read.
///
/// A step names what it concerns by what is never given again in a store: identifiers, numbers of tables, codes. So it
/// means the same for as long as it is pending, and to do it twice changes nothing.
package struct DeferredStep: Codable, Hashable, Sendable {
  /// What is done.
  package enum Kind: String, Codable, Sendable {
    /// A column that nothing uses any more is removed.
    case column
    /// A table that nothing uses any more is emptied and removed.
    case table
    /// The records of an entity that is gone are removed.
    case records
    /// An index that is not unique is built.
    case index
  }

  package var kind: Kind
  /// The identifier of a table, the number of a table, a code, or what names an index.
  package var place: String
  /// The identifier of a column.
  package var part: String?
  /// The last key that is done, in steps that are carried out in portions and do not remove what they have done.
  package var position: Int64?

  package init(_ kind: Kind, _ place: String, part: String? = nil) {
    self.kind = kind
    self.place = place
    self.part = part
  }
}

extension StoreMetadata {
  /// Whether a migration has left something to be done: space to be freed, or an index to be built. Whatever is read is
  /// right meanwhile.
  ///
  /// Core Data's programs ask for the key `NSPersistentStoreDeferredLightweightMigrationOptionKey` of the metadata.
  public var hasDeferredMigration: Bool { !(deferredSteps ?? []).isEmpty }

  /// Whether something is to be removed before the store is brought to a further version.
  package var hasDeferredRemovals: Bool {
    (deferredSteps ?? []).contains { $0.kind != .index }
  }

  /// The next step; indexes are none of those before a further evolution.
  package func nextDeferredStep(isEvolving: Bool) -> DeferredStep? {
    (deferredSteps ?? []).first { !isEvolving || $0.kind != .index }
  }

  /// Takes a step that was done away.
  package mutating func removeDeferredStep(_ step: DeferredStep) {
    setDeferredSteps((deferredSteps ?? []).filter { $0 != step })
  }

  /// Replaces what is pending.
  package mutating func setDeferredSteps(_ steps: [DeferredStep]) {
    deferredSteps = steps.isEmpty ? nil : steps
  }

  /// The places of the indexes that are not built yet.
  package var deferredIndexes: Set<String> {
    Set((deferredSteps ?? []).lazy.filter { $0.kind == .index }.map(\.place))
  }
}
