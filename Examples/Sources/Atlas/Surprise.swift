// SPDX-License-Identifier: Apache-2.0

/// An error that ends the program: a step went otherwise than the program says.
struct Surprise: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
