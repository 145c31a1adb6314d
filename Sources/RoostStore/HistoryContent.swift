// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a transaction did, and who made it, in the form in which stores keep it: one run of bytes, in which records
/// whose keys follow each other take next to nothing.
///
/// ```swift
/// guard let content = try HistoryContent(changes, of: schema) else { return }  // nothing was changed
/// try append(content.bytes)
/// ```
public struct HistoryContent: Sendable {
  /// The content as a store keeps it.
  public let bytes: [UInt8]
  /// Who saved.
  public let origin: StoreChangeSet.Origin
  /// The program that saved: the name of its executable.
  public let bundleID: String
  /// The process that saved: the name of its executable and its number.
  public let processID: String
  /// The coordinator that saved: a number that it has drawn; 0 for none.
  package let writer: UInt64
  /// Where the changes begin.
  let start: Int
  /// Whether the values from before the transaction are kept, too: ``StoreRecordChange/previous``.
  public let hasPreviousValues: Bool
  /// The numbers of the transactions that this one takes back.
  public let revertedNumbers: [Int64]
  /// What the transactions of one save in several stores have in common; nil for that of a save in one store.
  public var saveID: UUID? { save?.id.uuid }
  package let save: CommonSave?
  /// What the transactions of one undo group over several saves have in common; nil for none.
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
