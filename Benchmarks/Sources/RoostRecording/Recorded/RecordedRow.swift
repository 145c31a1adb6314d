// SPDX-License-Identifier: Apache-2.0

import Roost

/// A row in a recording: its values other than nil, by the names of their slots.
struct RecordedRow: Codable {
  var entity: String
  var key: Int64
  var version: Int64
  var values: [String: RecordedValue]

  init(_ row: Row, in store: StoreIdentity) throws {
    let layout = row.layout
    entity = layout.entity.name ?? ""
    key = row.key
    version = row.version
    values = [:]
    for slot in layout.storedSlots where !row.isNull(slot) {
      values[RecordedModel.plainName(layout.names[slot.index])] = try RecordedValue(
        row.value(at: slot), in: store)
    }
  }

  /// The approximate number of bytes of all values in a network protocol.
  var byteCount: Int { values.values.reduce(16) { $0 + $1.byteCount } }
}

extension RecordedValue {
  /// The approximate number of bytes of the value in a network protocol.
  var byteCount: Int {
    switch self {
    case .null: 0
    case .integer, .double, .date, .object: 8
    case .boolean: 1
    case .string(let text), .uri(let text), .decimal(let text): text.utf8.count
    case .data(let data): data.count
    case .uuid: 16
    }
  }
}

extension Row {
  /// The approximate number of bytes of the values, counted as in ``RecordedRow/byteCount``.
  var byteCount: Int {
    var sum = 16
    for slot in layout.storedSlots where !isNull(slot) {
      switch slot.kind {
      case .integer, .double, .date, .reference, .position: sum += 8
      case .boolean: sum += 1
      case .string: sum += string(slot).utf8.count
      case .data: sum += data(slot).count
      case .uuid: sum += 16
      case .decimal: sum += 16
      case .uri: sum += uri(slot)?.absoluteString.utf8.count ?? 0
      case .transformable: sum += transformable(slot)?.encoded?.count ?? 0
      }
    }
    return sum
  }
}
