// SPDX-License-Identifier: Apache-2.0

/// An invalid command line; the program exits with code 64 (`EX_USAGE` of sysexits.h).
struct UsageError: Error, CustomStringConvertible, Equatable {
  static let exitCode: Int32 = 64
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
