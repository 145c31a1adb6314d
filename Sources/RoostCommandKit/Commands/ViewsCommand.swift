// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostModel
import RoostStore

/// `roost views`.
enum ViewsCommand {
  private static let writes = CommandFlag(
    "--write", "Makes the views in the database, in place of those that are there.")
  private static let drops = CommandFlag("--drop", "Removes the views from the database.")
  private static let schema = CommandOption(
    "--schema", "NAME", "The schema of the views on a server; roost_views unless given.")
  private static let prefix = CommandOption(
    "--prefix", "PREFIX", "The beginning of the views' names in a file; v_ unless given.")

  static let command = Command(
    "views", "Prints SQL views for other tools, or makes them.",
    discussion: """
      A view for each entity, with the names of the model, and for each relationship that is to many on both
      sides. Dates, decimals and UUIDs are in the types of PostgreSQL, or texts in SQLite. Without --write and
      --drop nothing is changed, and the printed statements can be part of a script. Stores in LMDB and
      binary files have no SQL.
      """,
    parameters: [CommonParameters.store, writes, drops, schema, prefix, CommonParameters.model]
  ) { parsed, console in try run(parsed, console) }

  private static func run(_ parsed: ParsedArguments, _ console: CommandConsole) throws {
    guard !parsed[writes] || !parsed[drops] else {
      throw UsageError("--write and --drop exclude each other.")
    }
    let address = try parsed.required(CommonParameters.store)
    let place = try chosenPlace(parsed, StoreAddress.Kind(address.existing().type))
    guard parsed[writes] || parsed[drops] else {
      return try StoreSession.reading(parsed) { session in
        for statement in try ability(of: session).statements(in: place) {
          console.print(statement + ";")
        }
      }
    }
    let session = try StoreSession(writing: address, modelPath: parsed[CommonParameters.model])
    defer { session.close() }
    let views = try ability(of: session)
    let names = try parsed[writes] ? views.write(in: place) : views.remove(in: place)
    for name in names { console.print(name) }
    console.print("\(Quantity.of(names.count, "view")) \(parsed[writes] ? "made" : "removed").")
  }

  /// The place that the command line names.
  private static func chosenPlace(
    _ parsed: ParsedArguments, _ kind: StoreAddress.Kind?
  ) throws -> String? {
    switch kind {
    case .postgresql:
      guard parsed[prefix] == nil else {
        throw UsageError("--prefix is for SQLite files: on a server the views have a --schema.")
      }
      return parsed[schema]
    case .sqlite:
      guard parsed[schema] == nil else {
        throw UsageError("--schema is for servers: in a SQLite file the views have a --prefix.")
      }
      return parsed[prefix]
    case .lmdb, .binary, nil: return nil
    }
  }

  private static func ability(of session: StoreSession) throws -> any StoreViews {
    guard let views = session.store.views else {
      throw PersistenceError(
        .persistentStoreUnsupportedRequestType,
        "\(session.title) is no SQL database: only SQLite files and PostgreSQL stores have views.")
    }
    return views
  }
}
