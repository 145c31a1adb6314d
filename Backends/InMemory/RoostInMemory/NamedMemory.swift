// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// The stores in memory that have a URL. They exist until they are destroyed or the process ends, like files on a
/// disk, so a store can be closed and opened again.
final class NamedMemory: Sendable {
  /// The places of this process.
  static let shared = NamedMemory()

  private let places = Mutex<[URL: MemoryTables]>([:])

  /// Opens the tables at a URL, which are created when needed; private tables for nil.
  func open(_ url: URL?) -> MemoryEngine {
    guard let url else { return MemoryEngine() }
    return places.withLock { places in
      let tables = places[url] ?? MemoryTables()
      places[url] = tables
      return MemoryEngine(tables: tables)
    }
  }

  /// The tables at a URL.
  ///
  /// - Throws: `persistentStoreOpen` when there are none.
  func tables(at url: URL?) throws -> MemoryTables {
    guard let tables = tablesIfPresent(at: url) else {
      throw PersistenceError(
        .persistentStoreOpen, "There is no store in memory at this URL.",
        store: url?.absoluteString)
    }
    return tables
  }

  /// The tables at a URL; nil when there are none.
  func tablesIfPresent(at url: URL?) -> MemoryTables? {
    url.flatMap { url in places.withLock { $0[url] } }
  }

  /// Removes the tables at a URL. When it is forced, stores that are open there continue with their tables.
  ///
  /// - Throws: `storeBusy` when a store is open there and it is not forced.
  func destroy(_ url: URL?, isForced: Bool) throws {
    guard let url else { return }
    try places.withLock { places in
      try requireClosed(places[url], url, isForced)
      places[url] = nil
    }
  }

  /// Puts a copy of tables at a URL.
  ///
  /// - Parameter mark: The expected number of writes of the existing tables; nil for any.
  /// - Returns: Whether the copy was put; false when the existing tables were written since.
  /// - Throws: `storeBusy` when a store is open there and it is not forced.
  func put(
    copyOf tables: MemoryTables, at url: URL?, isForced: Bool, ifUnchangedSince mark: String? = nil
  ) throws -> Bool {
    guard let url else {
      throw PersistenceError(
        .persistentStoreOpen, "A store in memory needs a URL to take the place of another one.")
    }
    return try places.withLock { places in
      try requireClosed(places[url], url, isForced)
      if let mark, let old = places[url], String(old.writeCount) != mark { return false }
      places[url] = MemoryTables(tables.version)
      return true
    }
  }

  private func requireClosed(_ tables: MemoryTables?, _ url: URL, _ isForced: Bool) throws {
    guard let tables, tables.isOpen(), !isForced else { return }
    throw PersistenceError(
      .storeBusy, "The store in memory is open.", store: url.absoluteString)
  }
}
