// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

// The sizes of values, for instruments. They are computed only when one is attached.

extension Row {
  /// The size of the key and of all values in bytes.
  package var valueSize: Int { layout.slots.reduce(8) { $0 + valueSize(at: $1) } }

  private func valueSize(at slot: RowSlot) -> Int {
    if isNull(slot) { return 0 }
    return switch slot.kind {
    case .integer, .boolean, .double, .date, .reference, .position: 8
    case .uuid, .decimal: 16
    case .string: string(slot).utf8.count
    case .data: data(slot).count
    case .uri: uri(slot)?.absoluteString.utf8.count ?? 0
    case .transformable: transformable(slot)?.encoded?.count ?? 0
    }
  }

  /// The size of the key and of some values in bytes.
  fileprivate func valueSize(ofSlots indices: [Int]) -> Int {
    indices.reduce(8) { $0 + valueSize(at: layout.slots[$1]) }
  }
}

extension [Row] {
  /// The size of the keys and the values of all rows in bytes.
  package var valueSize: Int { reduce(0) { $0 + $1.valueSize } }
}

extension StoreFetchResult.Content {
  /// The size of the rows, keys or values in bytes.
  package var valueSize: Int {
    switch self {
    case .rows(let rows): rows.valueSize
    case .keys(let keys): keys.count * 8
    case .count: 8
    case .tuples(let values, _): values.reduce(0) { $0 + $1.size }
    }
  }
}

extension SQLRows {
  /// The size of the values in bytes.
  package var valueSize: Int { values.reduce(0) { $0 + $1.size } }
}

extension Value {
  fileprivate var size: Int {
    switch self {
    case .null: 0
    case .integer, .double, .boolean, .date, .objectID: 8
    case .uuid, .decimal: 16
    case .string(let text): text.utf8.count
    case .data(let data): data.count
    case .uri(let url): url.absoluteString.utf8.count
    case .transformable(let value): value.encoded?.count ?? 0
    case .list(let values): values.reduce(0) { $0 + $1.size }
    case .composite(let elements): elements.values.reduce(0) { $0 + $1.size }
    }
  }
}

extension StoreChangeSet {
  /// The size of the written keys, values and links in bytes.
  package var valueSize: Int {
    inserted.reduce(0) { $0 + $1.valueSize }
      + updated.reduce(0) { $0 + $1.row.valueSize(ofSlots: $1.changedSlots) }
      + (deleted.count + locked.count) * 8 + links.count * 16
  }
}
