// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Runs an internal write to a store that contains no data of the program, such as preparing a store or reserving
/// keys.
///
/// An unknown outcome of its commit does not matter to the program: no data of the program were written, and the step
/// can be tried again. `commitOutcomeUnknown` would make the program look for a save that it never made.
///
/// - Parameters:
///   - code: The code that replaces `commitOutcomeUnknown`.
///   - message: The message of the error.
///   - body: The step.
func withoutOutcome<Result>(
  _ code: PersistenceError.Code, _ message: String, _ body: () throws -> Result
) throws -> Result {
  do {
    return try body()
  } catch let error as PersistenceError where error.code == .commitOutcomeUnknown {
    throw PersistenceError(
      code, message, store: error.store, underlying: error.underlying ?? error)
  }
}
