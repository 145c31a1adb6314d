// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore
import Synchronization

/// The prepared model of a store: its mapping, and the statements and readers of each entity's records.
final class PreparedSchema: Sendable {
  let mapping: SQLSchema
  /// The indexes of words that statements use, and that saves maintain.
  let words: [WordTable]
  /// The plan that computes derived attributes.
  let derivations: DerivationPlan
  private let records: [Lazy<SQLiteRecordType>?]
  private let links: [ObjectIdentifier: LinkStatements]
  /// The compiled fetch requests.
  let fetches: CompiledFetches
  /// The epoch of the file's history, once it was read.
  let historyEpoch = KnownEpoch()

  init(_ mapping: SQLSchema, words: [SQLWordColumn: WordTable] = [:]) throws {
    let mapping = mapping.using(words.mapValues(\.searchIndex))
    self.mapping = mapping
    self.words = words.values.sorted { $0.id < $1.id }
    derivations = try mapping.store.derivations()
    let types = mapping.store.entities.compactMap { mapping.entity($0) }
    var records = [Lazy<SQLiteRecordType>?](
      repeating: nil, count: (types.map(\.code).max() ?? 0) + 1)
    for entity in types { records[entity.code] = Lazy { SQLiteRecordType(entity, mapping) } }
    self.records = records
    fetches = CompiledFetches(mapping) { query, request in
      RowReaders(query, request, mapping)
    }
    links = Dictionary(
      uniqueKeysWithValues: mapping.linkTables.map { table in
        let statements = LinkStatements(
          insert: mapping.insertLink(table), delete: mapping.deleteLink(table))
        return (ObjectIdentifier(table.links), statements)
      })
  }

  /// Returns the statements that write links; nil when the store does not hold them.
  func linkStatements(_ table: LinkTable) -> LinkStatements? {
    links[ObjectIdentifier(table)]
  }

  /// Returns the statements and the reader of a record.
  ///
  /// - Throws: `corruptStore` when the key names no entity.
  func recordType(ofKey key: Int64) throws -> SQLiteRecordType {
    let code = RecordKey.entityCode(of: key)
    guard code < records.count, let type = records[code] else {
      throw PersistenceError(.corruptStore, "A key of the store names no entity of the model.")
    }
    return type.value
  }
}

/// The statements and the reader of one entity's records.
final class SQLiteRecordType: Sendable {
  let entity: SQLEntity
  let select: String
  /// Reads a range of keys; the key is in the last column.
  let selectRange: String
  let insert: String
  private let mapping: SQLSchema
  private let groupText = Mutex<String?>(nil)
  /// The number of records that one statement inserts when there are many: a statement opens and closes its tables and
  /// indexes, which costs more than a record's values.
  let groupSize: Int
  let delete: String
  /// Deletes the records of a range of keys, all of one version.
  let deleteRange: String
  /// Increments the version and changes nothing else.
  let lock: String
  /// Statements that remove the links of a record, each for one end of one link table.
  let deleteLinks: [String]
  /// Statements that remove the links of a range of records, each for one end of one link table.
  let deleteLinksOfRange: [String]
  let reader: RowReader

  /// Inserts ``groupSize`` records. If one cannot be inserted, those before it are. The long text is generated at
  /// first use, so that a program that only reads does not pay for it when it starts.
  var insertGroup: String {
    groupText.withLock { text in
      if let text { return text }
      let made = mapping.insert(entity, count: groupSize, verb: "INSERT OR FAIL")
      text = made
      return made
    }
  }

  init(_ entity: SQLEntity, _ mapping: SQLSchema) {
    self.entity = entity
    self.mapping = mapping
    select = mapping.selectByKey(entity)
    selectRange = mapping.selectByKeys(entity)
    insert = mapping.insert(entity)
    groupSize = max(1, min(32, 512 / (entity.storedSlots.count + 2)))
    delete = mapping.delete(entity.table)
    deleteRange = mapping.deleteRange(entity.table)
    reader = RowReader(entity, columns: entity.storedSlots.indices.map { Int32($0 + 1) })
    lock = mapping.update(entity, slots: [])
    var ends: [(table: SQLLinkTable, isSource: Bool)] = []
    for table in mapping.linkTables {
      let relationship = table.links.relationship
      if let source = relationship.entity, entity.entity.isKindOf(entity: source) {
        ends.append((table, true))
      }
      if let destination = relationship.destinationEntity,
        entity.entity.isKindOf(entity: destination)
      {
        ends.append((table, false))
      }
    }
    deleteLinks = ends.map { mapping.deleteLinks($0.table, ofSource: $0.isSource) }
    deleteLinksOfRange = ends.map { mapping.deleteLinksOfRange($0.table, ofSource: $0.isSource) }
  }
}

/// The statements that write the links of one table.
struct LinkStatements: Sendable {
  let insert: String
  let delete: String
}
