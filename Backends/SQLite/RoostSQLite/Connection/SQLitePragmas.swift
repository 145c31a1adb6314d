// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The pragmas that a program sets for a store: those that change its speed or make it safer. Pragmas on which
/// durability, safety or the file format depend are refused.
struct SQLitePragmas: Sendable {
  /// The pragmas as statements, in the order of their names.
  let statements: [String]

  /// Checks the pragmas of a description.
  ///
  /// - Throws: `persistentStoreOpen` for a pragma that is not in the list, or whose value is not a number or a word.
  init(_ pragmas: [String: String]) throws {
    statements = try pragmas.sorted { $0.key < $1.key }.map { name, value in
      let name = name.lowercased()
      guard Self.isAllowed(name, value.lowercased()) else {
        throw PersistenceError(
          .persistentStoreOpen,
          Self.free.contains(name) || Self.guarded.contains(name)
            ? "The pragma “\(name)” cannot have this value."
            : "There is no pragma “\(name)” that can be set. Those that can are "
              + Self.free.union(Self.guarded).sorted().joined(separator: ", ") + ".", key: name)
      }
      return "PRAGMA \(name)=\(value)"
    }
  }

  private static let free: Set<String> = [
    "automatic_index", "auto_vacuum", "cache_size", "cache_spill", "cell_size_check",
    "checkpoint_fullfsync", "fullfsync", "journal_size_limit", "mmap_size", "page_size",
    "secure_delete", "temp_store", "threads", "wal_autocheckpoint",
  ]

  /// Pragmas with some values that would break the store's guarantees.
  private static let guarded: Set<String> = ["journal_mode", "synchronous"]

  private static func isAllowed(_ name: String, _ value: String) -> Bool {
    let isWord =
      !value.isEmpty
      && value.unicodeScalars.allSatisfy { scalar in
        scalar == "-" || scalar == "_" || (scalar.isASCII && scalar.properties.isAlphabetic)
          || ("0"..."9").contains(scalar)
      }
    guard isWord else { return false }
    switch name {
    case "journal_mode": return value == "wal"
    case "synchronous": return ["full", "extra", "2", "3"].contains(value)
    default: return free.contains(name)
    }
  }
}
