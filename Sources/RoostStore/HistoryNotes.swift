// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import RoostModel

/// The metadata that a save adds to its transaction in the history: author, context name and the like.
///
/// The coordinator adds it to a change set whose store keeps a history.
///
/// ```swift
/// changes.notes = HistoryNotes(time: Date.now.timeIntervalSinceReferenceDate)
/// ```
public struct HistoryNotes: Sendable {
  /// The time of the save, in seconds since 2001-01-01 00:00 UTC.
  public var time: Double
  /// The relationships whose destinations change without a write to the relationship in the record's own row: names
  /// by record key.
  public var relationships: [Int64: [String]]
  /// The last rows of deleted records with attributes that are preserved on deletion.
  public var lastRows: [Row]
  /// The previous state, for a history that keeps previous values; nil for others.
  package var previous: PreviousState?
  /// The numbers of the transactions that this one reverts; only where the history keeps previous values.
  package var reverted: [Int64] = []
  /// The random number of the saving coordinator; 0 for none.
  package var writer: UInt64 = 0
  /// The save, when it writes to more than one store; nil for others.
  package var save: CommonSave?
  /// The undo group that was open during the save; nil for none.
  package var undoGroup: UUID?
  /// The records of a batch request that the change set does not list; nil for none.
  package var batch: BatchRecords?

  /// Makes notes.
  ///
  /// - Parameters:
  ///   - time: The time of the save.
  ///   - relationships: The names of relationships with changed destinations, by record key.
  ///   - lastRows: The last rows of deleted records with attributes that are preserved on deletion.
  public init(time: Double, relationships: [Int64: [String]] = [:], lastRows: [Row] = []) {
    self.time = time
    self.relationships = relationships
    self.lastRows = lastRows
  }
}
