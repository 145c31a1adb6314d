// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
package import RoostStore

/// Opens PostgreSQL stores, and does what concerns a schema that is not open.
package struct PostgreSQLDriver: MetadataChangingDriver {
  package var optionNames: Set<String>? {
    [StoreOption.connectionPoolMaxSize]
  }

  /// The server, and how to log in; nil when descriptions' URLs say it.
  private let settings: PostgreSQLSettings?

  package init() {
    settings = nil
  }

  init(_ settings: PostgreSQLSettings) {
    self.settings = settings
  }

  package func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    let settings = try settings(description)
    return try translating(description) {
      let pool = try Self.pool(settings, description)
      let (reading, second) = try pool.withFirstConnection(running: StoreReading.commands) {
        connection, outcome in
        guard outcome.failure?.index == 0 else {
          let reading = try StoreReading(outcome)
          return (reading, try connection.namespace.secondVersion(connection, reading))
        }
        // There is no store: is there nothing, or something of another program's?
        if description.isReadOnly {
          try connection.namespace.requireStore(connection)
        } else {
          try connection.namespace.makeOrRequire(connection)
        }
        let reading = try StoreReading(connection.run(StoreReading.commands(connection)))
        return (reading, try connection.namespace.secondVersion(connection, reading))
      }
      pool.setGreeting { StoreReading.lock($0) }
      let metadata = try PostgreSQLNamespace.metadata(in: reading.opened.text)
      return PostgreSQLStore(
        Self.shown(description, settings), pool: pool, lease: try Self.lease(pool, reading),
        metadata: metadata, reading: reading, second: second)
    }
  }

  package func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    let settings = try settings(description)
    return try translating(description) {
      let connection = try Self.connect(settings, description, isReadOnly: true)
      if case .empty = try connection.namespace.state(connection) { return nil }
      try connection.namespace.check(connection)
      return try connection.namespace.metadata(connection)
    }
  }

  package func changeMetadata(
    of description: PersistentStoreDescription, _ change: (inout StoreMetadata) throws -> Void
  ) throws {
    let settings = try settings(description)
    try translating(description) {
      guard !description.isReadOnly else {
        throw PersistenceError(.readOnlyStore, "The store is described as read-only.")
      }
      let connection = try Self.connect(settings, description)
      let namespace = connection.namespace
      try namespace.check(connection)
      try connection.run(.begin)
      let metadata = try namespace.lockedMetadata(connection).changed(by: change)
      let writing = try namespace.writingMetadata(metadata)
      _ = try connection.run([writing, .commit]).get()
    }
  }
}

// MARK: - Settings

extension PostgreSQLDriver {
  /// The server of a description.
  ///
  /// - Throws: `persistentStoreOpen` when there is none, or it cannot be read.
  func settings(_ description: PersistentStoreDescription) throws -> PostgreSQLSettings {
    if var settings {
      // The description's URL may have been changed since: a store can be looked for at another place.
      if let url = description.url, url != PostgreSQLURI.place(settings) {
        let place = try PostgreSQLURI.settings(url.absoluteString)
        settings.host = place.host
        settings.port = place.port
        settings.database = place.database
        settings.schema = place.schema
      }
      return settings
    }
    guard let url = description.url else {
      throw PersistenceError(
        .persistentStoreOpen, "A PostgreSQL store needs the URL of its server.")
    }
    return try PostgreSQLURI.settings(url.absoluteString)
  }

  /// A description without a password in sight.
  private static func shown(
    _ description: PersistentStoreDescription, _ settings: PostgreSQLSettings
  ) -> PersistentStoreDescription {
    var shown = description
    shown.type = PersistentStoreType(
      rawValue: PostgreSQLNamespace.storeType, driver: PostgreSQLDriver(settings))
    shown.url = PostgreSQLURI.place(settings)
    return shown
  }

  private static func pool(
    _ settings: PostgreSQLSettings, _ description: PersistentStoreDescription
  ) throws -> ConnectionPool {
    let limit = try description.count(StoreOption.connectionPoolMaxSize) ?? 8
    return ConnectionPool(
      settings, timeout: description.timeout, limit: limit, isReadOnly: description.isReadOnly)
  }

  /// Says that the store is used, where no session can say it. Who only reads may lack the right to write even that.
  private static func lease(
    _ pool: ConnectionPool, _ reading: StoreReading
  ) throws -> StoreLease? {
    guard pool.settings.pooler != .none, !pool.isReadOnly else { return nil }
    let isTableThere = reading.catalog.columnsByTable[PostgreSQLNamespace.sessions] != nil
    return try pool.withConnection { connection in
      try StoreLease(pool, connection, isTableThere: isTableThere)
    }
  }

  static func connect(
    _ settings: PostgreSQLSettings, _ description: PersistentStoreDescription,
    isReadOnly: Bool = false
  ) throws -> PostgreSQLConnection {
    try PostgreSQLConnection.open(
      settings, timeout: description.timeout, deadline: Deadline(after: description.timeout),
      isReadOnly: isReadOnly)
  }

  /// Runs `body` and maps the engine's errors to `PersistenceError`.
  func translating<Result>(
    _ description: PersistentStoreDescription, _ body: () throws -> Result
  ) throws -> Result {
    try translatingErrors(store: description.url?.lastPathComponent, body)
  }
}
