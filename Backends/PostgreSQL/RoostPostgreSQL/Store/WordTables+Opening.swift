// SPDX-License-Identifier: Apache-2.0

import RoostSQL
import RoostStore

extension WordTables {
  /// Returns the indexes that the statements of a store can use, once those that its model wants are made and built. A
  /// store that cannot be written, or whose user may not do that, uses those that there are.
  ///
  /// - Parameter mayChange: Whether indexes may be made, built and removed.
  static func complete(
    _ store: PostgreSQLStore, _ mapping: SQLSchema, mayChange: Bool
  ) throws -> [SQLWordColumn: WordTable] {
    do {
      return try store.withConnection { connection in
        let tables = try WordTables(connection, mapping)
        guard mayChange, !tables.isComplete else { return tables.usable }
        do {
          if !tables.isReconciled {
            try reconcile(connection, mapping) { store.log($0) }
          }
          for found in try WordTables(connection, mapping).intact.values
          where found.isReadable && (found.table.position != nil || found.hasNotes) {
            let writer = WordWriter(found.table, mapping.dialect, connection)
            while try writer.writePortion() { try store.cancellation.check() }
          }
        } catch let error as PostgreSQLError where error.kind == .refused {
          try connection.rollBack()
          store.description.log?.remark(
            "An index of words could not be made; searches read all records: \(error)")
        }
        return try WordTables(connection, mapping).usable
      }
    } catch let error as PostgreSQLError where error.lacksPrivilege {
      return [:]
    }
  }
}
