// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQL
import RoostStore

/// The stored description of the second version of a store's model. It is beside the metadata, the names and the model
/// text of the old version, which stay where programs of that version read them.
struct SecondVersionRecord: Sendable {
  let metadata: StoreMetadata
  /// The identifiers of tables and columns, by their paths in this version.
  let names: [String: String]
  /// Whether the expansion of the store is complete.
  let isComplete: Bool
  /// The number of this second version, different for each expansion; nil before it is written.
  var number: Int64?
}

extension PostgreSQLNamespace {
  var versionsDefinition: String {
    """
    CREATE TABLE IF NOT EXISTS \(versionsTable) (id smallint PRIMARY KEY CHECK (id = 1), \
    complete boolean NOT NULL, json text COLLATE "C" NOT NULL, names text COLLATE "C" NOT NULL, \
    model text COLLATE "C" NOT NULL)
    """
  }

  var newSessionsDefinition: String {
    "CREATE TABLE IF NOT EXISTS \(newSessionsTable) (token uuid PRIMARY KEY)"
  }

  /// Reads the second version. Queries only a store that has the table for it.
  ///
  /// - Returns: nil when the store serves one version.
  /// - Throws: `corruptStore` for data that no store has written, `persistentStoreIncompatibleVersionHash` when the
  ///   table was dropped since.
  func secondVersion(
    _ connection: PostgreSQLConnection, _ reading: StoreReading
  ) throws -> SecondVersionRecord? {
    guard reading.hasSecondVersion else { return nil }
    let result: PostgreSQLResult
    do {
      result = try connection.run(
        .once(
          "SELECT v.json, v.names, v.complete, CAST(m.second AS text) FROM \(versionsTable) AS v"
            + " CROSS JOIN \(metadataTable) AS m LIMIT 2"))
    } catch let error as PostgreSQLError where error.isMissingTable {
      // It was contracted or abandoned since the tables were read.
      throw StoreFormat.migratedElsewhere
    }
    guard result.count > 0 else { return nil }
    guard result.count == 1, let json = result.text(0, 0), let names = result.text(0, 1),
      let decoded = try? JSONDecoder().decode([String: String].self, from: Data(names.utf8)),
      decoded.values.allSatisfy(SQLNames.isIdentifier)
    else {
      throw PersistenceError(
        .corruptStore, "The store's record of its second version is damaged.")
    }
    return SecondVersionRecord(
      metadata: try Self.metadata(in: json), names: decoded, isComplete: result.isTrue(0, 2),
      number: result.text(0, 3).flatMap { Int64($0) })
  }

  /// Returns the command that writes an incomplete second version, as part of the open transaction.
  func writing(
    _ second: SecondVersionRecord, modelText: [UInt8]
  ) throws -> PostgreSQLCommand {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let names = String(decoding: try encoder.encode(second.names), as: UTF8.self)
    return try PostgreSQLCommand(
      "INSERT INTO \(versionsTable) (id, complete, json, names, model) VALUES (1, FALSE, $1, $2, $3)",
      [
        .text(String(decoding: try second.metadata.json(), as: UTF8.self)), .text(names),
        .text(String(decoding: modelText, as: UTF8.self)),
      ], isKept: false)
  }

  /// Returns the statements that drop the functions that keep the versions in step, with their triggers.
  ///
  /// - Parameter functionPrefix: The beginning of their names.
  func droppingFunctions(
    _ connection: PostgreSQLConnection, prefix functionPrefix: String = SQLExpansion.functionPrefix
  ) throws -> [PostgreSQLCommand] {
    let pattern = functionPrefix.replacing("_", with: "\\_") + "%"
    let result = try connection.run(
      PostgreSQLCommand(
        """
        SELECT p.proname FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n \
        ON n.oid = p.pronamespace WHERE n.nspname = $1 AND p.proname LIKE $2 ORDER BY p.proname
        """, [.text(schema), .text(pattern)], isKept: false))
    return (0..<result.count).compactMap { result.text($0) }.map {
      .once("DROP FUNCTION \(prefix)\(Self.quoted($0))() CASCADE")
    }
  }

  /// The advisory lock that a session holds while it uses the store in a version, by format number, that is not the
  /// version of all programs.
  func newVersionLock(_ format: StoreFormat) -> String {
    """
    \(Self.versionLockSpace), pg_catalog.hashtext(\
    CAST(CAST(\(identity(of: metadataTable)) AS pg_catalog.oid) AS text) || '/\(format.number)')
    """
  }

  /// `Rver` in ASCII: the key space of the version locks.
  static let versionLockSpace: Int32 = 0x5276_6572
}
