// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

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
  /// Where the changes begin.
  private let start: Int

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
    origin = changes.origin
    (bundleID, processID) = (HistoryProcess.name, HistoryProcess.identifier)
    var writer = HistoryWriter()
    writer.bytes.append(Self.version)
    writer.put(optional: origin.author)
    writer.put(optional: origin.contextName)
    writer.put(bundleID)
    writer.put(processID)
    start = writer.bytes.count
    try encoder.write(to: &writer)
    bytes = writer.bytes + HistoryPacking.checksum(of: writer.bytes)
  }

  /// Takes the content that a store has kept.
  ///
  /// - Parameter bytes: What ``bytes`` was.
  /// - Throws: `corruptStore` when it is something else.
  public init(bytes: [UInt8]) throws {
    do {
      guard bytes.count > 4 else { throw HistoryDamage() }
      let body = Array(bytes.dropLast(4))
      guard Array(bytes.suffix(4)) == HistoryPacking.checksum(of: body) else {
        throw HistoryDamage()
      }
      var reader = HistoryReader(body)
      guard try reader.byte() == Self.version else { throw HistoryDamage() }
      origin = StoreChangeSet.Origin(
        author: try reader.optionalText(), contextName: try reader.optionalText())
      bundleID = try reader.text()
      processID = try reader.text()
      start = reader.position
      self.bytes = bytes
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
    var reader = HistoryReader(Array(bytes.dropLast(4)))
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
