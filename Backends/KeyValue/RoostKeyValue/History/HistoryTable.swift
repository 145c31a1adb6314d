// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The entry table of a store's history: the time, the digest and the content of each transaction, by number.
///
/// A blob has the identity of the history and its last deleted transaction. It is written when the table is created,
/// and when transactions are deleted.
struct HistoryTable: Sendable {
  let table: EntryTable
  /// Whether transactions have the values from before them.
  let keepsValues: Bool

  init(_ table: EntryTable, keepsValues: Bool) {
    self.table = table
    self.keepsValues = keepsValues
  }

  /// The signature of the history table in the catalog.
  static let signature = "history"
  /// The signature of an empty table that changes the catalog when the history begins to keep previous values, so
  /// that a process that opened the store earlier cannot write transactions without them.
  static let valuesSignature = "history values"
  private static let blobName = "history"
  private static let bookmarksName = "historyBookmarks"

  /// A stored history transaction, which is valid while it is scanned.
  struct Entry {
    var link: HistoryLink
    fileprivate var value: UnsafeRawBufferPointer

    var content: [UInt8] { Array(value.dropFirst(16)) }
    var byteCount: Int { value.count - 16 }
  }

  // MARK: - Writing

  /// Writes the identity of the history, in a store that has none yet.
  func begin(in snapshot: any KeyValueSnapshot, _ batch: inout WriteBatch) throws {
    guard try snapshot.blob(named: Self.blobName) == nil else { return }
    write(HistoryChain.new(), to: &batch)
  }

  /// Adds the transaction that is being written; nothing when it changes no record.
  ///
  /// - Returns: The position after it; nil when nothing was added.
  func add(
    _ changes: StoreChangeSet, of schema: StoreSchema, over snapshot: any KeyValueSnapshot,
    to batch: inout WriteBatch
  ) throws -> StorePosition? {
    guard let content = try HistoryContent(changes, of: schema) else { return nil }
    let time = changes.notes?.time ?? Date.now.timeIntervalSinceReferenceDate
    let chain = try chain(in: snapshot)
    let link = chain.last.next(content, at: time)
    batch.changeEntries(of: table) { entries in
      entries.append(.put) { key in
        key += Self.key(of: link.number)
        return (Self.bytes(link.timestamp.bitPattern) + Self.bytes(link.digest) + content.bytes)[
          ...]
      }
    }
    return chain.position(after: link)
  }

  /// Removes the transactions up to one that is in the snapshot.
  func remove(
    upTo end: HistoryLink, _ chain: HistoryChain, _ batch: inout WriteBatch
  ) {
    batch.changeEntries(of: table) { entries in
      for number in chain.floor.number + 1...end.number {
        entries.append(.remove) { key in
          key += Self.key(of: number)
          return []
        }
      }
    }
    write(HistoryChain(epoch: chain.epoch, floor: end), to: &batch)
  }

  /// Writes the bookmarks of the history's followers.
  static func write(_ bookmarks: HistoryBookmarks, to batch: inout WriteBatch) {
    batch.setBlob(bookmarks.bytes, named: bookmarksName)
  }

  private func write(_ chain: HistoryChain, to batch: inout WriteBatch) {
    let floor = chain.floor
    batch.setBlob(
      Self.bytes(UInt64(bitPattern: chain.epoch)) + Self.bytes(UInt64(bitPattern: floor.number))
        + Self.bytes(floor.timestamp.bitPattern) + Self.bytes(floor.digest),
      named: Self.blobName)
  }

  // MARK: - Reading

  /// Returns the state of the history as a whole.
  func chain(in snapshot: any KeyValueSnapshot) throws -> HistoryChain {
    guard let bytes = try snapshot.blob(named: Self.blobName), bytes.count == 32 else {
      throw Self.damage
    }
    let floor = HistoryLink(
      number: Int64(bitPattern: Self.number(bytes[8..<16])),
      timestamp: Double(bitPattern: Self.number(bytes[16..<24])),
      digest: Self.number(bytes[24..<32]))
    let last = try last(in: snapshot)
    guard floor.number >= 0, last.map({ $0.number > floor.number }) ?? true else {
      throw Self.damage
    }
    return HistoryChain(
      epoch: Int64(bitPattern: Self.number(bytes[0..<8])), floor: floor, last: last)
  }

  /// The last transaction; nil when there is none.
  private func last(in snapshot: any KeyValueSnapshot) throws -> HistoryLink? {
    var last: HistoryLink?
    try snapshot.scanEntries(of: table, in: .all, descending: true) { chunk in
      if chunk.count > 0 { last = try Self.link(chunk[chunk.count - 1]) }
      return false
    }
    return last
  }

  /// Returns the bookmarks of the history's followers.
  static func bookmarks(in snapshot: any KeyValueSnapshot) throws -> HistoryBookmarks {
    HistoryBookmarks(bytes: try snapshot.blob(named: bookmarksName))
  }

  /// The digest of a transaction; nil when there is none.
  func digest(of number: Int64, in snapshot: any KeyValueSnapshot) throws -> UInt64? {
    try snapshot.value(of: Self.key(of: number), in: table).map {
      guard $0.count > 16 else { throw Self.damage }
      return Self.number($0[8..<16])
    }
  }

  /// When a transaction was; nil when there is none.
  func time(of number: Int64, in snapshot: any KeyValueSnapshot) throws -> Double? {
    try snapshot.value(of: Self.key(of: number), in: table).map {
      guard $0.count > 16 else { throw Self.damage }
      return Double(bitPattern: Self.number($0[0..<8]))
    }
  }

  /// Calls `body` with the transactions after one, in their order, until it returns false.
  func scan(
    after number: Int64, in snapshot: any KeyValueSnapshot, _ body: (Entry) throws -> Bool
  ) throws {
    let range = KeyRange(lower: Self.key(of: number &+ 1), upper: nil)
    try snapshot.scanEntries(of: table, in: range, descending: false) { chunk in
      for index in 0..<chunk.count {
        let entry = Entry(link: try Self.link(chunk[index]), value: chunk[index].value)
        guard try body(entry) else { return false }
      }
      return true
    }
  }

  // MARK: - Bytes

  private static func key(of number: Int64) -> [UInt8] { bytes(UInt64(bitPattern: number)) }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func number(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func link(_ entry: EntryChunk.Entry) throws -> HistoryLink {
    let value = entry.value
    guard entry.key.count == 8, value.count > 16 else { throw damage }
    return HistoryLink(
      number: Int64(bitPattern: number(entry.key)),
      timestamp: Double(bitPattern: number(value[0..<8])), digest: number(value[8..<16]))
  }

  private static var damage: PersistenceError {
    PersistenceError(.corruptStore, "The store's history is damaged.")
  }
}
