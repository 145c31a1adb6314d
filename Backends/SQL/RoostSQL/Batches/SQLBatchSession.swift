// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// A subset of the records that a batch deletion removes.
package struct SQLKeySet: Hashable, Sendable {
  /// The step of the cascade that has found the records; nil for the records of all steps.
  package var step: Int?
  /// The codes of the records' entities, ascending.
  package var codes: [Int]

  package init(step: Int? = nil, codes: [Int]) {
    self.step = step
    self.codes = codes
  }
}

/// A statement about records that a batch deletion removes.
package struct SQLSetStatement: Sendable {
  package var text = ""
  /// The values of the first parameters; the parameters for `sets` follow.
  package var bindings: [SQLValue] = []
  /// The sets whose keys are parameters, where the dialect has array parameters.
  package var sets: [SQLKeySet] = []

  package init(_ text: String = "", _ bindings: [SQLValue] = []) {
    self.text = text
    self.bindings = bindings
  }

  /// The temporary table of the keys with the step that found each, where the dialect has no array parameters.
  package static let table = "temp._roost_batch"

  /// Returns the SQL that follows a column to test whether it refers to a record of a set.
  package mutating func membership(in set: SQLKeySet, _ dialect: SQLDialect) -> String {
    guard case .jsonArray = dialect.list else {
      let place = sets.firstIndex(of: set) ?? sets.count
      if place == sets.count { sets.append(set) }
      return "= ANY(\(dialect.parameter(bindings.count + place + 1)))"
    }
    var conditions: [String] = []
    if let step = set.step {
      bindings.append(.integer(Int64(step)))
      conditions.append("step = \(dialect.parameter(bindings.count))")
    }
    let codes = set.codes.map(String.init).joined(separator: ", ")
    conditions.append("(key & 4095) IN (\(codes))")
    return "IN (SELECT key FROM \(Self.table) WHERE \(conditions.joined(separator: " AND ")))"
  }
}

/// The database's part in a batch deletion: it stores the keys of the records to remove, and runs statements about
/// them.
package protocol SQLBatchSession: AnyObject {
  /// Adds the keys that a statement finds, except those already stored, as keys of a step.
  ///
  /// - Returns: The number of added keys.
  func collect(_ statement: SQLSetStatement, step: Int) throws -> Int
  /// Returns the codes of the entities whose records a step has found, ascending.
  func codes(ofStep step: Int) throws -> [Int]
  /// Runs a statement that changes or removes records.
  ///
  /// - Returns: How many records it has changed.
  @discardableResult func run(_ statement: SQLSetStatement) throws -> Int
  /// Runs a statement whose rows are a key and booleans.
  func forEachRow(
    of statement: SQLSetStatement, flags: Int, _ body: (Int64, [Bool]) throws -> Void) throws
  /// Returns all stored keys: step by step, and sorted within a step.
  func keys() throws -> [Int64]
  /// Returns the locking clause of a statement that reads the keys of records to remove.
  func locking(_ alias: String) -> String
}
