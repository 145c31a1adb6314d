// SPDX-License-Identifier: Apache-2.0

/// Runs work; an error is a programming mistake and stops the program, as in Core Data.
func orEnd<T>(_ body: () throws -> T) -> T {
  do {
    return try body()
  } catch {
    preconditionFailure("\(error)")
  }
}
