// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A version conflict: the version of a record differs from the one on which a change is based.
///
/// Either the coordinator's cache has a newer row than the object's, and ``persistedSnapshot`` is nil; or only the
/// store does, and the cache does not have it yet.
///
/// ```swift
/// override func resolve(optimisticLockingConflicts list: [MergeConflict]) throws {
///   for conflict in list { print(conflict.oldVersionNumber, conflict.newVersionNumber) }
///   try super.resolve(optimisticLockingConflicts: list)
/// }
/// ```
public final class MergeConflict: SaveConflict {
  /// The object of the saving context.
  public let sourceObject: ManagedObject
  /// The version on which the change is based.
  public let oldVersionNumber: Int
  /// The current version of the record; 0 when it is gone.
  public let newVersionNumber: Int
  private let objectRow: Row?
  private let cachedRow: Row?
  private let persistedRow: Row?
  /// The current row of the record; nil when it is gone.
  let current: Row?
  /// Whether the object was brought to a state that can be saved.
  private(set) var isSettled = false

  /// Creates a conflict, for example to test a policy.
  ///
  /// - Parameters:
  ///   - source: The object.
  ///   - newVersion: The current version of the record; 0 when it is gone.
  ///   - oldVersion: The version on which the change is based.
  ///   - cachedSnapshot: The values in the coordinator's cache.
  ///   - persistedSnapshot: The values in the store; nil when the cache has them.
  public convenience init(
    source: ManagedObject, newVersion: Int, oldVersion: Int, cachedSnapshot: [String: Any]?,
    persistedSnapshot: [String: Any]?
  ) {
    let version = Int64(newVersion)
    let base = source.snapshot
    self.init(
      source: source, old: Int64(oldVersion), new: version, objectRow: base,
      cachedRow: cachedSnapshot.flatMap { base?.replacing($0, in: source, version: version) },
      persistedRow: persistedSnapshot.flatMap {
        base?.replacing($0, in: source, version: version)
      })
  }

  init(
    source: ManagedObject, old: Int64, new: Int64, objectRow: Row?, cachedRow: Row?,
    persistedRow: Row?
  ) {
    sourceObject = source
    oldVersionNumber = Int(old)
    newVersionNumber = Int(new)
    self.objectRow = objectRow
    self.cachedRow = cachedRow
    self.persistedRow = persistedRow
    current = new == 0 ? nil : persistedRow ?? cachedRow
  }

  /// Creates the conflict from the record in an error.
  convenience init(_ record: ConflictRecord.Version, in context: ManagedObjectContext) {
    self.init(
      source: context.object(with: record.id), old: record.old, new: record.new,
      objectRow: record.object, cachedRow: record.cached, persistedRow: record.persisted)
  }

  /// Creates a conflict found by a commit.
  convenience init(
    source: ManagedObject, expected: Int64, current: Row?, cached: Row?
  ) {
    let isKnown = current != nil && cached?.version == current?.version
    self.init(
      source: source, old: expected, new: current?.version ?? 0, objectRow: source.snapshot,
      cachedRow: cached, persistedRow: isKnown ? nil : current)
  }

  /// The object.
  public var objects: [ManagedObject] { [sourceObject] }

  /// The attributes and to-one destinations on which the change is based, nil values as `NSNull`, destinations as
  /// IDs.
  public var objectSnapshot: [String: Any]? { objectRow?.snapshotValues(of: sourceObject) }

  /// The values in the coordinator's cache; nil when it has none.
  public var cachedSnapshot: [String: Any]? { cachedRow?.snapshotValues(of: sourceObject) }

  /// The values in the store; nil when the cache has them too, and for a record that is gone.
  public var persistedSnapshot: [String: Any]? { persistedRow?.snapshotValues(of: sourceObject) }

  /// The conflict as plain data.
  public var record: ConflictRecord {
    .version(
      ConflictRecord.Version(
        id: sourceObject.identity, old: Int64(oldVersionNumber), new: Int64(newVersionNumber),
        object: objectRow, cached: cachedRow, persisted: persistedRow))
  }

  /// Brings the object to a state that can be saved.
  ///
  /// - Throws: The error of a store that has to be queried.
  func settle(by type: MergePolicyType) throws {
    isSettled = true
    try VersionResolution(object: sourceObject, current: current).apply(type)
  }

  /// Notifies the object, once all conflicts are settled.
  func tellObjects() {
    sourceObject.restoring.awaken(after: .mergePolicy)
  }
}
