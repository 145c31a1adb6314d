// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// A condition on something that is no managed object: `SELF` is the value, a key path leads into dictionaries, arrays
/// and sets.
struct PlainCondition {
  let predicate: RoostQuery.FetchPredicate

  /// Whether a value satisfies the condition. One for which the condition means nothing does not: what a value is, is
  /// known at run time only, and must not end the program.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a variable without a value.
  func isSatisfied(by object: Any?) throws -> Bool {
    do {
      return try predicate.evaluate(withValue: object)
    } catch let error as PersistenceError where error.code == .invalidRequest {
      throw error
    } catch {
      return false
    }
  }
}
