// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// What the IDs of one entity in one store have in common; for a temporary ID, the life of one object's identity.
public final class IDScope: Sendable {
  /// The concrete entity.
  package let entity: EntityDescription
  /// The model, kept so that an ID's entity knows its relatives as long as the ID lives.
  private let model: ManagedObjectModel?
  /// The store; nil for temporary IDs.
  @usableFromInline package let store: StoreIdentity?
  /// What became of a temporary ID.
  private let fate: Mutex<Fate>

  private struct Fate {
    /// The ID that it became.
    var successor: ObjectID?
    /// The store that its object is to be saved to, if one was assigned.
    var store: StoreIdentity?
  }

  private static let nextTemporaryKey = Atomic<Int64>(temporaryBase + 1)
  /// Temporary keys lie below the negative numbers by which stores name records of other stores: a row that goes to a
  /// child context may have both (X41).
  package static let temporaryBase: Int64 = 1 << 32

  package init(entity: EntityDescription, store: StoreIdentity) {
    self.entity = entity
    model = entity.managedObjectModel
    self.store = store
    fate = Mutex(Fate())
  }

  private init(temporaryFor entity: EntityDescription) {
    self.entity = entity
    model = entity.managedObjectModel
    store = nil
    fate = Mutex(Fate())
  }

  /// Makes a temporary ID, unique in this process.
  package static func makeTemporaryID(for entity: EntityDescription) -> ObjectID {
    let key = nextTemporaryKey.wrappingAdd(1, ordering: .relaxed).newValue
    return ObjectID(scope: IDScope(temporaryFor: entity), key: -key)
  }

  /// Remembers which permanent ID a temporary one became.
  package func becamePermanent(_ id: ObjectID) {
    fate.withLock { $0.successor = id }
  }

  /// Takes back what ``becamePermanent(_:)`` said, because the save that it was said for has failed.
  package func forgetSuccessor() {
    fate.withLock { $0.successor = nil }
  }

  package var permanentID: ObjectID? {
    fate.withLock { $0.successor }
  }

  /// Remembers for a temporary ID which store its object was assigned to.
  package func wasAssigned(to store: StoreIdentity) {
    fate.withLock { $0.store = store }
  }

  /// The store that the object of a temporary ID was assigned to; nil before.
  package var assignedStore: StoreIdentity? {
    fate.withLock { $0.store }
  }

  /// Whether keys of the two scopes mean the same records: the same store, however often it is attached. Keys are
  /// unique over a store (B303), so entities need not be compared.
  @usableFromInline func isEquivalent(to other: IDScope) -> Bool {
    guard let store, let otherStore = other.store else { return false }
    return store.identifier == otherStore.identifier
  }
}

extension ObjectID {
  /// The permanent ID that a temporary one became, or the ID itself.
  package var current: ObjectID {
    scope.store == nil ? scope.permanentID ?? self : self
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
  private let attachment = Mutex(Attachment())

  private struct Attachment {
    weak var store: (any AnyObject & Sendable)?
  }

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
  package var attachedObject: (any AnyObject & Sendable)? {
    attachment.withLock { $0.store }
  }

  /// Tells which store it is that was attached, or that it no longer is.
  package func attach(_ store: (any AnyObject & Sendable)?) {
    attachment.withLock { $0.store = store }
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
