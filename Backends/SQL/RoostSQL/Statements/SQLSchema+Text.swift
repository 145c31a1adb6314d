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
    var text = ""
    var values: [SQLValue] = []
    for part in query.parts {
      switch part {
      case .text(let piece): text += piece
      case .value(let value):
        values.append(try SQLValue(value))
        text += dialect.parameter(values.count)
      case .table(let name): text += records(of: try entity(named: name))
      case .column(let name, let entityName):
        text += dialect.quoted(try column(name, of: entityName).name)
      case .refused(let error): throw error
      }
    }
    text = Self.single(text)
    guard Self.reads(text) else {
      throw PersistenceError(
        .invalidRequest,
        "A statement must read: it begins with SELECT, WITH, VALUES or EXPLAIN. Changes are made with objects, or with "
          + "batch requests.")
    }
    return (text, values)
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

  /// A statement without the semicolon and the blanks that may follow it.
  private static func single(_ text: String) -> String {
    var rest = text[...]
    while let last = rest.last, last.isWhitespace || last == ";" { rest.removeLast() }
    return String(rest.drop(while: \.isWhitespace))
  }

  private static func reads(_ text: String) -> Bool {
    let word = text.prefix { $0.isLetter }.uppercased()
    return word == "SELECT" || word == "WITH" || word == "VALUES" || word == "EXPLAIN"
  }
}
