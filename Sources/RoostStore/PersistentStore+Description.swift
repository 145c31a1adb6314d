// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

// What Core Data asks of a store itself; a store tells it through its identity and its description.
extension PersistentStore {
  /// The store's UUID, as it stands in the URIs of its objects.
  public var identifier: String { identity.identifier }

  /// The name of the store's type, as `SQLite`.
  public var type: String { identity.type }

  /// Where the store is; nil when it has no place.
  public var url: URL? { description.url }

  /// The name of the configuration whose entities the store holds; nil for all.
  public var configurationName: String? { description.configuration }

  /// The backend's settings with which the store was added.
  @_disfavoredOverload
  public var options: [String: MetadataValue] { description.options }
}
