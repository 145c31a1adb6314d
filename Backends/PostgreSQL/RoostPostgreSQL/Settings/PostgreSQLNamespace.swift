// SPDX-License-Identifier: Apache-2.0

/// The schema that is a store: what it is known by, and its tables that do not depend on a model.
///
/// Every statement names its tables with the schema, so that no statement depends on the search path of the session in
/// which it happens to run.
struct PostgreSQLNamespace: Sendable {
  /// The schema's name.
  let schema: String
  /// What stands before the name of a table, a sequence or an index of the schema.
  let prefix: String

  init(schema: String) {
    self.schema = schema
    prefix = Self.quoted(schema) + "."
  }

  /// What the metadata says of the store's type.
  static let storeType = "PostgreSQL"
  /// The version of the tables below.
  static let formatVersion: Int64 = 1
  /// The version of a store that has taken part in a save over several stores, or refers to records of others. Programs
  /// that know nothing of either refuse it.
  static let acrossStoresVersion: Int64 = 2
  /// The number of a store without that: who has it open goes on when it is raised.
  static let format = "((format | 255) - 254)"
  /// `Roos` in ASCII: the space of the locks below, so that they are not those of another program.
  static let lockSpace: Int32 = 0x526F_6F73
  /// `Rmig` in ASCII: the space of the locks of migrations.
  static let migratingLockSpace: Int32 = 0x526D_6967

  /// The number of the open transaction, as an expression.
  static let transaction = "CAST(CAST(pg_catalog.pg_current_xact_id() AS text) AS bigint)"

  static let tables = [
    "_roost_metadata", "_roost_names", "_roost_indexes", "_roost_commits", sessions, models,
    versions, newSessions, history, historyState,
    historyBookmarks, prepared, decisions, coordinators, acknowledged, foreign,
  ]

  /// The table of those who use the store in sessions that are shared. Stores of before have none until it is needed.
  static let sessions = "_roost_sessions"
  /// The table of the text of the model. Stores of before have none until they keep it.
  static let models = "_roost_models"
  /// The table of the second version of the model; only where a store serves two.
  static let versions = "_roost_versions"
  /// The table of those among ``sessions`` that use the second version; only where a store serves two.
  static let newSessions = "_roost_new_sessions"
  /// The table of the transactions; only where a store keeps a history.
  static let history = "_roost_history"
  /// The table that says which history that is; only where a store keeps one.
  static let historyState = "_roost_history_state"
  /// The table of those who follow the history by a name; only where there is one.
  static let historyBookmarks = "_roost_history_bookmarks"
  /// The tables of the parts of saves over several stores, of the decisions on such saves, of the coordinators that can
  /// decide here, and of the decisions that participants have taken note of; only where there was such a save.
  static let prepared = "_roost_prepared"
  static let decisions = "_roost_decisions"
  static let coordinators = "_roost_coordinators"
  static let acknowledged = "_roost_acknowledged"
  /// The table of the records of other stores that are referred to; only where there are such references.
  static let foreign = "_roost_foreign"
  /// The tables that are about this store's own connections and transactions, and not copied with it.
  static let unshared: Set = [
    "_roost_commits", sessions, versions, newSessions, history, historyState,
    historyBookmarks, prepared, decisions, coordinators, acknowledged,
  ]

  /// The tables, as they stand in a statement.
  var metadataTable: String { prefix + "\"_roost_metadata\"" }
  var namesTable: String { prefix + "\"_roost_names\"" }
  var indexesTable: String { prefix + "\"_roost_indexes\"" }
  var commitsTable: String { prefix + "\"_roost_commits\"" }
  var sessionsTable: String { prefix + "\"\(Self.sessions)\"" }
  var modelsTable: String { prefix + "\"\(Self.models)\"" }
  var versionsTable: String { prefix + "\"\(Self.versions)\"" }
  var newSessionsTable: String { prefix + "\"\(Self.newSessions)\"" }
  var historyTable: String { prefix + "\"\(Self.history)\"" }
  var historyStateTable: String { prefix + "\"\(Self.historyState)\"" }
  var historyBookmarksTable: String { prefix + "\"\(Self.historyBookmarks)\"" }
  var preparedTable: String { prefix + "\"\(Self.prepared)\"" }
  var decisionsTable: String { prefix + "\"\(Self.decisions)\"" }
  var coordinatorsTable: String { prefix + "\"\(Self.coordinators)\"" }
  var acknowledgedTable: String { prefix + "\"\(Self.acknowledged)\"" }
  var foreignTable: String { prefix + "\"\(Self.foreign)\"" }
  var sequence: String { prefix + "\"_roost_sequence\"" }

  /// A table of the store, or one of its own, as it stands in a statement.
  func table(_ name: String) -> String { prefix + "\"\(name)\"" }

  /// What a table is known by to the server, as an expression.
  func identity(of table: String) -> String {
    "CAST(\(Self.literal(table)) AS pg_catalog.regclass)"
  }

  /// A text as it stands in a statement, whatever the session makes of a backslash.
  static func literal(_ text: String) -> String {
    let doubled = text.replacing("'", with: "''")
    guard doubled.contains("\\") else { return "'" + doubled + "'" }
    return " E'" + doubled.replacing("\\", with: "\\\\") + "'"
  }

  /// A name that the user has given, as it stands in a statement.
  static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }
}
