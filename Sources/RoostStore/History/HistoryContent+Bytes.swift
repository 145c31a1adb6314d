// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension HistoryContent {
  /// The optional fields of a content, as its version byte encodes them.
  private struct Form: Hashable {
    /// Whether it contains previous values.
    var hasValues: Bool
    /// Whether it names the save over several stores that it belongs to.
    var hasSave: Bool
    /// Whether it names the undo group that it belongs to.
    var hasGroup: Bool

    init(hasValues: Bool, hasSave: Bool, hasGroup: Bool) {
      (self.hasValues, self.hasSave, self.hasGroup) = (hasValues, hasSave, hasGroup)
    }

    init(version: UInt8) throws {
      guard (1...8).contains(version) else { throw HistoryDamage() }
      let bits = version - 1
      self.init(hasValues: bits & 1 != 0, hasSave: bits & 2 != 0, hasGroup: bits & 4 != 0)
    }

    /// The version byte. A save in one store without an undo group has one of the first two versions, which all
    /// releases can read.
    var version: UInt8 { 1 + (hasValues ? 1 : 0) + (hasSave ? 2 : 0) + (hasGroup ? 4 : 0) }
  }

  /// Makes the content of a change set whose derived attributes have been computed.
  ///
  /// - Parameters:
  ///   - changes: The changes that the transaction writes.
  ///   - schema: The entities of the store.
  /// - Returns: nil when no record changes.
  /// - Throws: `transformation` when a tombstone value cannot be encoded, `limitExceeded` when the content is larger
  ///   than engines can hold as one value.
  /// - Complexity: O(records of the change set).
  public init?(_ changes: StoreChangeSet, of schema: StoreSchema) throws {
    let encoder = HistoryEncoder(changes, schema)
    guard !encoder.isEmpty else { return nil }
    try Self.checkChanges(encoder.count)
    let writerID = changes.notes?.writer ?? 0
    let (name, process) = (HistoryProcess.name, HistoryProcess.identifier)
    var writer = HistoryWriter()
    let reverted = changes.notes?.reverted ?? []
    let hasValues = changes.notes?.previous != nil || !reverted.isEmpty
    let (save, group) = (changes.notes?.save, changes.notes?.undoGroup)
    writer.bytes.append(
      Form(hasValues: hasValues, hasSave: save != nil, hasGroup: group != nil).version)
    writer.put(optional: changes.origin.author)
    writer.put(optional: changes.origin.contextName)
    writer.put(name)
    writer.put(process)
    writer.put(writerID)
    if let save { writer.put(save) }
    if let group { writer.put(group) }
    if hasValues {
      writer.put(UInt64(reverted.count))
      for number in reverted { writer.put(signed: number) }
    }
    let start = writer.bytes.count
    try encoder.write(to: &writer)
    try Self.checkSize(writer.bytes.count)
    self.init(
      bytes: writer.bytes + HistoryPacking.checksum(of: writer.bytes), origin: changes.origin,
      bundleID: name, processID: process, writer: writerID, start: start,
      hasPreviousValues: hasValues, revertedNumbers: reverted, save: save,
      undoGroup: group)
  }

  /// The maximum size of a transaction's content in bytes. SQLite holds at most 1,000,000,000 bytes in one value,
  /// PostgreSQL a little more.
  static let largestSize = 900_000_000

  /// Refuses a save whose changes could not be numbered.
  static func checkChanges(_ count: Int) throws {
    guard count > HistoryDecoder.limit else { return }
    throw PersistenceError(
      .limitExceeded,
      "One transaction of a history has \(HistoryDecoder.limit) changes at the most, not \(count)."
    ).remedied(by: "Save, change or delete fewer records at once.")
  }

  /// Refuses content that is too large for some engine, with the same error in all stores.
  static func checkSize(_ count: Int) throws {
    guard count > largestSize else { return }
    throw PersistenceError(
      .limitExceeded,
      "The history would keep \(count) bytes of one save, and keeps \(largestSize) at the most."
    ).remedied(
      by: "Save or delete fewer records at once, or keep the history without previous values.")
  }

  /// Reads content that a store has kept.
  ///
  /// - Parameter bytes: The value of ``bytes``.
  /// - Throws: `corruptStore` for other bytes.
  public init(bytes: [UInt8]) throws {
    do {
      var reader = try HistoryPacking.reader(of: bytes)
      let form = try Form(version: try reader.byte())
      let origin = StoreChangeSet.Origin(
        author: try reader.optionalText(), contextName: try reader.optionalText())
      let (bundleID, processID) = (try reader.text(), try reader.text())
      let writer = try reader.number()
      let save = form.hasSave ? try reader.save() : nil
      let group = form.hasGroup ? try reader.uuid() : nil
      let reverted = form.hasValues ? try (0..<reader.count()).map { _ in try reader.signed() } : []
      self.init(
        bytes: bytes, origin: origin, bundleID: bundleID, processID: processID, writer: writer,
        start: reader.position, hasPreviousValues: form.hasValues, revertedNumbers: reverted,
        save: save, undoGroup: group)
    } catch {
      throw Self.damage
    }
  }

  /// Reads the content of a transaction with a number, which an error names.
  ///
  /// - Throws: `corruptStore` for other bytes.
  package init(bytes: [UInt8], ofTransaction number: Int64) throws {
    do {
      try self.init(bytes: bytes)
    } catch {
      throw PersistenceError(
        .corruptStore, "Transaction \(number) of the store's history cannot be read."
      ).remedied(
        by: "Delete the history up to it, with deleteHistory(before:) and a date; then read from "
          + "the beginning."
      )
    }
  }

  /// Returns one change per record: insertions, updates, deletions, each in the order of entity codes and keys.
  ///
  /// - Throws: `corruptStore` when the content is damaged.
  /// - Complexity: O(changes) per call.
  public func changes() throws -> [StoreRecordChange] { try decoded().changes }

  /// Returns the previous state of the many-to-many links that the transaction added, moved or removed, including
  /// those removed with a deleted record; none where the history does not keep previous values.
  ///
  /// - Throws: `corruptStore` when the content is damaged.
  /// - Complexity: O(changes) per call.
  public func previousLinks() throws -> [StorePreviousLink] { try decoded().links }

  /// Returns the change of each record, and the previous state of the links.
  package func decoded() throws -> (changes: [StoreRecordChange], links: [StorePreviousLink]) {
    do {
      var reader = changesReader
      return try HistoryDecoder.decode(&reader, withValues: hasPreviousValues)
    } catch {
      throw Self.damage
    }
  }

  /// Returns whether one of some records was changed, without decoding the changes.
  ///
  /// - Throws: `corruptStore` when the content is damaged.
  /// - Complexity: O(runs of consecutive keys), and O(values) where values are kept.
  package func changes(anyOf records: RecordSelection) throws -> Bool {
    do {
      var reader = changesReader
      return try HistorySearch.finds(records, &reader, withValues: hasPreviousValues)
    } catch {
      throw Self.damage
    }
  }

  /// A reader of the changes; the checksum was verified when the content was read.
  private var changesReader: HistoryReader {
    var reader = HistoryReader(bytes, trailer: HistoryPacking.checksumLength)
    reader.position = start
    return reader
  }

  private static var damage: PersistenceError {
    PersistenceError(.corruptStore, "A transaction of the store's history cannot be read.")
  }
}

/// The process that saves.
enum HistoryProcess {
  /// The name of the executable.
  static let name = ProcessInfo.processInfo.processName

  /// The name and the process ID; a forked process has another one.
  static var identifier: String { "\(name)-\(ProcessInfo.processInfo.processIdentifier)" }
}
