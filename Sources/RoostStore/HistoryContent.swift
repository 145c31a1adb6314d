// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The encoded content of a history transaction: its changes and its origin. Records with consecutive keys take
/// almost no space.
///
/// ```swift
/// guard let content = try HistoryContent(changes, of: schema) else { return }  // nothing was changed
/// try append(content.bytes)
/// ```
public struct HistoryContent: Sendable {
  /// The encoded content, as stored.
  public let bytes: [UInt8]
  /// The author and the context of the save.
  public let origin: StoreChangeSet.Origin
  /// The program that saved: the name of its executable.
  public let bundleID: String
  /// The process that saved: the name of its executable and its number.
  public let processID: String
  /// The random number of the saving coordinator; 0 for none.
  package let writer: UInt64
  /// The offset of the changes in ``bytes``.
  let start: Int
  /// Whether previous values are kept, too: ``StoreRecordChange/previous``.
  public let hasPreviousValues: Bool
  /// The numbers of the transactions that this one reverts.
  public let revertedNumbers: [Int64]
  /// The identifier shared by the transactions of one save over several stores; nil for a save to one store.
  public var saveID: UUID? { save?.id.uuid }
  package let save: CommonSave?
  /// The identifier shared by the transactions of one undo group over several saves; nil for none.
  package let undoGroup: UUID?

  init(
    bytes: [UInt8], origin: StoreChangeSet.Origin, bundleID: String, processID: String,
    writer: UInt64, start: Int, hasPreviousValues: Bool,
    revertedNumbers: [Int64], save: CommonSave?, undoGroup: UUID?
  ) {
    self.bytes = bytes
    self.origin = origin
    self.bundleID = bundleID
    self.processID = processID
    self.writer = writer
    self.start = start
    self.hasPreviousValues = hasPreviousValues
    self.revertedNumbers = revertedNumbers
    self.save = save
    self.undoGroup = undoGroup
  }
}
