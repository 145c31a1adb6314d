// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostPostgreSQL
import Testing

@Entity final class Note: ManagedObject {
  @Attribute(.unique) var code: String
  var text: String = ""
  var number: Int = 0
}

/// A coordinator with one store of notes, and common operations of tests.
struct Notebook {
  let coordinator: PersistentStoreCoordinator
  let store: any PersistentStore

  init(_ description: PersistentStoreDescription) throws {
    coordinator = try PersistentStoreCoordinator(
      managedObjectModel: ManagedObjectModel(Note.self))
    store = try coordinator.addPersistentStore(with: description)
  }

  /// Opens a notebook in a new schema of the tests' database.
  init() throws {
    try self.init(Servers.description())
  }

  var log: StoreLog? { store.description.log }

  func context() -> ManagedObjectContext {
    ManagedObjectContext(.privateQueue, coordinator: coordinator)
  }

  /// Saves a new note.
  func write(_ codes: String...) throws {
    let context = context()
    for code in codes { Note(context: context).code = code }
    try context.save()
  }

  /// Returns the codes of the stored notes, in order.
  func codes() throws -> [String] {
    let context = context()
    // Objects do not keep their context alive.
    return try withExtendedLifetime(context) {
      try context.fetch(Note.fetchRequest().sorted(by: \.code)).map(\.code)
    }
  }

  func close() throws {
    try coordinator.remove(store)
  }
}

/// The servers of the tests.
enum Servers {
  static let uri = TestDatabase.uri
  static var isThere: Bool { uri != nil }
  /// Whether private servers can be started, which tests may stop; the server of `DATABASE_URL` must not be stopped.
  static let canBeStarted = isThere && PrivatePostgreSQL.isInstalled

  /// A server that listens on the network, shared by the tests that do not disturb it.
  static let network: PrivatePostgreSQL? =
    canBeStarted ? try? PrivatePostgreSQL(network: true) : nil

  /// The timeout of stores in seconds, in tests that are not about timeouts. With thousands of concurrent tests, a
  /// lock holder may not run for minutes.
  static let patience = 1_800.0

  /// Describes a new schema of the tests' database.
  static func description(timeout: Double = Servers.patience) throws -> PersistentStoreDescription {
    var description = try PersistentStoreDescription.postgresql(
      try #require(uri), schema: "test_\(UUID().uuidString)")
    description.timeout = timeout
    return description
  }

  /// Describes a new schema of a server, by its socket.
  static func description(
    on server: PrivatePostgreSQL, schema: String = "test_\(UUID().uuidString)",
    timeout: Double = Servers.patience
  ) throws -> PersistentStoreDescription {
    var description = try PersistentStoreDescription.postgresql(server.uri, schema: schema)
    description.timeout = timeout
    return description
  }

  /// Describes a new schema of a server, by the network.
  static func networkDescription(
    port: Int, password: String?, host: String = "127.0.0.1", tls: PostgreSQLTLS = .plaintext,
    schema: String = "test_\(UUID().uuidString)", timeout: Double = Servers.patience
  ) -> PersistentStoreDescription {
    var description = PersistentStoreDescription.postgresql(
      host: host, port: port, database: "roost", user: "roost", password: password,
      schema: schema, tls: tls)
    description.timeout = timeout
    return description
  }

  /// Runs statements as the server's superuser, without the store.
  static func administer(_ server: PrivatePostgreSQL, _ statements: String...) throws {
    try RawSession(server.uri.replacing("user=roost", with: "user=postgres")).run(statements)
  }
}
