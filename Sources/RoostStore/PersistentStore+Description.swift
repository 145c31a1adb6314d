// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

// Core Data's properties of a store, taken from its identity and its description.
extension PersistentStore {
  /// The store's UUID, as in the URIs of its objects.
  public var identifier: String { identity.identifier }

  /// The name of the store's type, such as `SQLite`.
  public var type: String { identity.type }

  /// The location of the store; nil when it has none.
  public var url: URL? { description.url }

  /// The name of the configuration whose entities the store holds; nil for all.
  public var configurationName: String? { description.configuration }

  /// The backend's settings with which the store was added.
  @_disfavoredOverload
  public var options: [String: MetadataValue] { description.options }
}
