// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The failed reads of a context in places where nothing could be thrown, such as a property's getter.
///
/// The program continued with nil, zero or an empty collection, and may have computed other values from it. So a
/// failure persists until the program handles it, and until then nothing is saved. A later successful read does not
/// clear it.
struct ReadFailures {
  /// One object, or one relationship of an object, that could not be read.
  private struct Place: Hashable {
    var id: ObjectID
    var key: String?
  }

  private var errors: [PersistenceError] = []
  /// The error that stopped delete rules at the end of an event. The deletions are tried again, and success clears
  /// this error.
  var waitingDeletions: PersistenceError? {
    didSet { isWaiting = waitingDeletions != nil }
  }
  private(set) var isWaiting = false
  /// The failed objects and relationships, in the order of their first failure.
  private var places: [Place] = []
  private var known: Set<Place> = []
  /// Whether a failure names no object.
  private var hasNameless = false

  var isEmpty: Bool { errors.isEmpty && !isWaiting }

  /// The objects with a failure, each once.
  var objectIDs: [ObjectID] {
    var seen = Set<ObjectID>()
    return places.map(\.id.current).filter { seen.insert($0).inserted }
  }

  /// Whether an object's values, or one of its relationships, could not be read.
  func contains(_ id: ObjectID) -> Bool {
    places.contains { $0.id.current == id }
  }

  /// Whether an object's values could not be read, or, with a key, one of its relationships.
  func bars(_ id: ObjectID, _ key: String?) -> Bool {
    known.contains(Place(id: id, key: key))
  }

  /// The names of an object's relationships that could not be read.
  func relationships(of id: ObjectID) -> Set<String> {
    Set(places.lazy.filter { $0.id.current == id }.compactMap(\.key))
  }

  /// Records a failure.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - ids: The objects that could not be read.
  ///   - key: The relationship that could not be read; nil for the values of the objects.
  mutating func note(_ error: PersistenceError, of ids: [ObjectID], key: String?) {
    var isNew = ids.isEmpty && !hasNameless
    if ids.isEmpty { hasNameless = true }
    for id in ids where known.insert(Place(id: id, key: key)).inserted {
      places.append(Place(id: id, key: key))
      isNew = true
    }
    // An unavailable store fails every read: one error for each object is enough, up to a limit for all of them.
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

  /// The error that every save throws; nil without a failure.
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

  /// Whether the code alone explains the failure: the store did not fail.
  private static func isClear(_ code: PersistenceError.Code) -> Bool {
    code == .forbiddenByPolicy || code == .objectReferentialIntegrity
  }

  /// The maximum number of errors kept.
  private static let errorLimit = 100
}

extension PersistenceError {
  /// Whether the error is one of the caller, such as an unknown key, and not one of a store.
  var isRefusal: Bool {
    switch code {
    case .unknownKey, .invalidValue, .differentContexts, .unknownEntity, .invalidRequest,
      .invalidPredicate, .limitExceeded, .transformation, .abstractEntity:
      true
    default: false
    }
  }
}
