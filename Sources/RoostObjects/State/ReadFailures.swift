// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What a context could not read where nothing could be thrown, as in a property's getter.
///
/// The program went on with nil, zero or nothing, and may have computed with it. So a failure stays until the program
/// does something about it, and as long as it stays nothing is saved. A read that succeeds later does not take it back.
struct ReadFailures {
  /// One object, or one relationship of an object, that could not be read.
  private struct Place: Hashable {
    var id: ObjectID
    var key: String?
  }

  private var errors: [PersistenceError] = []
  /// Why delete rules could not be applied at the end of an event. The deletions wait for the next time, and with them
  /// this error goes.
  var waitingDeletions: PersistenceError? {
    didSet { isWaiting = waitingDeletions != nil }
  }
  private(set) var isWaiting = false
  /// What failed, in the order of the first failure of each.
  private var places: [Place] = []
  private var known: Set<Place> = []
  /// Whether something failed that no object can be named for.
  private var hasNameless = false

  var isEmpty: Bool { errors.isEmpty && !isWaiting }

  /// The objects that failed, each once.
  var objectIDs: [ObjectID] {
    var seen = Set<ObjectID>()
    return places.map(\.id.current).filter { seen.insert($0).inserted }
  }

  /// Whether the values of an object, or one of its relationships, could not be read.
  func contains(_ id: ObjectID) -> Bool {
    places.contains { $0.id.current == id }
  }

  /// Whether the values of an object could not be read, or one of its relationships when there is a key.
  func bars(_ id: ObjectID, _ key: String?) -> Bool {
    known.contains(Place(id: id, key: key))
  }

  /// The names of the relationships of an object that could not be read.
  func relationships(of id: ObjectID) -> Set<String> {
    Set(places.lazy.filter { $0.id.current == id }.compactMap(\.key))
  }

  /// Notes a failure.
  ///
  /// - Parameters:
  ///   - error: What was thrown.
  ///   - ids: The objects that could not be read.
  ///   - key: The relationship that could not be read; nil for the values of the objects.
  mutating func note(_ error: PersistenceError, of ids: [ObjectID], key: String?) {
    var isNew = ids.isEmpty && !hasNameless
    if ids.isEmpty { hasNameless = true }
    for id in ids where known.insert(Place(id: id, key: key)).inserted {
      places.append(Place(id: id, key: key))
      isNew = true
    }
    // A store that is gone fails every read: one error for each object is enough, and a few for all of them.
    if isNew, errors.count < ReadFailures.errorLimit { errors.append(error) }
  }

  /// Forgets the failures of objects that were read again.
  mutating func forget(_ ids: Set<ObjectID>) {
    guard !places.isEmpty else { return }
    places.removeAll { ids.contains($0.id.current) }
    known = Set(places)
    if places.isEmpty, !hasNameless {
      errors = []
    } else {
      errors.removeAll {
        !$0.objectIDs.isEmpty && $0.objectIDs.allSatisfy { ids.contains($0.current) }
      }
    }
  }

  mutating func removeAll() { self = ReadFailures() }

  /// The error that every save throws; nil when nothing failed.
  var error: PersistenceError? {
    guard let first = errors.first else { return waitingDeletions }
    let ids = objectIDs
    if errors.count == 1, ReadFailures.isClear(first.code) { return first }
    let names = ids.prefix(3).map { "\($0)" }.joined(separator: ", ")
    let more = ids.count > 3 ? " and \(ids.count - 3) more" : ""
    let single = places.count == 1 ? places[0] : nil
    return PersistenceError(
      .readFailed,
      "\(names)\(more) could not be read: \(first.message) Nothing is saved until these objects are "
        + "refreshed, or the context is rolled back or reset.",
      entityName: single?.id.entity.name ?? first.entityName, key: single?.key ?? first.key,
      objectIDs: ids, store: first.store, underlyingErrors: errors, underlying: first)
  }

  /// Whether the code says by itself why the value could not be had: no store has failed.
  private static func isClear(_ code: PersistenceError.Code) -> Bool {
    code == .forbiddenByPolicy || code == .objectReferentialIntegrity
  }

  /// How many errors are kept.
  private static let errorLimit = 100
}

extension PersistenceError {
  /// Whether the error is a mistake of the caller, as an unknown key: it tells nothing of a store.
  var isRefusal: Bool {
    switch code {
    case .unknownKey, .invalidValue, .differentContexts, .unknownEntity, .invalidRequest,
      .invalidPredicate, .limitExceeded, .transformation, .abstractEntity:
      true
    default: false
    }
  }
}
