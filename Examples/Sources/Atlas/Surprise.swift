// SPDX-License-Identifier: Apache-2.0

/// Something that this program shows went otherwise than it says: the program ends with it.
struct Surprise: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
