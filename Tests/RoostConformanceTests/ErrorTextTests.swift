// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformance
import Testing

/// Tests that a case that expects an error checks its text.
@Suite struct ErrorTextTests {
  @Test(
    "an error that reads badly fails the case that expects it (F46)",
    arguments: ["has Optional(1)", "takes no Optional<Any>", "cannot be sorted (B134)"])
  func badText(message: String) throws {
    #expect(throws: ExpectationFailure.self) {
      try expectError(.invalidValue) { throw PersistenceError(.invalidValue, message) }
    }
    try expectError(.invalidValue) { throw PersistenceError(.invalidValue, "is too long") }
  }
}
