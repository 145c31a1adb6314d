// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

// The canonical text of the model that the store was last written with (M5). The table is created with the first text,
// so older stores have none.
extension SQLiteFile {
  /// The length limit of a text that is read, in bytes.
  private static let largestText = 16 << 20

  /// Reads the text; nil when the store keeps none.
  ///
  /// - Throws: `corruptStore` for text that no store has written.
  static func modelText(_ connection: SQLiteConnection) throws -> [UInt8]? {
    let hasTable =
      try connection.number(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '_roost_models'") == 1
    guard hasTable else { return nil }
    return try connection.withStatement("SELECT text FROM _roost_models LIMIT 2") { statement in
      guard try statement.step() else { return nil }
      let bytes = statement.textBytes(0)
      let text = bytes.count <= largestText ? [UInt8](bytes) : []
      guard !text.isEmpty, try !statement.step() else {
        throw PersistenceError(
          .corruptStore, "The text of the model that the store keeps is damaged.")
      }
      return text
    }
  }

  /// Writes the text of a schema's model in place of the one before, as part of the open transaction.
  static func writeModelText(
    of schema: StoreSchema, checksum: String, _ connection: SQLiteConnection
  ) throws {
    let text = String(decoding: try schema.modelText(), as: UTF8.self)
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS _roost_models (checksum TEXT PRIMARY KEY, text TEXT NOT NULL) "
        + "WITHOUT ROWID, STRICT")
    try connection.run("DELETE FROM _roost_models")
    try connection.run(
      "INSERT INTO _roost_models VALUES (?1, ?2)", [.text(checksum), .text(text)])
  }
}
