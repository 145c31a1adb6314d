// SPDX-License-Identifier: Apache-2.0

/// Runs work; what it throws is a mistake of the program and ends it, as in Core Data.
func orEnd<T>(_ body: () throws -> T) -> T {
  do {
    return try body()
  } catch {
    preconditionFailure("\(error)")
  }
}
