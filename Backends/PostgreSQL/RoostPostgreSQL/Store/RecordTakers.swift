// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostSQL
import RoostStore

/// Decodes rows from the records that a server sends: a key, a version, then the columns.
struct RowTaker: RecordTaker {
  /// The readers of each entity's records, by entity code.
  private let readers: [RowReader?]
  /// Rows that are known already; nil once looking them up is not worthwhile.
  private var known: (any KnownRows)?
  private(set) var rows: [Row] = []
  private var misses = 0

  init(_ readers: [RowReader?], known: (any KnownRows)? = nil, expected: Int = 0) {
    self.readers = readers
    self.known = known
    rows.reserveCapacity(expected)
  }

  /// Takes the records of one entity.
  init(_ type: RecordType, expected: Int) {
    var readers = [RowReader?](repeating: nil, count: type.entity.code + 1)
    readers[type.entity.code] = type.reader
    self.init(readers, expected: expected)
  }

  var count: Int { rows.count }

  mutating func take(_ fields: some RecordFields) throws {
    let key = fields.integer(0)
    let code = RecordKey.entityCode(of: key)
    guard code < readers.count, let reader = readers[code] else {
      throw PersistenceError(.corruptStore, "A key of the store names no entity of the model.")
    }
    let version = fields.integer(1)
    if let row = known?.row(forKey: key, version: version) {
      rows.append(row)
      return
    }
    rows.append(try reader.row(from: fields, key: key, version: version))
    misses += 1
    // When most rows are new, looking up the others is not worthwhile.
    if misses > 256, misses * 2 > rows.count { known = nil }
  }
}

/// Takes the keys of records that have no other fields, and passes each to the collector if there is one.
struct KeyTaker: RecordTaker {
  private let collector: KeyCollector?
  /// The keys, when there is no collector.
  private(set) var keys: [Int64] = []
  private(set) var count = 0

  init(_ collector: KeyCollector?) {
    self.collector = collector
    // The request may be retried.
    collector?.removeAll()
  }

  mutating func take(_ fields: some RecordFields) throws {
    count += 1
    if let collector { collector.append(fields.integer(0)) } else { keys.append(fields.integer(0)) }
  }
}

/// Takes the values of records that are not objects.
struct TupleTaker: RecordTaker {
  let reader: TupleReader
  private(set) var values: [Value] = []
  private(set) var count = 0

  init(_ reader: TupleReader) {
    self.reader = reader
  }

  mutating func take(_ fields: some RecordFields) throws {
    try reader.append(fields, to: &values)
    count += 1
  }
}
