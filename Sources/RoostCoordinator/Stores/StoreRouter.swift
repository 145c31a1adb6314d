// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Decides which stores a request concerns and which store a new object goes to, without I/O.
package struct StoreRouter: Sendable {
  /// The facts about a store that the router needs.
  package struct Candidate: Sendable {
    /// The identity of the store.
    package var identity: StoreIdentity
    /// Whether the store is read-only.
    package var isReadOnly: Bool
    /// The concrete entities of its configuration.
    package var entities: Set<ObjectIdentifier>

    package init(identity: StoreIdentity, isReadOnly: Bool, entities: Set<ObjectIdentifier>) {
      self.identity = identity
      self.isReadOnly = isReadOnly
      self.entities = entities
    }

    func holds(_ entity: EntityDescription) -> Bool {
      entities.contains(ObjectIdentifier(entity))
    }

    func canTake(_ entity: EntityDescription) -> Bool {
      !isReadOnly && holds(entity)
    }
  }

  /// The stores in the order of adding.
  package let candidates: [Candidate]
  private let absence: MissingStoreReason
  private let indexByIdentifier: [String: Int]

  package init(_ candidates: [Candidate], absence: MissingStoreReason = .neverAdded) {
    self.candidates = candidates
    self.absence = absence
    indexByIdentifier = Dictionary(
      candidates.enumerated().map { ($1.identity.identifier, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The index of a store; nil when it is not attached.
  package func index(of identity: StoreIdentity) -> Int? {
    indexByIdentifier[identity.identifier]
  }
}

// MARK: - Reading

extension StoreRouter {
  /// Returns the indices of the stores that a fetch of entities must ask: those whose configuration has one of them
  /// (B229, B233), narrowed to `affected` (B136).
  ///
  /// - Throws: `noStore` when no attached store holds the entity; `storeRemoved` when an affected store is not
  ///   attached. Affected stores that do not hold the entity are left out.
  package func storesForFetch(
    of entities: [EntityDescription], named name: String?, affected: [StoreIdentity]?
  ) throws -> [Int] {
    let allowed = try affected.map { try allowedIndices($0) }
    let holding = candidates.indices.filter { index in
      entities.contains { candidates[index].holds($0) }
    }
    guard let allowed else {
      if holding.isEmpty && !entities.isEmpty {
        throw absence(of: name)
      }
      return holding
    }
    return holding.filter(allowed.contains)
  }

  private func allowedIndices(_ affected: [StoreIdentity]) throws -> Set<Int> {
    var allowed: Set<Int> = []
    for identity in affected {
      guard let index = index(of: identity) else {
        throw PersistenceError(
          .storeRemoved, "A store that the request is limited to is not attached.",
          store: identity.identifier)
      }
      allowed.insert(index)
    }
    return allowed
  }
}

// MARK: - Assignment

extension StoreRouter {
  /// Checks that a new object of an entity may be assigned to a store (B231).
  ///
  /// - Throws: `invalidStoreAssignment` when the store is not attached, does not hold the entity or is read-only.
  package func checkAssignment(of entity: EntityDescription, to identity: StoreIdentity) throws {
    func refusal(_ reason: String) -> PersistenceError {
      PersistenceError(
        .invalidStoreAssignment, "The object cannot be assigned to the store: \(reason).",
        entityName: entity.name, store: identity.identifier)
    }
    guard let index = index(of: identity) else { throw refusal("it is not attached") }
    let candidate = candidates[index]
    guard candidate.holds(entity) else {
      throw refusal("its configuration does not have the entity")
    }
    guard !candidate.isReadOnly else { throw refusal("it is read-only") }
  }

  /// Returns the store of each new object (B230).
  ///
  /// Explicit assignments are kept; objects that only one store can hold go there. Objects related to these, or to
  /// saved objects, follow them to their store as far as the store can hold them (B74), and so on transitively. The
  /// rest go to the first writable store that holds the entity, or, when several are related to each other, to the
  /// first that holds all of their entities, if there is one.
  ///
  /// - Returns: An index into ``candidates`` for each object.
  /// - Throws: `noStore` when no store holds an entity (B232), `readOnlyStore` when only read-only stores do,
  ///   `invalidStoreAssignment` for an assignment that is not possible.
  /// - Complexity: O(*n* + *r*) for *n* objects and *r* relations between them.
  package func stores(forNew objects: [NewObject]) throws -> [Int] {
    var assignment = StoreAssignment(router: self, objects: objects)
    try assignment.seed()
    assignment.spread()
    try assignment.settleTheRest()
    return assignment.chosen
  }

  /// Returns the error for an entity that no store can take.
  func refusal(of entity: EntityDescription) -> PersistenceError {
    if candidates.contains(where: { $0.holds(entity) }) {
      return PersistenceError(
        .readOnlyStore, "Every store that holds the entity is read-only.",
        entityName: entity.name)
    }
    return absence(of: entity.name)
  }

  /// Returns the error for an entity that no store holds.
  func absence(of entityName: String?) -> PersistenceError {
    absence.error(entityName: entityName, hasStores: !candidates.isEmpty)
  }
}
