// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RestoreState {
  /// Gives a new object that was turned into a fault the values of a new object again.
  func beginAnew() -> UnsafeMutableRawPointer? {
    let new = owner.binding.makeDefaultRow()
    owner.row = new
    owner.memory = new.base
    return owner.memory
  }

  /// Takes over a row, makes it readable and runs awakeFromFetch.
  func awake(with fetched: Row) -> UnsafeMutableRawPointer? {
    owner.attach(fetched)
    return owner.awakeWithRow()
  }
}
