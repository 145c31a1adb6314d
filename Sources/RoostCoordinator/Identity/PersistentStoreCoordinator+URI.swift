// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
import RoostStore
import Synchronization

extension PersistentStoreCoordinator {
  /// Returns the ID that a URI names. Whether the record exists is not looked up.
  ///
  /// - Parameter url: A URI that ``ObjectID/uriRepresentation()`` made, in this launch or an earlier one.
  /// - Returns: nil when the URI has another form, names a store that is not attached, an entity that the store does
  ///   not hold, or an unsaved object.
  public func managedObjectID(forURIRepresentation url: URL) -> ObjectID? {
    managedObjectID(for: url.absoluteString)
  }

  /// Returns the ID that the text of a URI names.
  ///
  /// - Parameter string: The text of a URI; any text is safe.
  /// - Returns: nil as for ``managedObjectID(forURIRepresentation:)``.
  public func managedObjectID(for string: String) -> ObjectID? {
    guard let uri = ObjectURI(string) else { return nil }
    let list = state.withLock { $0.list }
    guard let attached = list.store(identifier: uri.store),
      let code = attached.code(ofEntityNamed: uri.entity)
    else { return nil }
    return attached.objectID(
      forKey: RecordKey.make(sequence: uri.sequence, entityCode: code))
  }
}

extension AttachedStore {
  /// Returns the code of a concrete entity, also by its name before a migration (M16).
  fileprivate func code(ofEntityNamed name: String) -> Int? {
    if let entity = schema.entities.first(where: { $0.name == name }) {
      return entity.isAbstract ? nil : schema.code(of: entity)
    }
    guard let code = store.metadata.formerNames?[name],
      let entity = schema.entity(ofKey: RecordKey.make(sequence: 0, entityCode: code)),
      !entity.isAbstract
    else { return nil }
    return code
  }
}
