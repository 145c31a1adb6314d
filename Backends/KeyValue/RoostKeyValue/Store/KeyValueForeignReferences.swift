// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

/// The references of a key-value store to records of other stores.
struct KeyValueForeignReferences: StoreForeignReferences {
  let store: KeyValueStore

  func intern(_ references: [ForeignReference]) throws -> [Int64] {
    let known = try numbers(of: references)
    if known.allSatisfy({ $0 != nil }) { return known.compactMap(\.self) }
    try store.requireWritable("refers to no records of other stores")
    return try writing { tables, snapshot, batch in
      try FormatBlob.raise(over: snapshot, in: &batch)
      var last = try lastNumber(tables, snapshot)
      return try references.map { reference in
        if let number = try number(of: reference, tables, snapshot) { return number }
        guard last < ForeignNumber.largest else {
          throw ForeignNumber.exhausted(store: store.identity.identifier)
        }
        last += 1
        put(reference, as: last, tables, &batch)
        return last
      }
    }
  }

  func numbers(of references: [ForeignReference]) throws -> [Int64?] {
    try reading { tables, snapshot in
      guard let tables else { return [Int64?](repeating: nil, count: references.count) }
      return try references.map { try number(of: $0, tables, snapshot) }
    }
  }

  func forEachReference(
    in numbers: ClosedRange<Int64>, _ body: (Int64, ForeignReference) throws -> Void
  ) throws {
    try reading { tables, snapshot in
      guard let tables else { return }
      let range = KeyRange(
        lower: ForeignTables.bytes(numbers.lowerBound),
        upper: ForeignTables.bytes(numbers.upperBound &+ 1))
      try snapshot.scanEntries(of: tables.numbers, in: range, descending: false) { chunk in
        for index in 0..<chunk.count {
          let entry = chunk[index]
          try body(
            ForeignTables.number(entry.key), try ForeignTables.reference(entry.value))
        }
        return true
      }
    }
  }

  func rewrite(_ changes: [(number: Int64, reference: ForeignReference)]) throws {
    try store.requireWritable("refers to no other records of other stores")
    try writing { tables, snapshot, batch in
      var isListed: [Int64: Bool] = [:]
      for (number, _) in changes {
        guard
          let value = try snapshot.value(of: ForeignTables.bytes(number), in: tables.numbers)
        else { continue }
        isListed[number] = true
        let former = try ForeignTables.reference(value)
        remove(ForeignTables.key(of: former), from: tables.references, &batch)
      }
      // The last change of a key wins: a reference may have moved from one number to another.
      for (number, reference) in changes where isListed[number] == true {
        put(reference, as: number, tables, &batch)
      }
    }
  }

  func remove(_ unused: () throws -> [Int64]) throws -> Int {
    try store.requireWritable("removes no references to other stores")
    guard try reading({ tables, _ in tables != nil }) else { return 0 }
    return try writing { tables, snapshot, batch in
      let numbers = try unused()
      guard !numbers.isEmpty else { return 0 }
      let last = try lastNumber(tables, snapshot)
      guard last < ForeignNumber.largest else {
        throw ForeignNumber.exhausted(store: store.identity.identifier)
      }
      let mark = try number(of: .removalMark, tables, snapshot)
      for number in numbers + (mark.map { [$0] } ?? []) {
        let key = ForeignTables.bytes(number)
        guard let value = try snapshot.value(of: key, in: tables.numbers) else { continue }
        let reference = try ForeignTables.reference(value)
        remove(key, from: tables.numbers, &batch)
        remove(ForeignTables.key(of: reference), from: tables.references, &batch)
      }
      // The last change of a key wins. Without this entry, the largest removed number would be assigned again.
      put(.removalMark, as: last + 1, tables, &batch)
      return numbers.count
    }
  }

  private func remove(_ key: [UInt8], from table: EntryTable, _ batch: inout WriteBatch) {
    batch.changeEntries(of: table) { entries in
      entries.append(.remove) { bytes in
        bytes += key
        return []
      }
    }
  }

  private func put(
    _ reference: ForeignReference, as number: Int64, _ tables: ForeignTables,
    _ batch: inout WriteBatch
  ) {
    batch.changeEntries(of: tables.numbers) { entries in
      entries.append(.put) { key in
        key += ForeignTables.bytes(number)
        return ForeignTables.value(reference)[...]
      }
    }
    batch.changeEntries(of: tables.references) { entries in
      entries.append(.put) { key in
        key += ForeignTables.key(of: reference)
        return ForeignTables.bytes(number)[...]
      }
    }
  }

  private func number(
    of reference: ForeignReference, _ tables: ForeignTables, _ snapshot: any KeyValueSnapshot
  ) throws -> Int64? {
    try snapshot.value(of: ForeignTables.key(of: reference), in: tables.references).map {
      guard $0.count == 8 else { throw ForeignTables.damage }
      return ForeignTables.number($0)
    }
  }

  private func lastNumber(
    _ tables: ForeignTables, _ snapshot: any KeyValueSnapshot
  ) throws -> Int64 {
    var last: Int64 = 0
    try snapshot.scanEntries(of: tables.numbers, in: .all, descending: true) { chunk in
      if chunk.count > 0 { last = ForeignTables.number(chunk[chunk.count - 1].key) }
      return false
    }
    return last
  }

  private func writing<Result>(
    _ body: (ForeignTables, any KeyValueSnapshot, inout WriteBatch) throws -> Result
  ) throws -> Result {
    let schema = try store.preparedSchema()
    guard let tables = schema.foreign else {
      throw PersistenceError(
        .persistentStoreOperation,
        "The store was prepared for a model whose relationships stay within one store.",
        store: store.identity.identifier)
    }
    return try store.engine.writing(store.cancellation) { snapshot, batch in
      try schema.check(snapshot)
      return try body(tables, snapshot, &batch)
    }
  }

  private func reading<Result>(
    _ body: (ForeignTables?, any KeyValueSnapshot) throws -> Result
  ) throws -> Result {
    let schema = try store.preparedSchema()
    return try store.engine.reading { snapshot in
      try schema.check(snapshot)
      return try body(schema.foreign, snapshot)
    }
  }
}

extension KeyValueSchema {
  /// Refuses a change set that refers to records of other stores by numbers that were removed.
  func requireForeignNumbers(
    of changes: StoreChangeSet, in snapshot: any KeyValueSnapshot
  ) throws {
    for number in changes.foreignNumbers {
      guard let foreign,
        try snapshot.value(of: ForeignTables.bytes(number), in: foreign.numbers) != nil
      else { throw ForeignNumber.removed(store: schema.identity.identifier) }
    }
  }
}

extension KeyValueStore {
  /// The references of the store to records of other stores.
  public var foreignReferences: (any StoreForeignReferences)? {
    KeyValueForeignReferences(store: self)
  }
}
