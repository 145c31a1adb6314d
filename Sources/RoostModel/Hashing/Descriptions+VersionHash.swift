// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension PropertyDescription {
  /// A digest of everything that determines whether a store is compatible with the property, 32 bytes, as Core Data
  /// computes it.
  public final var versionHash: Data { frozenVersionHash ?? makeVersionHash() }
}

extension EntityDescription {
  /// A digest of everything that determines whether a store is compatible with the entity, 32 bytes, as Core Data
  /// computes it.
  ///
  /// - Complexity: O(1) when the model is in use; otherwise it is computed each time.
  public var versionHash: Data {
    if let frozenVersionHash { return frozenVersionHash }
    var superhash: Data?
    var inherited: [PropertyDescription] = []
    for entity in ancestors.reversed() + [self] {
      inherited += entity.declaredProperties
      superhash = VersionHash.entity(entity, properties: inherited, superhash: superhash)
    }
    return superhash ?? Data()
  }
}
