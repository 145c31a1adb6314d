// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

// Statements that a program writes itself.
extension SQLSchema {
  /// Returns a program's statement as the database takes it, and the values of its parameters.
  ///
  /// - Throws: `invalidRequest` for a statement that does not begin as one that reads, and for what the interpolation
  ///   has refused; `unknownEntity` and `unknownKey` for names that the store does not know; `invalidValue` for a
  ///   parameter that is no single value.
  package func statement(_ query: SQLText) throws -> (text: String, values: [SQLValue]) {
    var statement = StatementText()
    var values: [SQLValue] = []
    for part in query.parts {
      switch part {
      case .text(let piece): statement.append(piece)
      case .value(let value):
        values.append(try SQLValue(value))
        try statement.append(interpolated: dialect.parameter(values.count))
      case .table(let name):
        try statement.append(interpolated: records(of: try entity(named: name)))
      case .column(let name, let entityName):
        try statement.append(interpolated: dialect.quoted(try column(name, of: entityName).name))
      case .refused(let error): throw error
      }
    }
    guard !statement.hasMore else {
      throw PersistenceError(
        .invalidRequest, "The text has more than one statement: ask them one by one.")
    }
    guard Self.readingWords.contains(statement.firstWord.uppercased()) else {
      throw PersistenceError(
        .invalidRequest,
        "A statement must read: it begins with SELECT, WITH, VALUES or EXPLAIN. Changes are made with objects, or with "
          + "batch requests.")
    }
    return (statement.text, values)
  }

  /// The error for a statement that the database refuses.
  package static func refusal(_ reason: String, _ error: any Error) -> PersistenceError {
    PersistenceError(
      .invalidRequest, "The database refused the statement: \(reason).", underlying: error)
  }

  private func entity(named name: String) throws -> SQLEntity {
    guard let entity = store.entities.first(where: { $0.name == name }).flatMap(entity) else {
      throw PersistenceError(
        .unknownEntity, "The store holds no entity \(name).", entityName: name)
    }
    return entity
  }

  private func column(_ name: String, of entityName: String) throws -> SQLColumn {
    let entity = try entity(named: entityName)
    guard let column = entity.entity.layout.slot(named: name).flatMap(entity.column) else {
      throw PersistenceError(
        .unknownKey, "\(entityName) has no property \(name) that is stored in a column.",
        entityName: entityName, key: name)
    }
    return column
  }

  /// The table of an entity, or those records of it that are the entity's where others are in it, too.
  private func records(of entity: SQLEntity) -> String {
    let table = entity.table
    guard entity.concreteCodes != table.codes else { return table.reference }
    let codes = entity.concreteCodes.map(String.init).joined(separator: ", ")
    return "(SELECT * FROM \(table.reference) WHERE "
      + "\(dialect.quoted(SQLTable.key)) & \(RecordKey.largestEntityCode) IN (\(codes.isEmpty ? "NULL" : codes)))"
  }

  private static let readingWords: Set<String> = ["SELECT", "WITH", "VALUES", "EXPLAIN"]
}
