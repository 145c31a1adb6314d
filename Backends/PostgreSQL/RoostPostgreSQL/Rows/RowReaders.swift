// SPDX-License-Identifier: Apache-2.0

import RoostQuery
import RoostSQL

/// The readers of each entity's records in the results of a statement.
final class RowReaders: StatementDecoder {
  /// The readers by entity code; empty for a statement whose results are not records.
  let byCode: [RowReader?]

  init(_ query: SQLQuery, _ request: ResolvedFetch, _ mapping: SQLSchema) {
    byCode = query.readers(of: request, mapping) { RowReader($0, columns: $1) }
  }
}

extension CompiledFetch {
  /// The readers by entity code.
  var readers: [RowReader?] {
    // This driver makes no other decoders.
    unsafeDowncast(statement.decoder, to: RowReaders.self).byCode
  }
}
