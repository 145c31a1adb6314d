// SPDX-License-Identifier: Apache-2.0

import RoostQuery
import RoostSQL

/// How to read the records of each entity among the results of a statement.
final class RowReaders: StatementDecoder {
  /// The readers by the codes of the entities; none for a statement whose results are no records.
  let byCode: [RowReader?]

  init(_ query: SQLQuery, _ request: ResolvedFetch, _ mapping: SQLSchema) {
    guard case .rows(let columns) = query.shape else {
      byCode = []
      return
    }
    let numbers = Dictionary(
      uniqueKeysWithValues: columns.enumerated().map { ($1.name, Int32($0 + 2)) })
    let entities = request.entities.compactMap { mapping.entity($0) }
    var readers = [RowReader?](repeating: nil, count: (entities.map(\.code).max() ?? 0) + 1)
    for entity in entities {
      readers[entity.code] = RowReader(
        entity,
        columns: entity.storedSlots.map { slot in
          guard let number = entity.column(slot).flatMap({ numbers[$0.name] }) else {
            preconditionFailure("A result has the columns of all entities that were asked for.")
          }
          return number
        })
    }
    byCode = readers
  }
}

extension CompiledFetch {
  /// The readers by the codes of the entities.
  var readers: [RowReader?] {
    // This driver makes no other decoders.
    unsafeDowncast(statement.decoder, to: RowReaders.self).byCode
  }
}
