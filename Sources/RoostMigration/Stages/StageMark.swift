// SPDX-License-Identifier: Apache-2.0

package import RoostStore

/// What a store's metadata say while a custom stage is going on: which one, and whether the version has changed.
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

/// Where a store is that is led through a custom stage.
package struct StageStatus {
  /// The checksums of the versions between which the stage leads.
  package let current, next: String
  /// Whether the version has changed, and the second handler has begun.
  package let isAfter: Bool

  /// What a store's metadata say; nil when no stage is under way.
  package init?(_ metadata: StoreMetadata) {
    guard let mark = StageMark(metadata) else { return nil }
    (current, next, isAfter) = (mark.current, mark.next, mark.isAfter)
  }
}
