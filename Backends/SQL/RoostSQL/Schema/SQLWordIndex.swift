// SPDX-License-Identifier: Apache-2.0

package import RoostQuery

/// An index of the words of one column, as the statements of searches use it.
///
/// It only narrows the records: Roost's own rule decides which of them match. So an index may name too many records; it
/// must not leave one out.
package struct SQLWordIndex: Sendable {
  /// Returns the condition that a record may match.
  ///
  /// - Parameters:
  ///   - alias: The alias of the record's table.
  ///   - parameter: The parameter with the query.
  package typealias Candidates = @Sendable (_ alias: String, _ parameter: String) -> String

  let candidates: Candidates
  let query: @Sendable (SearchQuery) -> String

  /// - Parameters:
  ///   - candidates: Returns the condition that a record may match.
  ///   - query: Returns a query in the language of the index.
  package init(
    candidates: @escaping Candidates, query: @escaping @Sendable (SearchQuery) -> String
  ) {
    self.candidates = candidates
    self.query = query
  }
}
