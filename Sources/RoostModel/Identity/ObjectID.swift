// SPDX-License-Identifier: Apache-2.0

/// The identity of a managed object: small, immutable and thread-safe.
///
/// An object that was never saved has a temporary ID; its first save gives it a permanent one, which identifies a
/// record in a store and stays equal across contexts, coordinators and launches.
///
/// ```swift
/// let id = ada.objectID
/// let again = context.object(with: id)
/// ```
@frozen public struct ObjectID: Sendable {
  @usableFromInline package let scope: IDScope
  /// The record's key in its store; for a temporary ID a number unique in this process.
  public let key: Int64

  @inlinable package init(scope: IDScope, key: Int64) {
    self.scope = scope
    self.key = key
  }

  /// The concrete entity of the object.
  public var entity: EntityDescription { scope.entity }

  /// Whether the object has no record in a store yet.
  @inlinable public var isTemporaryID: Bool { scope.store == nil }

  /// The public number of a temporary ID.
  package var temporaryNumber: Int64 { -key - IDScope.temporaryBase }

  /// The identity of the store that holds the record; nil for a temporary ID.
  @inlinable public var storeIdentity: StoreIdentity? { scope.store }
}

extension ObjectID: Hashable {
  /// Whether two IDs identify the same record, or the same unsaved object.
  @inlinable public static func == (left: ObjectID, right: ObjectID) -> Bool {
    left.key == right.key
      && (left.scope === right.scope || left.scope.isEquivalent(to: right.scope))
  }

  @inlinable public func hash(into hasher: inout Hasher) {
    hasher.combine(key)
  }
}

extension ObjectID: CustomStringConvertible {
  /// The ID as its URI, or `temporary Person t7` before the first save.
  public var description: String {
    let name = entity.name ?? ""
    guard let store = storeIdentity else { return "temporary \(name) t\(temporaryNumber)" }
    return "roost://\(store.identifier)/\(name)/p\(RecordKey.sequence(of: key))"
  }
}
