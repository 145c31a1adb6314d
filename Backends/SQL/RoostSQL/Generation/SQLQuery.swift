// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// A request as one statement, and what the statement leaves to be done.
package struct SQLQuery: Sendable {
  /// The statement.
  package let text: String
  /// The values of its parameters, from number 1.
  package let bindings: [SQLValue]
  /// What its result is.
  package let shape: Shape
  /// What the shared evaluator must still do with the rows; nil when the result is the answer.
  package let remainder: FetchRemainder?
  /// What of the request is left to memory, in words.
  package let inMemory: [String]
  /// What is done, in words: the statement, and what the driver makes of its result.
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

  /// What the result of a statement is.
  package enum Shape: Sendable {
    /// Records: the key, the version, then the columns.
    case rows([SQLColumn])
    /// Keys.
    case keys
    /// One number.
    case count
    /// Values of these kinds, as many as there are columns in the request.
    case tuples([SlotKind])
    /// Records, in the order of their keys, that are to be grouped as they come.
    case groups(SQLGrouping)
  }
}

/// Why a part of a request is left to memory. Never leaves the generator.
struct LeftToMemory: Error {
  /// The reason in words, without values.
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
