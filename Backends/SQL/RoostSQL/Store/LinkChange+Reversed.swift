// SPDX-License-Identifier: Apache-2.0

package import RoostStore

extension LinkChange {
  /// The same change, seen from the other end.
  package var reversed: LinkChange {
    var result = self
    result.source = destination
    result.destination = source
    if case .link(let position, let inversePosition) = kind {
      result.kind = .link(position: inversePosition, inversePosition: position)
    }
    return result
  }
}
