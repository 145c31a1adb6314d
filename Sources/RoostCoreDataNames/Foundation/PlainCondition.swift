// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// A condition on a value that is not a managed object: `SELF` is the value, and key paths lead into dictionaries,
/// arrays and sets.
struct PlainCondition {
  let predicate: RoostQuery.FetchPredicate

  /// Returns whether a value satisfies the condition. A value to which the condition does not apply does not satisfy
  /// it: types are known at run time only, so a mismatch must not stop the program.
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
