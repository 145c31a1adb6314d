// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The part that the IDs of one entity in one store share; for temporary IDs, the permanent IDs of one block of them.
public final class IDScope: Sendable {
  /// The concrete entity.
  package let entity: EntityDescription
  /// The model, kept so that an ID's entity knows its relatives as long as the ID lives.
  private let model: ManagedObjectModel?
  /// The store; nil for temporary IDs.
  @usableFromInline package let store: StoreIdentity?
  /// The number of the first temporary ID of the scope; 0 where it has none.
  private let firstNumber: Int64
  /// What became of the temporary IDs.
  private let fates = Mutex(Fates())

  private struct Fates {
    /// The IDs that they became, by the distance of their numbers from the first; as far as one is known.
    var successors: ContiguousArray<ObjectID?> = []
    /// The stores that their objects are to be saved to, where one was assigned, by their keys.
    var stores: [Int64: StoreIdentity] = [:]
  }

  /// How many numbers the temporary IDs of one scope are taken of.
  private static let span: Int64 = 64

  private static let nextTemporaryKey = Atomic<Int64>(temporaryBase + 1)
  /// Temporary keys lie below the negative numbers by which stores name records of other stores: a row that goes to a
  /// child context may have both (X41).
  package static let temporaryBase: Int64 = 1 << 32

  package init(entity: EntityDescription, store: StoreIdentity) {
    self.entity = entity
    model = entity.managedObjectModel
    self.store = store
    firstNumber = 0
  }

  private init(temporaryFor entity: EntityDescription, from number: Int64) {
    self.entity = entity
    model = entity.managedObjectModel
    store = nil
    firstNumber = number
  }

  /// Makes a temporary ID, unique in this process.
  package static func makeTemporaryID(for entity: EntityDescription) -> ObjectID {
    var scope: IDScope?
    return makeTemporaryID(for: entity, in: &scope)
  }

  /// Makes a temporary ID, unique in this process. Of those that one context makes for one entity, some share a scope.
  ///
  /// - Parameter scope: The scope of the ID before; the one of the new ID afterwards.
  package static func makeTemporaryID(
    for entity: EntityDescription, in scope: inout IDScope?
  ) -> ObjectID {
    let number = nextTemporaryKey.wrappingAdd(1, ordering: .relaxed).newValue
    if let scope, scope.entity === entity, number < scope.firstNumber + span {
      return ObjectID(scope: scope, key: -number)
    }
    let new = IDScope(temporaryFor: entity, from: number)
    scope = new
    return ObjectID(scope: new, key: -number)
  }

  /// Remembers which permanent ID a temporary one became; nil for none after all.
  fileprivate func setSuccessor(_ id: ObjectID?, of key: Int64) {
    let place = Int(-key - firstNumber)
    fates.withLock { fates in
      while fates.successors.count <= place { fates.successors.append(nil) }
      fates.successors[place] = id
    }
  }

  fileprivate func successor(of key: Int64) -> ObjectID? {
    let place = Int(-key - firstNumber)
    return fates.withLock { $0.successors.indices.contains(place) ? $0.successors[place] : nil }
  }

  fileprivate func assign(_ key: Int64, to store: StoreIdentity) {
    fates.withLock { $0.stores[key] = store }
  }

  fileprivate func assignedStore(of key: Int64) -> StoreIdentity? {
    fates.withLock { $0.stores[key] }
  }

  /// Whether keys of the two scopes mean the same records: the same store, however often it is attached. Keys are
  /// unique over a store (B303), so entities need not be compared.
  @usableFromInline func isEquivalent(to other: IDScope) -> Bool {
    guard let store, let otherStore = other.store else { return false }
    return store.identifier == otherStore.identifier
  }
}

// What is known of temporary IDs.
extension ObjectID {
  /// The permanent ID that a temporary one became, or the ID itself.
  package var current: ObjectID {
    scope.store == nil ? scope.successor(of: key) ?? self : self
  }

  /// The permanent ID that a temporary one became; nil before, and for a permanent one.
  package var permanentID: ObjectID? {
    scope.store == nil ? scope.successor(of: key) : nil
  }

  /// Remembers which permanent ID a temporary one became.
  package func becamePermanent(_ id: ObjectID) {
    if scope.store == nil { scope.setSuccessor(id, of: key) }
  }

  /// Takes back what ``becamePermanent(_:)`` said, because the save that it was said for has failed.
  package func forgetSuccessor() {
    if scope.store == nil { scope.setSuccessor(nil, of: key) }
  }

  /// Remembers for a temporary ID which store its object was assigned to.
  package func wasAssigned(to store: StoreIdentity) { scope.assign(key, to: store) }

  /// The store that the object of a temporary ID was assigned to; nil before, and for a permanent ID.
  package var assignedStore: StoreIdentity? {
    scope.store == nil ? scope.assignedStore(of: key) : nil
  }
}

/// Which store it is: its UUID, in every process and at every launch.
///
/// ```swift
/// let identity = StoreIdentity(identifier: metadata.identifier, type: metadata.storeType)
/// ```
public final class StoreIdentity: Sendable {
  /// The store's UUID, as its metadata has it.
  public let identifier: String
  /// The type of the store, as `sqlite`.
  public let type: String
  private let attachment = Mutex<LooseReference?>(nil)

  /// Names a store.
  ///
  /// - Parameters:
  ///   - identifier: The store's UUID.
  ///   - type: The type of the store.
  public init(identifier: String, type: String) {
    self.identifier = identifier
    self.type = type
  }

  /// The store itself while it is attached to a coordinator; this layer does not know what stores are.
  package var attachedObject: AnyObject? {
    attachment.withLock { $0 }?.object
  }

  /// Tells which store it is that was attached, or that it no longer is.
  package func attach(_ store: LooseReference?) {
    attachment.withLock { $0 = store }
  }
}

/// The parts of a record's key: `sequence << 12 | entityCode`.
///
/// ```swift
/// let key = RecordKey.make(sequence: 7, entityCode: 2)
/// precondition(RecordKey.sequence(of: key) == 7 && RecordKey.entityCode(of: key) == 2)
/// ```
@frozen public enum RecordKey {
  /// The bits that hold the entity's code in its store.
  public static let entityBits: Int64 = 12
  /// The largest code that an entity can have in a store.
  public static let largestEntityCode = 4095

  /// Makes a key.
  @inlinable public static func make(sequence: Int64, entityCode: Int) -> Int64 {
    sequence &<< entityBits | Int64(entityCode)
  }

  /// The code of the record's concrete entity.
  @inlinable public static func entityCode(of key: Int64) -> Int {
    Int(key & 4095)
  }

  /// The number that the store gave to the record.
  @inlinable public static func sequence(of key: Int64) -> Int64 {
    key &>> entityBits
  }
}
