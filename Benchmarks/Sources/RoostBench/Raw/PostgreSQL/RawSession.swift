// SPDX-License-Identifier: Apache-2.0

import CBenchPostgreSQL
import Foundation

/// What a session of the baseline has set: the same as Roost's own sessions, as far as it changes what is measured.
struct RawSession: Hashable {
  /// The namespace that holds all that this side makes; nil for whatever is first.
  var schema: String?
  /// What a commit waits for; nil for what the server has.
  var synchronousCommit: String?

  private var options: String {
    // Roost turns compilation off too.
    var options = "-c jit=off -c client_min_messages=warning"
    if let schema { options += " -c search_path=\(schema)" }
    if let synchronousCommit { options += " -c synchronous_commit=\(synchronousCommit)" }
    return options
  }

  /// Connects; the settings travel with the first message, so they take no time of their own.
  func connect(to address: String) -> OpaquePointer? {
    let all = [Self.options(of: address), options].compactMap(\.self).joined(separator: " ")
    // Of two values of an option the last one counts, so the address's own are in ours.
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

  /// The options that the address or the environment has for sessions, which Roost's have too.
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

/// What a PostgreSQL server promises about a commit, as it says itself.
struct ServerDurability: Hashable {
  var synchronousCommit: String
  var fsync: String
  var fullPageWrites: String

  init(synchronousCommit: String, fsync: String, fullPageWrites: String) {
    self.synchronousCommit = synchronousCommit
    self.fsync = fsync
    self.fullPageWrites = fullPageWrites
  }

  /// Asks the server.
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

  /// What both sides commit with: Roost turns on what it finds off, and leaves what is stronger.
  var inSessions: String { synchronousCommit == "off" ? "on" : synchronousCommit }

  /// In words.
  var note: String {
    let settings =
      "synchronous_commit = \(inSessions), fsync = \(fsync), full_page_writes = \(fullPageWrites)"
    guard fsync == "off" else { return settings }
    return settings + ": THE SERVER DOES NOT WAIT FOR THE DISK, so no save is durable"
  }
}
