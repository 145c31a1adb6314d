// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostSQL
import RoostStore

/// Makes rows of the records that a server sends: a key, a version, then the columns.
struct RowTaker: RecordTaker {
  /// How to read the records of each entity, by its code.
  private let readers: [RowReader?]
  /// Rows that are known already, as long as asking for them pays.
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
    // Where most rows are new, asking for the others does not pay.
    if misses > 256, misses * 2 > rows.count { known = nil }
  }
}

/// Takes the keys of records that have nothing else, and hands them on where they are wanted one by one.
struct KeyTaker: RecordTaker {
  private let collector: KeyCollector?
  /// The keys that nobody wanted one by one.
  private(set) var keys: [Int64] = []
  private(set) var count = 0

  init(_ collector: KeyCollector?) {
    self.collector = collector
    // The request may be tried again.
    collector?.removeAll()
  }

  mutating func take(_ fields: some RecordFields) throws {
    count += 1
    if let collector { collector.append(fields.integer(0)) } else { keys.append(fields.integer(0)) }
  }
}

/// Takes the values of records that are no objects.
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
