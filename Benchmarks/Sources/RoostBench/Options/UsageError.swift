// SPDX-License-Identifier: Apache-2.0

/// A command line that makes no sense; the program ends with code 64, as sysexits.h has it.
struct UsageError: Error, CustomStringConvertible, Equatable {
  static let exitCode: Int32 = 64
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
