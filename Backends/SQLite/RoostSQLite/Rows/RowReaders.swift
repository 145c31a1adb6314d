// SPDX-License-Identifier: Apache-2.0

import RoostQuery
import RoostSQL

/// How to read the records of each entity among the results of a statement.
final class RowReaders: StatementDecoder {
  /// The readers by the codes of the entities; none for a statement whose results are no records.
  let byCode: [RowReader?]

  init(_ query: SQLQuery, _ request: ResolvedFetch, _ mapping: SQLSchema) {
    byCode = query.readers(of: request, mapping) { RowReader($0, columns: $1) }
  }
}

extension CompiledFetch {
  /// The readers by the codes of the entities.
  var readers: [RowReader?] {
    // This driver makes no other decoders.
    unsafeDowncast(statement.decoder, to: RowReaders.self).byCode
  }
}
