// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// A request as one statement, and the remainder that the statement leaves to memory.
package struct SQLQuery: Sendable {
  /// The statement.
  package let text: String
  /// The values of its parameters, from number 1.
  package let bindings: [SQLValue]
  /// The shape of its result.
  package let shape: Shape
  /// The work that the shared evaluator still has to do with the rows; nil when the result is the answer.
  package let remainder: FetchRemainder?
  /// The parts of the request that are left to memory, in words.
  package let inMemory: [String]
  /// The steps of the execution, in words: the statement, and the driver's processing of its result.
  package let steps: [String]

  package init(
    text: String, bindings: [SQLValue], shape: Shape, remainder: FetchRemainder?,
    inMemory: [String]
  ) {
    self.text = text
    self.bindings = bindings
    self.shape = shape
    self.remainder = remainder
    self.inMemory = inMemory
    if case .groups = shape { steps = [text, "group and aggregate"] } else { steps = [text] }
  }

  /// The shape of a statement's result.
  package enum Shape: Sendable {
    /// Records: the key, the version, then the columns.
    case rows([SQLColumn])
    /// Keys.
    case keys
    /// One number.
    case count
    /// Values of these kinds, one for each column of the request.
    case tuples([SlotKind])
    /// Records in the order of their keys, which the driver groups as they arrive.
    case groups(SQLGrouping)
  }
}

/// The reason for leaving a part of a request to memory. Never leaves the generator.
struct LeftToMemory: Error {
  /// The reason in words, without values.
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
