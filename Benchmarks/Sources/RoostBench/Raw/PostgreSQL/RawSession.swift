// SPDX-License-Identifier: Apache-2.0

import CBenchPostgreSQL
import Foundation

/// The session settings of the baseline: the same as those of Roost's sessions, as far as they affect the
/// measurements.
struct RawSession: Hashable {
  /// The schema for everything that the baseline creates; nil for the first one of the search path.
  var schema: String?
  /// The value of `synchronous_commit`; nil for the server's setting.
  var synchronousCommit: String?

  private var options: String {
    // Roost turns JIT compilation off too.
    var options = "-c jit=off -c client_min_messages=warning"
    if let schema { options += " -c search_path=\(schema)" }
    if let synchronousCommit { options += " -c synchronous_commit=\(synchronousCommit)" }
    return options
  }

  /// Connects. The settings are part of the startup message, so they need no round trip.
  func connect(to address: String) -> OpaquePointer? {
    let all = [Self.options(of: address), options].compactMap(\.self).joined(separator: " ")
    // When `options` occurs twice, the last one counts, so ours include those of the address.
    return "dbname".withCString { name in
      "options".withCString { optionsName in
        address.withCString { address in
          all.withCString { all in
            PQconnectdbParams([name, optionsName, nil], [address, all, nil], 1)
          }
        }
      }
    }
  }

  /// Returns the session options of the address or the environment, which Roost's sessions have too.
  private static func options(of address: String) -> String? {
    guard let list = PQconninfoParse(address, nil) else { return nil }
    defer { PQconninfoFree(list) }
    var option = list
    while let keyword = option.pointee.keyword {
      if String(cString: keyword) == "options", let value = option.pointee.val {
        return String(cString: value)
      }
      option += 1
    }
    return ProcessInfo.processInfo.environment["PGOPTIONS"]
  }
}

/// The durability settings of a PostgreSQL server, as it reports them.
struct ServerDurability: Hashable {
  var synchronousCommit: String
  var fsync: String
  var fullPageWrites: String

  init(synchronousCommit: String, fsync: String, fullPageWrites: String) {
    self.synchronousCommit = synchronousCommit
    self.fsync = fsync
    self.fullPageWrites = fullPageWrites
  }

  /// Reads the settings from the server.
  init(_ connection: RawPostgreSQL) throws {
    let result = try connection.ask(
      """
      SELECT current_setting('synchronous_commit'), current_setting('fsync'),
      current_setting('full_page_writes')
      """)
    self.init(
      synchronousCommit: result.string(0, 0), fsync: result.string(0, 1),
      fullPageWrites: result.string(0, 2))
  }

  /// The `synchronous_commit` of both sides: Roost replaces `off` by `on`, and leaves the stronger levels.
  var inSessions: String { synchronousCommit == "off" ? "on" : synchronousCommit }

  /// The settings as text.
  var note: String {
    let settings =
      "synchronous_commit = \(inSessions), fsync = \(fsync), full_page_writes = \(fullPageWrites)"
    guard fsync == "off" else { return settings }
    return settings + ": THE SERVER DOES NOT WAIT FOR THE DISK, so no save is durable"
  }
}
