// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The destinations of a to-many relationship in a past state.
struct PastMembers {
  private let sources: [Int64]
  /// The destinations of each source, with their positions.
  private var members: [Int64: [Int64: Int64?]] = [:]

  /// Begins with the current destinations.
  init(_ found: RelationshipDestinations, of sources: [Int64]) {
    self.sources = sources
    for (index, source) in sources.enumerated() {
      var own: [Int64: Int64?] = [:]
      for place in found.offsets[index]..<found.offsets[index + 1] {
        own[found.keys[place]] = .some(
          place < found.positions.count ? found.positions[place] : nil)
      }
      members[source] = own
    }
  }

  /// Reverts links: removes those added since, and restores those removed.
  mutating func replaceLinks(_ relationship: RelationshipDescription, _ past: PastChanges) {
    guard case .links(_, let isForward) = relationship.storage else { return }
    for source in members.keys {
      for (other, state) in past.links(of: source, along: relationship) {
        switch state {
        case .unlink: members[source]?[other] = nil
        case .link(let position, let inversePosition):
          members[source]?[other] = .some(isForward ? position : inversePosition)
        }
      }
    }
  }

  /// Moves changed records back to their previous sources and positions.
  mutating func replace(
    _ isReplaced: (Int64) -> Bool, by images: [Row], _ slot: RowSlot, _ position: RowSlot?
  ) {
    for source in members.keys {
      for key in members[source, default: [:]].keys where isReplaced(key) {
        members[source]?[key] = nil
      }
    }
    for image in images {
      guard let source = image.reference(slot), members[source] != nil else { continue }
      members[source]?[image.key] = .some(
        position.flatMap { image.isNull($0) ? nil : image.integer($0) })
    }
  }

  /// Returns the destinations, in their order, or by key.
  func destinations(isOrdered: Bool) -> RelationshipDestinations {
    var result = RelationshipDestinations(offsets: [0], keys: [])
    for source in sources {
      let own = (members[source] ?? [:]).sorted { left, right in
        let (one, other) = (left.value ?? .min, right.value ?? .min)
        return isOrdered && one != other ? one < other : left.key < right.key
      }
      result.keys += own.map(\.key)
      if isOrdered { result.positions += own.map { $0.value ?? 0 } }
      result.offsets.append(result.keys.count)
    }
    return result
  }
}
