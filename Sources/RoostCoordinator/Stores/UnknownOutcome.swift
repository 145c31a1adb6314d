// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Runs a step that writes to a store, but nothing of the program's, as when a store is prepared or keys are reserved.
///
/// How its commit ended does not matter to the program: nothing of the program's was written, and the step can be tried
/// again. `commitOutcomeUnknown` would make the program look for a save that it never made.
///
/// - Parameters:
///   - code: What is thrown instead of `commitOutcomeUnknown`.
///   - message: What the error says.
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
