// SPDX-License-Identifier: Apache-2.0

import CBenchPostgreSQL
import Foundation
import Roost
import RoostPostgreSQL

/// Two schemas of a PostgreSQL database, side by side: the server that `DATABASE_URL` names, or a private one.
///
/// The schemas have names of this run only, so that what is removed at its end is what it has made.
final class PostgreSQLEngine: Engine {
  private let schema: String
  private let address: String
  private let server: PrivateServer?
  /// Whether this process made the schemas, and not the one that started it.
  private let isOwner: Bool
  private let durability: ServerDurability
  let version: String

  /// Finds a server, or starts one.
  ///
  /// - Throws: ``BenchError`` when there is none, or for a durability that Roost's store does not have.
  convenience init(durability: Durability) throws {
    guard durability == .full else {
      throw BenchError(
        "The PostgreSQL store has no \(durability) durability: it waits for the disk, full only.")
    }
    let known = ProcessInfo.processInfo.environment["DATABASE_URL"]
    let server = known == nil ? try PrivateServer() : nil
    let name = UUID().uuidString.filter(\.isHexDigit).lowercased().prefix(12)
    try self.init(
      address: known ?? server?.address ?? "", schema: "roost_bench_\(name)", server: server,
      isOwner: true)
  }

  /// Finds what a parent process has made, by its ``placeForChild``.
  convenience init(place: String) throws {
    let parts = place.split(separator: " ", maxSplits: 1).map(String.init)
    try self.init(
      address: parts.last ?? "", schema: parts.first ?? "", server: nil, isOwner: false)
  }

  private init(address: String, schema: String, server: PrivateServer?, isOwner: Bool) throws {
    self.address = address
    self.schema = schema
    self.server = server
    self.isOwner = isOwner
    do {
      let connection = try RawPostgreSQL(address: address, session: RawSession())
      durability = try ServerDurability(connection)
      version = "PostgreSQL \(connection.serverVersion)\(server == nil ? "" : ", a private server")"
      connection.close()
    } catch {
      server?.stop()
      throw error
    }
  }

  var kind: StoreKind { .postgresql }
  var placeForChild: String? { "\(schema) \(address)" }
  var durabilityNote: String { durability.note }
  /// Where the other side keeps its tables.
  private var rawSchema: String { schema + "_raw" }

  var storeDescription: PersistentStoreDescription {
    get throws { try storeDescription(numbered: 0) }
  }

  func storeDescription(numbered number: Int) throws -> PersistentStoreDescription {
    try .postgresql(address, schema: number == 0 ? schema : "\(schema)_\(number)")
  }

  func openRaw(_ baseline: Baseline) throws -> any RawDatabase { try open(rawSchema) }

  private func open(_ schema: String) throws -> RawPostgreSQL {
    try RawPostgreSQL(
      address: address,
      session: RawSession(schema: schema, synchronousCommit: durability.inSessions))
  }

  func storedBytes() -> Int? {
    try? RawPostgreSQL(address: address, session: RawSession()).size(ofSchema: schema)
  }

  /// Removes what both sides have made, and ends the private server.
  func shutDown() {
    if let server {
      server.stop()
    } else if isOwner {
      if let description = try? storeDescription {
        try? description.type.driver.destroy(description)
      }
      for schema in [schema, rawSchema] { try? open(schema).removeAll() }
    }
  }
}

extension RawPostgreSQL {
  /// The version of the server, as `15.4`.
  var serverVersion: String {
    let number = PQserverVersion(connection)
    return "\(number / 10_000).\(number % 10_000)"
  }

  /// The bytes of all tables of a schema, with their indexes.
  func size(ofSchema schema: String) throws -> Int {
    var parameters = RawParameters()
    parameters.add(schema)
    let result = try ask(
      """
      SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1::text AND c.relkind = 'r'
      """, parameters)
    return result.integer(0, 0)
  }
}
