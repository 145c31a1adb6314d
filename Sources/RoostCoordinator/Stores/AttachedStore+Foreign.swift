// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostStore

// A key in a slot or a link names a record of the store itself, or when it is negative one of another store (X41).
extension AttachedStore {
  /// The ID of the record that a slot or a link names. Nil when the key names no entity of the store.
  ///
  /// - Throws: What reading the store's references to other stores throws; a key of the store itself asks nobody.
  package func destinationID(forKey key: Int64) throws -> ObjectID? {
    guard ForeignNumber.isForeign(key) else { return objectID(forKey: key) }
    return try foreign.id(of: key, in: self)
  }

  /// The same for a key of the history, which may be older than what the store refers to: nil also for a record of
  /// another store whose number was removed since, because the record is gone and nothing refers to it.
  func formerDestinationID(forKey key: Int64) throws -> ObjectID? {
    do {
      return try destinationID(forKey: key)
    } catch let error as PersistenceError where error.code == .objectReferentialIntegrity {
      return nil
    }
  }

  /// The IDs of records that slots or links name; nil as ``ForeignReferences/ids(of:in:)`` says it.
  func destinationIDs(forKeys keys: [Int64]) throws -> [ObjectID?] {
    guard keys.contains(where: ForeignNumber.isForeign) else { return try objectIDs(forKeys: keys) }
    var others = try foreign.ids(of: keys.filter(ForeignNumber.isForeign), in: self)
      .makeIterator()
    return try keys.map { key in
      if ForeignNumber.isForeign(key) { return others.next() ?? nil }
      guard let id = objectID(forKey: key) else { throw unknownKeyError }
      return id
    }
  }

  /// The keys by which slots and links of this store name records; nil for a record of another store that nothing here
  /// refers to, and for one that was never saved.
  package func knownKeys(ofDestinations ids: [ObjectID]) throws -> [Int64?] {
    try keys(of: ids) { try foreign.knownKeys(of: $0, in: self) }
  }

  /// The keys by which slots and links of this store are to name records.
  ///
  /// - Throws: What ``StoreForeignReferences/intern(_:)`` throws.
  func internedKeys(ofDestinations ids: [ObjectID]) throws -> [Int64?] {
    try keys(of: ids) { try foreign.internedKeys(of: $0, in: self) }
  }

  private func keys(
    of ids: [ObjectID], others: ([ObjectID]) throws -> [Int64?]
  ) throws -> [Int64?] {
    let ids = ids.map(\.current)
    func isOther(_ id: ObjectID) -> Bool { id.storeIdentity != nil && !holds(recordOf: id) }
    let foreign = ids.filter(isOther)
    var rest = foreign.isEmpty ? [].makeIterator() : try others(foreign).makeIterator()
    return ids.map { id in
      if isOther(id) { return rest.next() ?? nil }
      return id.isTemporaryID ? nil : id.key
    }
  }

  /// Whether an ID names a record of this store.
  func holds(recordOf id: ObjectID) -> Bool {
    guard let there = id.storeIdentity else { return false }
    return there === identity || there.identifier == identity.identifier
  }

  /// Whether the store refers to records of others.
  ///
  /// - Complexity: One round trip as long as it does not.
  package func refersToOthers() throws -> Bool { try foreign.hasAny(in: self) }

  // MARK: - Requests

  func forEachForeignReference(
    in numbers: ClosedRange<Int64>, _ body: (Int64, ForeignReference) throws -> Void
  ) throws {
    try asking(.relationships, OperationSubject(detail: "references to other stores")) { store in
      try store.foreignReferences?.forEachReference(in: numbers) { number, reference in
        if reference != .removalMark { try body(number, reference) }
      }
    }
  }

  func foreignNumbers(of references: [ForeignReference]) throws -> [Int64?] {
    let none = [Int64?](repeating: nil, count: references.count)
    return try asking(.relationships, OperationSubject(detail: "references to other stores")) {
      try $0.foreignReferences?.numbers(of: references) ?? none
    }
  }

  func internForeign(_ references: [ForeignReference]) throws -> [Int64] {
    try asking(.relationships, OperationSubject(detail: "references to other stores")) { store in
      guard let ability = store.foreignReferences else {
        throw PersistenceError(
          .persistentStoreUnsupportedRequestType,
          "Stores of the type \(identity.type) refer to no records of other stores.",
          entityName: references.first?.entity, store: displayName)
      }
      return try ability.intern(references)
    }
  }
}
