// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
public import RoostStore

extension PersistentStoreType {
  /// Stores in schemas of PostgreSQL databases.
  ///
  /// The URL of such a store names the server, the database and the schema; the password comes from libpq's own
  /// sources (`PGPASSWORD`, the password file) unless a description has it.
  public static let postgresql = PersistentStoreType(
    rawValue: PostgreSQLNamespace.storeType, driver: PostgreSQLDriver())
}

extension PersistentStoreDescription {
  /// Describes a store in a schema of a PostgreSQL database; the schema is created if it is missing.
  ///
  /// The password is never printed: it is no part of the description's URL and options.
  ///
  /// ```swift
  /// let container = try PersistentContainer(
  ///   name: "HR", model: model,
  ///   stores: [.postgresql(host: "db.example.com", database: "hr", user: "app", password: password)])
  /// ```
  ///
  /// - Parameters:
  ///   - host: The name or address of the server, or the folder of its socket; nil for libpq's default.
  ///   - port: The server's port; nil for libpq's default.
  ///   - database: The database.
  ///   - user: The user name; nil for libpq's default.
  ///   - password: The password; nil for libpq's own sources.
  ///   - schema: The schema that is the store, of 1 to 63 bytes. Several stores can be in one database.
  ///   - tls: How the connection is protected.
  ///   - pooler: Whether a connection pooler in transaction mode is between the program and the server.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  /// - Returns: The description. An invalid description throws `persistentStoreOpen` when the store is opened.
  public static func postgresql(
    host: String? = nil, port: Int? = nil, database: String, user: String? = nil,
    password: String? = nil, schema: String = "roost", tls: PostgreSQLTLS = .automatic,
    pooler: PostgreSQLPooler = .none, configuration: String? = nil
  ) -> PersistentStoreDescription {
    var settings = PostgreSQLSettings()
    settings.host = host ?? ""
    settings.port = port
    settings.database = database
    settings.user = user ?? ""
    settings.password = password.map(Secret.init)
    settings.schema = schema
    settings.tls = tls
    settings.pooler = pooler
    return PersistentStoreDescription(settings, configuration: configuration)
  }

  /// Describes a store by its server's URI, as `DATABASE_URL` has it:
  /// `postgresql://user:password@host:port/database?schema=hr`.
  ///
  /// The URI is that of libpq, with the additional parameters `schema` and, for a connection pooler in transaction
  /// mode, `pooler=transaction`. Its password is never printed.
  ///
  /// ```swift
  /// let store = try PersistentStoreDescription.postgresql(environment["DATABASE_URL"]!, schema: "hr")
  /// ```
  ///
  /// - Parameters:
  ///   - uri: The URI.
  ///   - schema: The schema that is the store; nil for the one of the URI, or `roost`.
  ///   - pooler: Whether a connection pooler in transaction mode is between the program and the server; nil for the
  ///     URI's parameter, or none.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  /// - Returns: The description.
  /// - Throws: `PersistenceError` with code `persistentStoreOpen` for text that is not such a URI. The error repeats
  ///   no part of it.
  public static func postgresql(
    _ uri: String, schema: String? = nil, pooler: PostgreSQLPooler? = nil,
    configuration: String? = nil
  ) throws -> PersistentStoreDescription {
    var settings = try PostgreSQLURI.settings(uri)
    if let schema { settings.schema = schema }
    if let pooler { settings.pooler = pooler }
    try settings.check()
    return PersistentStoreDescription(settings, configuration: configuration)
  }

  init(_ settings: PostgreSQLSettings, configuration: String?) {
    self.init(
      type: PersistentStoreType(
        rawValue: PostgreSQLNamespace.storeType, driver: PostgreSQLDriver(settings)),
      url: PostgreSQLURI.place(settings), configuration: configuration)
  }
}
