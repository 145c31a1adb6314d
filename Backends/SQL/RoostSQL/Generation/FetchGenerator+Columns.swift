// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

// Dictionary fetches: columns, groups, aggregates.
extension FetchGenerator {
  /// Writes a request for columns.
  ///
  /// Groups and distinct results come in the order that was asked for, then in the order of the smallest key in each.
  mutating func columnsQuery(
    _ columns: ResolvedColumns, conditions: [String], order: [String]
  ) throws -> SQLQuery {
    throw LeftToMemory("columns")
  }
}
