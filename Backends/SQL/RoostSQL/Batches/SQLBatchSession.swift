// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// Some of the records that a batch deletion removes.
package struct SQLKeySet: Hashable, Sendable {
  /// Those that one step of the cascade has found; nil for those of all steps.
  package var step: Int?
  /// Those of entities with these codes, ascending.
  package var codes: [Int]

  package init(step: Int? = nil, codes: [Int]) {
    self.step = step
    self.codes = codes
  }
}

/// A statement about records that a batch deletion removes.
package struct SQLSetStatement: Sendable {
  package var text = ""
  /// The values of the parameters, as far as they are values; sets that are parameters follow.
  package var bindings: [SQLValue] = []
  /// The sets whose keys are parameters, where the dialect has lists of that kind.
  package var sets: [SQLKeySet] = []

  package init(_ text: String = "", _ bindings: [SQLValue] = []) {
    self.text = text
    self.bindings = bindings
  }

  /// The name of the table that holds the records' keys where lists are no parameters, with the step that found each.
  package static let table = "temp._roost_batch"

  /// What stands after a column to ask whether it names one of a set.
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

/// What a database does for a batch deletion: it keeps the keys of the records that are to be removed, and runs
/// statements about them.
package protocol SQLBatchSession: AnyObject {
  /// Keeps the keys that a statement finds and that are not kept yet, as those of a step.
  ///
  /// - Returns: How many they are.
  func collect(_ statement: SQLSetStatement, step: Int) throws -> Int
  /// The codes of the entities whose records a step has found, ascending.
  func codes(ofStep step: Int) throws -> [Int]
  /// Runs a statement that changes or removes records.
  ///
  /// - Returns: How many records it has changed.
  @discardableResult func run(_ statement: SQLSetStatement) throws -> Int
  /// Runs a statement whose rows are a key and truth values.
  func forEachRow(
    of statement: SQLSetStatement, flags: Int, _ body: (Int64, [Bool]) throws -> Void) throws
  /// All keys that are kept: step by step, those of a step in order.
  func keys() throws -> [Int64]
  /// What stands at the end of a statement that reads the keys of records that are going to be removed.
  func locking(_ alias: String) -> String
}
