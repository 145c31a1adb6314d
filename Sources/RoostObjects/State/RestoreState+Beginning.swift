// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RestoreState {
  /// Gives a never-saved object that was turned into a fault the default values again.
  func beginAnew() -> UnsafeMutableRawPointer? {
    let new = owner.binding.makeDefaultRow()
    owner.row = new
    owner.memory = new.base
    return owner.memory
  }

  /// Attaches a row, makes it readable and calls awakeFromFetch.
  func awake(with fetched: Row) -> UnsafeMutableRawPointer? {
    owner.attach(fetched)
    return owner.awakeWithRow()
  }
}
