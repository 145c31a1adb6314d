// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostStore

extension ObjectID {
  /// The ID as a URI: `roost://STORE-UUID/Entity/p42` names the same record at every launch; the URI of an
  /// unsaved object, `roost:///Entity/t7`, is for logs only.
  ///
  /// ```swift
  /// defaults.set(ada.objectID.uriRepresentation(), forKey: "lastPerson")
  /// ```
  public func uriRepresentation() -> URL {
    let text = stringRepresentation()
    guard let url = URL(string: text) else {
      preconditionFailure("An object's URI consists of letters, digits and percent signs.")
    }
    return url
  }

  /// The ID as text, the same as ``uriRepresentation()``.
  @_disfavoredOverload
  public func stringRepresentation() -> String {
    let id = current
    let name = id.entity.name ?? ""
    guard let identity = id.storeIdentity else {
      return ObjectURI.temporaryText(entity: name, number: id.temporaryNumber)
    }
    return ObjectURI(
      store: identity.identifier, entity: name, sequence: RecordKey.sequence(of: id.key)
    ).text
  }

  /// The store that holds the record, or is assigned to the object; nil for a temporary ID without an assigned store,
  /// and after the store was removed.
  @_disfavoredOverload
  public var persistentStore: (any PersistentStore)? { attachedStore?.store }

  /// The attached store that holds the record, or is assigned to the object.
  package var attachedStore: AttachedStore? {
    let id = current
    let identity = id.storeIdentity ?? id.assignedStore
    return identity?.attachedObject as? AttachedStore
  }
}
