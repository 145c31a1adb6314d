// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// What a store knows of its model once it is prepared: the mapping, and how to read and write each entity's records.
final class PreparedSchema: Sendable {
  let mapping: SQLSchema
  private let records: [SQLiteRecordType?]

  init(_ mapping: SQLSchema) {
    self.mapping = mapping
    let types = mapping.store.entities.compactMap { mapping.entity($0) }
    var records = [SQLiteRecordType?](repeating: nil, count: (types.map(\.code).max() ?? 0) + 1)
    for entity in types { records[entity.code] = SQLiteRecordType(entity, mapping) }
    self.records = records
  }

  /// How to read and write a record.
  ///
  /// - Throws: `corruptStore` when its key names no entity.
  func recordType(ofKey key: Int64) throws -> SQLiteRecordType {
    let code = RecordKey.entityCode(of: key)
    guard code < records.count, let type = records[code] else {
      throw PersistenceError(.corruptStore, "A key of the store names no entity of the model.")
    }
    return type
  }
}

/// How the records of one entity are read and written by key.
final class SQLiteRecordType: Sendable {
  let entity: SQLEntity
  let select: String
  let insert: String
  let delete: String
  let reader: RowReader
  /// The tables in which links of such a record may be, and at which end.
  let linkEnds: [(table: SQLLinkTable, isSource: Bool)]

  init(_ entity: SQLEntity, _ mapping: SQLSchema) {
    self.entity = entity
    select = mapping.selectByKey(entity)
    insert = mapping.insert(entity)
    delete = mapping.delete(entity.table)
    reader = RowReader(entity, columns: entity.storedSlots.indices.map { Int32($0 + 1) })
    linkEnds = mapping.linkTables.flatMap { table in
      var ends: [(table: SQLLinkTable, isSource: Bool)] = []
      let relationship = table.links.relationship
      if entity.entity.isKindOf(entity: relationship.entity) { ends.append((table, true)) }
      if let destination = relationship.destinationEntity,
        entity.entity.isKindOf(entity: destination)
      {
        ends.append((table, false))
      }
      return ends
    }
  }
}
