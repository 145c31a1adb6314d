// SPDX-License-Identifier: Apache-2.0

import CBenchPostgreSQL
import Foundation
import Roost
import RoostPostgreSQL

/// Two schemas of a PostgreSQL database, side by side: the server that `DATABASE_URL` names, or a private one.
final class PostgreSQLEngine: Engine {
  private static let schema = "roost_bench"
  private let address: String
  private let server: PrivateServer?
  private let durability: Durability
  let version: String

  /// - Parameter address: The server; nil to look for one, or to start one.
  init(address: String? = nil, durability: Durability) throws {
    guard durability != .extra else {
      throw BenchError("The PostgreSQL store has no extra durability: full or relaxed.")
    }
    // Both sides read libpq's variable, so both have it.
    if durability == .relaxed { setenv("PGOPTIONS", "-c synchronous_commit=off", 1) }
    let known = address ?? ProcessInfo.processInfo.environment["DATABASE_URL"]
    server = known == nil ? try PrivateServer() : nil
    self.address = known ?? server?.address ?? ""
    self.durability = durability
    let connection = try RawPostgreSQL(address: self.address)
    version = "PostgreSQL \(connection.serverVersion)\(server == nil ? "" : ", a private server")"
    connection.close()
  }

  var kind: StoreKind { .postgresql }
  var placeForChild: String? { address }

  var durabilityNote: String {
    durability == .full ? "synchronous_commit = on" : "synchronous_commit = off"
  }

  var storeDescription: PersistentStoreDescription {
    get throws { try .postgresql(address, schema: Self.schema) }
  }

  func openRaw() throws -> any RawDatabase { try RawPostgreSQL(address: address) }

  func storedBytes() -> Int? {
    guard let connection = try? RawPostgreSQL(address: address) else { return nil }
    return try? connection.size(ofSchema: Self.schema)
  }

  /// Removes what both sides have made, and ends the private server.
  func shutDown() {
    if let server {
      server.stop()
    } else if let description = try? storeDescription {
      try? description.type.driver.destroy(description)
      try? RawPostgreSQL(address: address).removeAll()
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
    let result = try execute(
      """
      SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::int8 FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1::text AND c.relkind = 'r'
      """, parameters)
    return result.integer(0, 0)
  }
}
