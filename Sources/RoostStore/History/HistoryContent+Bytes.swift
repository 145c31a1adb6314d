// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension HistoryContent {
  private static let version: UInt8 = 1

  /// Makes the content of a change set, in which derived attributes have been computed.
  ///
  /// - Parameters:
  ///   - changes: What the transaction writes.
  ///   - schema: The entities of the store.
  /// - Returns: nil when no record is changed.
  /// - Throws: `transformation` when a value that outlives its record cannot be made into bytes.
  /// - Complexity: O(records of the change set).
  public init?(_ changes: StoreChangeSet, of schema: StoreSchema) throws {
    let encoder = HistoryEncoder(changes, schema)
    guard !encoder.isEmpty else { return nil }
    let writerID = changes.notes?.writer ?? 0
    let (name, process) = (HistoryProcess.name, HistoryProcess.identifier)
    var writer = HistoryWriter()
    writer.bytes.append(Self.version)
    writer.put(optional: changes.origin.author)
    writer.put(optional: changes.origin.contextName)
    writer.put(name)
    writer.put(process)
    writer.put(writerID)
    let start = writer.bytes.count
    try encoder.write(to: &writer)
    self.init(
      bytes: writer.bytes + HistoryPacking.checksum(of: writer.bytes), origin: changes.origin,
      bundleID: name, processID: process, writer: writerID, start: start)
  }

  /// Takes the content that a store has kept.
  ///
  /// - Parameter bytes: What ``bytes`` was.
  /// - Throws: `corruptStore` when it is something else.
  public init(bytes: [UInt8]) throws {
    do {
      var reader = HistoryReader(try HistoryPacking.checked(bytes))
      guard try reader.byte() == Self.version else { throw HistoryDamage() }
      let origin = StoreChangeSet.Origin(
        author: try reader.optionalText(), contextName: try reader.optionalText())
      self.init(
        bytes: bytes, origin: origin, bundleID: try reader.text(), processID: try reader.text(),
        writer: try reader.number(), start: reader.position)
    } catch {
      throw Self.damage
    }
  }

  /// Returns what was done to each record, once each: insertions, updates, deletions, each in the order of entity codes
  /// and keys.
  ///
  /// - Throws: `corruptStore` when the content is damaged.
  /// - Complexity: O(changes), at each call.
  public func changes() throws -> [StoreRecordChange] {
    var reader = HistoryReader(Array(bytes.dropLast(HistoryPacking.checksumLength)))
    reader.position = start
    do {
      return try HistoryDecoder.changes(&reader)
    } catch {
      throw Self.damage
    }
  }

  private static var damage: PersistenceError {
    PersistenceError(.corruptStore, "A transaction of the store's history cannot be read.")
  }
}

/// The process that saves.
enum HistoryProcess {
  /// The name of the executable.
  static let name = ProcessInfo.processInfo.processName

  /// The name, and the number of the process: that of a fork is another one.
  static var identifier: String { "\(name)-\(ProcessInfo.processInfo.processIdentifier)" }
}
