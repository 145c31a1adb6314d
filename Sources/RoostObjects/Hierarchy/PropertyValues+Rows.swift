// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension PropertyValues {
  /// Writes the current to-one destinations into a row that is passed to a child or becomes the committed row.
  func writeDestinations(into target: Row) {
    guard !owner.links.isEmpty, let references = owner.context?.upstreamState.references else {
      return
    }
    for relationship in owner.binding.relationships {
      guard case .toOne(let slot) = relationship.storage,
        case .toOne(let destination) = owner.links[relationship.ordinal]
      else { continue }
      if let destination {
        target.setInteger(references.key(for: destination.identity, from: owner.identity), at: slot)
      } else {
        target.setNull(slot)
      }
    }
  }
}
