// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

// The canonical text of the model that the store was last written with (M5).
extension PostgreSQLNamespace {
  /// The length limit of a text that is read, in bytes.
  private static let largestText = 16 << 20

  /// Reads the text; nil when the store keeps none.
  ///
  /// - Throws: `corruptStore` for text that no store has written.
  func modelText(_ connection: PostgreSQLConnection) throws -> [UInt8]? {
    let name = Self.literal(modelsTable)
    let isThere = try connection.run(
      .once("SELECT pg_catalog.to_regclass(\(name)) IS NOT NULL")
    ).isTrue()
    guard isThere else { return nil }
    let result = try connection.run(.once("SELECT text FROM \(modelsTable) LIMIT 2"))
    guard result.count > 0 else { return nil }
    guard result.count == 1, let text = result.text(), !text.isEmpty,
      text.utf8.count <= Self.largestText
    else {
      throw PersistenceError(
        .corruptStore, "The text of the model that the store keeps is damaged.")
    }
    return Array(text.utf8)
  }

  /// Writes the text of a schema's model in place of the one before, as part of the open transaction.
  func writingModelText(
    of schema: StoreSchema, checksum: String
  ) throws -> [PostgreSQLCommand] {
    let text = String(decoding: try schema.modelText(), as: UTF8.self)
    return [
      .once(modelsDefinition), .once("DELETE FROM \(modelsTable)"),
      try PostgreSQLCommand(
        "INSERT INTO \(modelsTable) (checksum, text) VALUES ($1, $2)",
        [.text(checksum), .text(text)], isKept: false),
    ]
  }

  /// Replaces the names that an evolution changes, as part of the open transaction.
  func writingNames(of evolution: SQLEvolution) throws -> [PostgreSQLCommand] {
    var commands: [PostgreSQLCommand] = []
    let removed = evolution.removedPaths + evolution.writtenNames.map(\.path)
    if !removed.isEmpty {
      commands.append(
        try PostgreSQLCommand(
          "DELETE FROM \(namesTable) WHERE path = ANY($1)",
          [.list(SQLList(removed.map(SQLValue.text)))], isKept: false))
    }
    let written = evolution.writtenNames
    if !written.isEmpty {
      commands.append(
        try PostgreSQLCommand(
          "INSERT INTO \(namesTable) (path, identifier) SELECT * FROM unnest($1, $2)",
          [
            .list(SQLList(written.map { .text($0.path) })),
            .list(SQLList(written.map { .text($0.identifier) })),
          ], isKept: false))
    }
    return commands
  }
}
