// SPDX-License-Identifier: Apache-2.0

package import RoostStore

/// The mark in a store's metadata during a custom stage: its versions, and whether the second handler has begun.
struct StageMark: Equatable {
  static let key = "roost.stage"

  let current: String
  let next: String
  /// Whether the second handler has begun.
  let isAfter: Bool

  init(current: String, next: String, isAfter: Bool) {
    self.current = current
    self.next = next
    self.isAfter = isAfter
  }

  /// The mark of a store; nil when it has none.
  init?(_ metadata: StoreMetadata) {
    guard case .list(let parts)? = metadata.userValues[Self.key], parts.count == 3,
      case .string(let current) = parts[0], case .string(let next) = parts[1],
      case .boolean(let isAfter) = parts[2]
    else { return nil }
    self.current = current
    self.next = next
    self.isAfter = isAfter
  }

  var value: MetadataValue { .list([.string(current), .string(next), .boolean(isAfter)]) }
}

/// The state of a store during a custom stage.
package struct StageStatus {
  /// The checksums of the versions between which the stage leads.
  package let current, next: String
  /// Whether the version has changed, and the second handler has begun.
  package let isAfter: Bool

  /// Reads the state from a store's metadata; nil when no stage is under way.
  package init?(_ metadata: StoreMetadata) {
    guard let mark = StageMark(metadata) else { return nil }
    (current, next, isAfter) = (mark.current, mark.next, mark.isAfter)
  }
}
