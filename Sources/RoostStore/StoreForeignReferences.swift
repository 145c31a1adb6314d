// SPDX-License-Identifier: Apache-2.0

/// A record of another store, as a store that refers to it keeps it: all that is needed to find the record, or to say
/// what is missing when its store is not attached.
///
/// ```swift
/// let album = ForeignReference(store: identity.identifier, key: id.key, entity: "Album")
/// ```
public struct ForeignReference: Hashable, Sendable {
  /// The UUID of the store that holds the record.
  public var store: String
  /// The key of the record in that store.
  public var key: Int64
  /// The name of the record's entity.
  public var entity: String

  /// Names a record of another store.
  public init(store: String, key: Int64, entity: String) {
    self.store = store
    self.key = key
    self.entity = entity
  }

  /// Whether another value names the same record, whatever its entity is called by now.
  public func namesSameRecord(as other: ForeignReference) -> Bool {
    key == other.key && store == other.store
  }
}

/// The ability of a store to refer to records of other stores.
///
/// A slot for a reference has room for one key, and keys mean records of the same store. So a store numbers the foreign
/// records that it refers to, and a slot or a link holds the negative of that number: keys are positive, and to the
/// store itself the reference is one to a record that it does not have. Only the coordinator looks up what a number
/// means.
///
/// ```swift
/// let number = try store.foreignReferences?.intern([album]).first
/// row.setInteger(-number, at: slot)
/// ```
public protocol StoreForeignReferences: Sendable {
  /// Returns the number of each reference; one that has none gets the next. A number is never given twice, and never
  /// comes to mean another record.
  ///
  /// Several coordinators and processes may ask at the same time and are given the same number for the same record.
  /// What was given is durable no later than any commit that begins after the call.
  ///
  /// - Parameter references: Records of other stores, each once.
  /// - Returns: The numbers, from 1 on, in the order of the references.
  /// - Throws: `readOnlyStore`, `limitExceeded` after 2³¹ − 1 numbers, or what a commit throws.
  /// - Complexity: One transaction, or none when all have numbers.
  func intern(_ references: [ForeignReference]) throws -> [Int64]

  /// Returns the numbers of those references that have one.
  ///
  /// - Complexity: One round trip for any number of references.
  func numbers(of references: [ForeignReference]) throws -> [Int64?]

  /// Calls a body with the references whose numbers are in a range, in the order of the numbers.
  ///
  /// - Complexity: One round trip.
  func forEachReference(
    in numbers: ClosedRange<Int64>, _ body: (Int64, ForeignReference) throws -> Void) throws

  /// Lets numbers mean other records: the same ones, which are in another store by now, or under other keys.
  ///
  /// - Parameter changes: Numbers that were given, and what they mean from now on.
  /// - Complexity: One transaction.
  func rewrite(_ changes: [(number: Int64, reference: ForeignReference)]) throws
}

extension PersistentStore {
  /// Nil: the store refers to no records of other stores.
  public var foreignReferences: (any StoreForeignReferences)? { nil }
}
