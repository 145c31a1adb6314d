// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Decoding of previous values and previous links.
extension HistoryDecoder {
  /// Reads the slots that all records of a group share.
  static func slots(_ reader: inout HistoryReader) throws -> [StorePreviousValue] {
    try (0..<reader.count()).map { _ in
      guard let kind = StorePreviousValue.Kind(rawValue: try reader.byte()) else {
        throw HistoryDamage()
      }
      return StorePreviousValue(kind: kind, name: try reader.text(), value: .null)
    }
  }

  /// Reads the values of one record.
  static func values(
    of slots: [StorePreviousValue], _ reader: inout HistoryReader
  ) throws -> [StorePreviousValue] {
    var result = slots
    for index in result.indices { result[index].value = try reader.value() }
    return result
  }

  /// Reads the links, table by table.
  static func links(_ reader: inout HistoryReader) throws -> [StorePreviousLink] {
    var result: [StorePreviousLink] = []
    for _ in 0..<(try reader.count()) {
      let code = try reader.number()
      guard code <= UInt64(RecordKey.largestEntityCode) else { throw HistoryDamage() }
      let name = try reader.text()
      for _ in 0..<(try reader.count()) {
        let (source, destination) = (try reader.signed(), try reader.signed())
        result.append(
          StorePreviousLink(
            entityCode: Int(code), relationship: name, source: source, destination: destination,
            state: try state(&reader)))
      }
    }
    return result
  }

  private static func state(_ reader: inout HistoryReader) throws -> LinkChange.Kind {
    let flags = try reader.byte()
    switch flags {
    case 0: return .unlink
    case 1...7 where flags & 1 == 1:
      return .link(
        position: flags & 2 == 0 ? nil : try reader.signed(),
        inversePosition: flags & 4 == 0 ? nil : try reader.signed())
    default: throw HistoryDamage()
    }
  }
}
