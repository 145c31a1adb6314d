// SPDX-License-Identifier: Apache-2.0

/// A deferred step of a migration. It frees space or makes requests faster, and has no influence on the results of
/// reads.
///
/// A step refers to identifiers, table numbers and codes, which a store never reuses. So it keeps its meaning for as
/// long as it is pending, and is idempotent.
package struct DeferredStep: Codable, Hashable, Sendable {
  /// The kind of a deferred step.
  package enum Kind: String, Codable, Sendable {
    /// An unused column is dropped.
    case column
    /// An unused table is emptied and dropped.
    case table
    /// The records of a removed entity are deleted.
    case records
    /// A non-unique index is built.
    case index
  }

  package var kind: Kind
  /// The identifier or number of a table, an entity code, or the name of an index.
  package var place: String
  /// The identifier of a column.
  package var part: String?
  /// The last processed key, in steps that run in batches and do not delete what they process.
  package var position: Int64?
  /// True if the step was left without a request to defer it, because a migration ended before it was done or an
  /// index is built in several transactions: the next opening performs it.
  package var isOverdue: Bool?

  package init(_ kind: Kind, _ place: String, part: String? = nil, isOverdue: Bool = false) {
    self.kind = kind
    self.place = place
    self.part = part
    if isOverdue { self.isOverdue = true }
  }
}

extension StoreMetadata {
  /// Whether a migration has deferred steps pending: space to be freed, or an index to be built. Reads are correct
  /// meanwhile.
  ///
  /// Core Data's programs ask for the key `NSPersistentStoreDeferredLightweightMigrationOptionKey` of the metadata.
  public var hasDeferredMigration: Bool { !(deferredSteps ?? []).isEmpty }

  /// Whether deferred removals must run before the store is migrated to another version.
  package var hasDeferredRemovals: Bool {
    (deferredSteps ?? []).contains { $0.kind != .index }
  }

  /// The number of steps that an opening performs.
  package var overdueStepCount: Int {
    (deferredSteps ?? []).count { $0.isOverdue == true }
  }

  /// Returns the next step. Before another evolution, indexes are skipped.
  package func nextDeferredStep(isEvolving: Bool) -> DeferredStep? {
    (deferredSteps ?? []).first { !isEvolving || $0.kind != .index }
  }

  /// Removes a completed step.
  package mutating func removeDeferredStep(_ step: DeferredStep) {
    setDeferredSteps((deferredSteps ?? []).filter { $0 != step })
  }

  /// Replaces the pending steps.
  package mutating func setDeferredSteps(_ steps: [DeferredStep]) {
    deferredSteps = steps.isEmpty ? nil : steps
  }

  /// The names of the indexes that are not built yet.
  package var deferredIndexes: Set<String> {
    Set((deferredSteps ?? []).lazy.filter { $0.kind == .index }.map(\.place))
  }
}
