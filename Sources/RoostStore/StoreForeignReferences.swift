// SPDX-License-Identifier: Apache-2.0

/// A reference to a record of another store: enough to find the record, or to report what is missing when its store
/// is not attached.
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

  /// Whether another reference names the same record, even if its entity was renamed.
  public func namesSameRecord(as other: ForeignReference) -> Bool {
    key == other.key && store == other.store
  }
}

/// The ability of a store to refer to records of other stores.
///
/// A reference slot holds one key, and keys identify records of the same store. So a store numbers the foreign
/// records that it refers to, and a slot or a link holds the negated number: keys are positive, so the store itself
/// treats it as a reference to a missing record. Only the coordinator resolves the number.
///
/// ```swift
/// let number = try store.foreignReferences?.intern([album]).first
/// row.setInteger(-number, at: slot)
/// ```
public protocol StoreForeignReferences: Sendable {
  /// Returns the number of each reference, and assigns the next number to a new one. A number is never reused for
  /// another record.
  ///
  /// Coordinators and processes that call it concurrently get the same number for the same record. An assigned number
  /// is durable no later than any commit that begins after the call.
  ///
  /// - Parameter references: Records of other stores, each once.
  /// - Returns: The numbers, from 1 on, in the order of the references.
  /// - Throws: `readOnlyStore`, `limitExceeded` after 2³¹ − 1 numbers, or the errors of a commit.
  /// - Complexity: One transaction, or none when all have numbers.
  func intern(_ references: [ForeignReference]) throws -> [Int64]

  /// Returns the number of each reference, or nil for a reference without one.
  ///
  /// All are read at one moment, or ``ForeignReference/removalMark`` before the others: when it has the same number
  /// later on, the numbers that were returned with it are still valid.
  ///
  /// - Complexity: One round trip for any number of references.
  func numbers(of references: [ForeignReference]) throws -> [Int64?]

  /// Calls a body with the references whose numbers are in a range, in the order of the numbers.
  ///
  /// - Complexity: One round trip.
  func forEachReference(
    in numbers: ClosedRange<Int64>, _ body: (Int64, ForeignReference) throws -> Void) throws

  /// Changes the references behind existing numbers, for records that were moved to another store or to other keys.
  ///
  /// - Parameter changes: Assigned numbers with their new references.
  /// - Complexity: One transaction.
  func rewrite(_ changes: [(number: Int64, reference: ForeignReference)]) throws

  /// Removes numbers that are no longer in use. They are not assigned again.
  ///
  /// While `unused` is called, and until the numbers are removed, no change set that refers anew to a record of
  /// another store is committed or prepared. One that was made before, with a number that is removed, is refused.
  /// After a removal, ``ForeignReference/removalMark`` has a new number, larger than all others.
  ///
  /// - Parameter unused: Reads the store, and returns the numbers to be removed.
  /// - Returns: The number of removed numbers; 0 also for a store that removes none now, such as a database in memory,
  ///   or one that is used with two versions of a model.
  /// - Throws: `readOnlyStore`, the errors of a commit, and those of `unused`; nothing is removed then.
  /// - Complexity: One transaction, which is open while `unused` runs.
  func remove(_ unused: () throws -> [Int64]) throws -> Int
}

extension ForeignReference {
  /// A reference to no record, in a store that has removed numbers: its number is the largest that was assigned before
  /// the last removal, or larger.
  public static let removalMark = ForeignReference(store: "", key: 0, entity: "")
}

extension PersistentStore {
  /// Nil: the store refers to no records of other stores.
  public var foreignReferences: (any StoreForeignReferences)? { nil }
}
