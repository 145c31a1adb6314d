// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Describes an attribute that the store computes when it saves.
///
/// The expression is a key path, a function of one (`canonical:`, `uppercase:`, `lowercase:`), a to-many `@count` or
/// `@sum`, or `now()`.
///
/// ```swift
/// let total = DerivedAttributeDescription(name: "total", type: .integer64)
/// total.derivationExpression = UnparsedExpression("count:(items)")
/// ```
public final class DerivedAttributeDescription: AttributeDescription, @unchecked Sendable {
  // Sendable: as PropertyDescription: written while the model is built only; `isFrozen` refuses writes afterwards.

  /// How the value is computed.
  @_disfavoredOverload
  public var derivationExpression: (any ModelExpression)? { willSet { willChange() } }

  override func makeVersionHash() -> Data {
    VersionHash.derived(self)
  }

  override func makeAttribute() -> AttributeDescription {
    let copy = DerivedAttributeDescription(name: name, type: type)
    copy.derivationExpression = derivationExpression
    return copy
  }
}
