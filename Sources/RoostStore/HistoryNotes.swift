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
  /// When it is, in seconds since 2001-01-01 00:00 UTC.
  public var time: Double
  /// The relationships of records that have other destinations although their rows stay as they are, and those of rows
  /// that are changed besides: names by key.
  public var relationships: [Int64: [String]]
  /// The rows of deleted records that have attributes whose values outlive them, in the versions in which they are
  /// deleted.
  public var lastRows: [Row]
  /// What was there before: for a history that keeps it; nil for others.
  package var previous: PreviousState?
  /// The numbers of the transactions that this one takes back; only where the history keeps what was there before.
  package var reverted: [Int64] = []
  /// The coordinator that saves: a number that it has drawn; 0 for none.
  package var writer: UInt64 = 0
  /// The save, where it writes to more than one store; nil for others.
  package var save: CommonSave?
  /// The undo group that was open during the save; nil for none.
  package var undoGroup: UUID?
  /// The records of a batch request that are in no list of the change set; nil for none.
  package var batch: BatchRecords?

  /// Makes notes.
  ///
  /// - Parameters:
  ///   - time: When it is.
  ///   - relationships: The relationships that have other destinations: names by key.
  ///   - lastRows: The rows of deleted records of which something is kept.
  public init(time: Double, relationships: [Int64: [String]] = [:], lastRows: [Row] = []) {
    self.time = time
    self.relationships = relationships
    self.lastRows = lastRows
  }
}
