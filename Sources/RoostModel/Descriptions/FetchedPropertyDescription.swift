// SPDX-License-Identifier: Apache-2.0

/// Describes a property whose value is the result of a fetch, evaluated when it is first read.
///
/// ```swift
/// let notes = FetchedPropertyDescription(name: "notes", fetchRequest: request)
/// ```
public final class FetchedPropertyDescription: PropertyDescription, @unchecked Sendable {
  // Sendable: as PropertyDescription: written while the model is built only; `isFrozen` refuses writes afterwards.

  /// The request; `$FETCH_SOURCE` and `$FETCHED_PROPERTY` stand for the object and this description.
  /// A later change of the request does not change the property.
  @_disfavoredOverload
  public var fetchRequest: (any ModelFetchRequest)? {
    willSet { willChange() }
    didSet { fetchRequest = fetchRequest?.templateSnapshot }
  }

  /// Makes a fetched property without a name and request that belongs to no entity yet.
  public init() {
    super.init(name: "")
  }

  /// Makes a fetched property that belongs to no entity yet.
  @_disfavoredOverload
  package init(name: String = "", fetchRequest: (any ModelFetchRequest)? = nil) {
    self.fetchRequest = fetchRequest?.templateSnapshot
    super.init(name: name)
  }

  override func makeCopy() -> PropertyDescription {
    FetchedPropertyDescription(name: name, fetchRequest: fetchRequest)
  }
}
