// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Read failures of an object that no refresh has cleared since.
extension RelationshipReader {
  /// Whether the values of the object could not be read, and were not refreshed since.
  @inline(__always) var isBarred: Bool {
    guard let contextReference = owner.contextReference else { return false }
    return contextReference._withUnsafeGuaranteedRef {
      !$0.unthrown.readFailures.isEmpty && $0.unthrown.readFailures.bars(owner.identity, nil)
    }
  }

  /// Whether a to-many relationship could not be read, and was not refreshed since.
  func isBarred(_ relationship: RelationshipDescription) -> Bool {
    guard let context = owner.context, !context.unthrown.readFailures.isEmpty else { return false }
    return context.unthrown.readFailures.bars(owner.identity, relationship.name)
  }
}
