// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore
import Synchronization

/// The prepared model of a store: its mapping, and the statements and readers of each entity's records.
final class PreparedSchema: Sendable {
  let mapping: SQLSchema
  /// The indexes of words that statements use.
  let words: [WordTable]
  /// The number of records that were written since the indexes of words were brought up to date.
  let unindexed = Atomic(0)
  /// How derived attributes are computed.
  let derivations: DerivationPlan
  private let records: [Lazy<RecordType>?]
  /// The compiled fetch requests.
  let fetches: CompiledFetches

  init(_ mapping: SQLSchema, words: [SQLWordColumn: WordTable] = [:]) throws {
    let mapping = mapping.using(words.mapValues { $0.searchIndex(mapping.dialect) })
    self.mapping = mapping
    self.words = words.values.sorted { $0.id < $1.id }
    derivations = try mapping.store.derivations()
    let types = mapping.store.entities.compactMap { mapping.entity($0) }
    var records = [Lazy<RecordType>?](
      repeating: nil, count: (types.map(\.code).max() ?? 0) + 1)
    for entity in types { records[entity.code] = Lazy { RecordType(entity, mapping) } }
    self.records = records
    fetches = CompiledFetches(mapping) { query, request in
      RowReaders(query, request, mapping)
    }
  }

  /// Returns the statements and the reader of a record.
  ///
  /// - Throws: `corruptStore` when the key names no entity.
  func recordType(ofKey key: Int64) throws -> RecordType {
    let code = RecordKey.entityCode(of: key)
    guard code < records.count, let type = records[code] else {
      throw PersistenceError(.corruptStore, "A key of the store names no entity of the model.")
    }
    return type.value
  }
}

/// The statements and the reader of one entity's records.
final class RecordType: Sendable {
  let entity: SQLEntity
  /// Reads records by their keys.
  let select: String
  /// Reads so many records that it is planned for their keys.
  let selectMany: String
  /// Reads one record by its key.
  let selectOne: String
  let insert: String
  /// Inserts a record unless its key or its unique values are taken.
  let insertIfFree: String
  let copyTarget: String
  /// Statements that remove the links of records, each for one end of one link table.
  let deleteLinks: [String]
  let reader: RowReader
  /// The types of the columns of `select` and `selectOne`.
  let types: [PostgreSQLType]

  init(_ entity: SQLEntity, _ mapping: SQLSchema) {
    self.entity = entity
    select = mapping.selectMany(entity, isLong: false)
    selectMany = mapping.selectMany(entity, isLong: true)
    selectOne = mapping.selectOne(entity)
    insert = mapping.insert(entity)
    insertIfFree = insert + " ON CONFLICT DO NOTHING"
    copyTarget = mapping.copyTarget(entity)
    reader = RowReader(entity, columns: entity.storedSlots.indices.map { Int32($0 + 2) })
    types = [.integer, .integer] + entity.storedSlots.map { PostgreSQLType($0.kind) }
    deleteLinks = mapping.linkTables.flatMap { table in
      let relationship = table.links.relationship
      var statements: [String] = []
      if let source = relationship.entity, entity.entity.isKindOf(entity: source) {
        statements.append(mapping.deleteLinksOfMany(table, ofSource: true))
      }
      if let destination = relationship.destinationEntity,
        entity.entity.isKindOf(entity: destination)
      {
        statements.append(mapping.deleteLinksOfMany(table, ofSource: false))
      }
      return statements
    }
  }
}
