// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Decodes the output of a ``HistoryEncoder``. It accepts untrusted bytes.
enum HistoryDecoder {
  /// The maximum number of changes in one transaction.
  static let limit = 1 << 28

  static func decode(
    _ reader: inout HistoryReader, withValues: Bool
  ) throws -> (changes: [StoreRecordChange], links: [StorePreviousLink]) {
    let changes = try changes(&reader, withValues: withValues)
    let links = withValues ? try links(&reader) : []
    guard reader.isAtEnd else { throw HistoryDamage() }
    return (changes, links)
  }

  private static func changes(
    _ reader: inout HistoryReader, withValues: Bool
  ) throws -> [StoreRecordChange] {
    var result: [StoreRecordChange] = []
    for _ in 0..<(try reader.count()) {
      guard let kind = StoreRecordChange.Kind(rawValue: try reader.byte()) else {
        throw HistoryDamage()
      }
      let keys = try keys(&reader, room: limit - result.count)
      switch kind {
      case .insert: result += keys.map { StoreRecordChange(key: $0, kind: .insert) }
      case .update:
        let names = try (0..<reader.count()).map { _ in try reader.text() }
        var updates = keys.map { StoreRecordChange(key: $0, kind: .update, properties: names) }
        if withValues {
          let slots = try slots(&reader)
          for index in updates.indices { updates[index].previous = try values(of: slots, &reader) }
        }
        result += updates
      case .delete:
        let names = try (0..<reader.count()).map { _ in try reader.text() }
        for key in keys {
          var change = StoreRecordChange(key: key, kind: .delete)
          if !names.isEmpty { change.tombstone = try tombstone(names, &reader) }
          result.append(change)
        }
        guard withValues else { continue }
        let slots = try slots(&reader)
        for index in result.indices.suffix(keys.count) {
          result[index].lastVersion = try reader.signed()
          result[index].previous = try values(of: slots, &reader)
        }
      }
    }
    let isOrdered = zip(result, result.dropFirst()).allSatisfy { precedes($0, $1) }
    return isOrdered ? result : result.sorted(by: precedes)
  }

  private static func precedes(_ left: StoreRecordChange, _ right: StoreRecordChange) -> Bool {
    func order(_ change: StoreRecordChange) -> (UInt8, Int, Int64) {
      (change.kind.rawValue, RecordKey.entityCode(of: change.key), change.key)
    }
    return order(left) < order(right)
  }

  private static func keys(_ reader: inout HistoryReader, room: Int) throws -> [Int64] {
    let code = try reader.number()
    guard code <= UInt64(RecordKey.largestEntityCode) else { throw HistoryDamage() }
    var keys: [Int64] = []
    var expected: Int64 = 0
    for _ in 0..<(try reader.count()) {
      let (first, isTooLarge) = expected.addingReportingOverflow(try reader.signed())
      let count = try reader.number()
      guard !isTooLarge, count > 0, count <= UInt64(room - keys.count),
        first > Int64.min >> 13, first < Int64.max >> 13
      else { throw HistoryDamage() }
      for offset in 0..<Int64(count) {
        keys.append(RecordKey.make(sequence: first + offset, entityCode: Int(code)))
      }
      expected = first + Int64(count)
    }
    return keys
  }

  private static func tombstone(
    _ names: [String], _ reader: inout HistoryReader
  ) throws -> [String: Value]? {
    var values: [String: Value] = [:]
    for name in names {
      let value = try reader.value()
      if !value.isNull { values[name] = value }
    }
    return values
  }
}
