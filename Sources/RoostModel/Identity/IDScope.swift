// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The part that the IDs of one entity in one store share; for a block of temporary IDs, also their permanent IDs.
public final class IDScope: Sendable {
  /// The concrete entity.
  package let entity: EntityDescription
  /// The model, retained so that an ID's entity knows its related entities as long as the ID lives.
  private let model: ManagedObjectModel?
  /// The store; nil for temporary IDs.
  @usableFromInline package let store: StoreIdentity?
  /// The number of the first temporary ID of the scope; 0 where it has none.
  private let firstNumber: Int64
  /// The permanent IDs and assigned stores of the temporary IDs.
  private let fates = Mutex(Fates())

  private struct Fates {
    /// The permanent IDs, by the offset from the first number; as far as they are known.
    var successors: ContiguousArray<ObjectID?> = []
    /// The stores to which their objects were assigned, by key.
    var stores: [Int64: StoreIdentity] = [:]
  }

  /// The range of numbers for the temporary IDs of one scope.
  private static let span: Int64 = 64

  private static let nextTemporaryKey = Atomic<Int64>(temporaryBase + 1)
  /// Temporary keys are below the negative numbers of foreign references: a row in a child context may contain both
  /// (X41).
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

  /// Makes a temporary ID, unique in this process. Consecutive IDs of one context and entity share a scope.
  ///
  /// - Parameter scope: The scope of the previous ID; afterwards the scope of the new one.
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

  /// Records the permanent ID of a temporary one; nil to remove it.
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

  /// Whether keys of two scopes identify the same records: the scopes belong to the same store, however often it is
  /// attached. Keys are unique over a store (B303), so entities need not be compared.
  @usableFromInline func isEquivalent(to other: IDScope) -> Bool {
    guard let store, let otherStore = other.store else { return false }
    return store.identifier == otherStore.identifier
  }
}

// Permanent IDs and assigned stores of temporary IDs.
extension ObjectID {
  /// The permanent ID of a temporary one, or the ID itself.
  package var current: ObjectID {
    scope.store == nil ? scope.successor(of: key) ?? self : self
  }

  /// The permanent ID of a temporary one; nil before the save, and for a permanent ID.
  package var permanentID: ObjectID? {
    scope.store == nil ? scope.successor(of: key) : nil
  }

  /// Records the permanent ID of a temporary one.
  package func becamePermanent(_ id: ObjectID) {
    if scope.store == nil { scope.setSuccessor(id, of: key) }
  }

  /// Reverts ``becamePermanent(_:)`` after its save has failed.
  package func forgetSuccessor() {
    if scope.store == nil { scope.setSuccessor(nil, of: key) }
  }

  /// Records the store to which the object of a temporary ID was assigned.
  package func wasAssigned(to store: StoreIdentity) { scope.assign(key, to: store) }

  /// The store to which the object of a temporary ID was assigned; nil before, and for a permanent ID.
  package var assignedStore: StoreIdentity? {
    scope.store == nil ? scope.assignedStore(of: key) : nil
  }
}

/// The identity of a store: its UUID, the same in every process and at every launch.
///
/// ```swift
/// let identity = StoreIdentity(identifier: metadata.identifier, type: metadata.storeType)
/// ```
public final class StoreIdentity: Sendable {
  /// The store's UUID, as in its metadata.
  public let identifier: String
  /// The type of the store, such as `sqlite`.
  public let type: String
  private let attachment = Mutex<LooseReference?>(nil)

  /// Makes an identity.
  ///
  /// - Parameters:
  ///   - identifier: The store's UUID.
  ///   - type: The type of the store.
  public init(identifier: String, type: String) {
    self.identifier = identifier
    self.type = type
  }

  /// The store itself while it is attached to a coordinator, as `AnyObject`: this module does not know the type of
  /// stores.
  package var attachedObject: AnyObject? {
    attachment.withLock { $0 }?.object
  }

  /// Sets the attached store, or nil when it was detached.
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

  /// Returns the code of the record's concrete entity.
  @inlinable public static func entityCode(of key: Int64) -> Int {
    Int(key & 4095)
  }

  /// Returns the number that the store assigned to the record.
  @inlinable public static func sequence(of key: Int64) -> Int64 {
    key &>> entityBits
  }
}
