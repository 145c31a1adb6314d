// SPDX-License-Identifier: Apache-2.0

/// The schema of a store: its name, its locks, and its tables that do not depend on a model.
///
/// Every statement qualifies its tables with the schema, so that no statement depends on the search path of its
/// session.
struct PostgreSQLNamespace: Sendable {
  /// The schema's name.
  let schema: String
  /// The qualifier of the names of the schema's tables, sequences and indexes.
  let prefix: String

  init(schema: String) {
    self.schema = schema
    prefix = Self.quoted(schema) + "."
  }

  /// The store type in the metadata.
  static let storeType = "PostgreSQL"
  /// The version of the tables below.
  static let formatVersion: Int64 = 1
  /// The version of a store that has taken part in a save over several stores, or refers to records of other stores.
  /// Programs that do not know of either refuse it.
  static let acrossStoresVersion: Int64 = 2
  /// The format number without the version of the store's own tables: a program that has the store open continues when
  /// that version is raised.
  static let format = "((format | 255) - 254)"
  /// `Roos` in ASCII: the key space of the advisory locks below, which keeps them apart from those of other programs.
  static let lockSpace: Int32 = 0x526F_6F73
  /// `Rmig` in ASCII: the key space of the migration locks.
  static let migratingLockSpace: Int32 = 0x526D_6967

  /// The number of the open transaction, as an expression.
  static let transaction = "CAST(CAST(pg_catalog.pg_current_xact_id() AS text) AS bigint)"

  static let tables = [
    "_roost_metadata", "_roost_names", "_roost_indexes", "_roost_commits", sessions, models,
    versions, newSessions, history, historyState,
    historyBookmarks, prepared, decisions, coordinators, acknowledged, foreign,
  ]

  /// The table of programs that use the store in shared sessions. Older stores have none until it is needed.
  static let sessions = "_roost_sessions"
  /// The table of the model text. Older stores have none until they keep the text.
  static let models = "_roost_models"
  /// The table of the second version of the model; only where a store serves two.
  static let versions = "_roost_versions"
  /// The table of the ``sessions`` rows that use the second version; only where a store serves two.
  static let newSessions = "_roost_new_sessions"
  /// The table of the history's transactions; only where a store keeps a history.
  static let history = "_roost_history"
  /// The table that identifies the history; only where a store keeps one.
  static let historyState = "_roost_history_state"
  /// The table of the named history bookmarks; only where there is one.
  static let historyBookmarks = "_roost_history_bookmarks"
  /// The tables of the parts of saves over several stores, of the decisions on such saves, of the coordinators that
  /// can decide here, and of the decisions that participants have acknowledged; only where there was such a save.
  static let prepared = "_roost_prepared"
  static let decisions = "_roost_decisions"
  static let coordinators = "_roost_coordinators"
  static let acknowledged = "_roost_acknowledged"
  /// The table of referenced records of other stores; only where there are such references.
  static let foreign = "_roost_foreign"
  /// The tables of this store's own connections and transactions, which are not copied with it.
  static let unshared: Set = [
    "_roost_commits", sessions, versions, newSessions, history, historyState,
    historyBookmarks, prepared, decisions, coordinators, acknowledged,
  ]

  /// The tables, as statements name them.
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

  /// Returns a table of the model, or one of the store's own, as statements name it.
  func table(_ name: String) -> String { prefix + "\"\(name)\"" }

  /// Returns an expression for the object identifier (`regclass`) of a table.
  func identity(of table: String) -> String {
    "CAST(\(Self.literal(table)) AS pg_catalog.regclass)"
  }

  /// Returns a text as a literal that is valid whatever `standard_conforming_strings` says.
  static func literal(_ text: String) -> String {
    let doubled = text.replacing("'", with: "''")
    guard doubled.contains("\\") else { return "'" + doubled + "'" }
    return " E'" + doubled.replacing("\\", with: "\\\\") + "'"
  }

  /// Returns a quoted identifier of a name that the user has given.
  static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }
}
