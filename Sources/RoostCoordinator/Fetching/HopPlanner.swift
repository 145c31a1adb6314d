// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// Rewrites conditions that leave a store into conditions that the store can evaluate: the part beyond is evaluated
/// first in the other stores, and returns IDs.
///
/// `album.name == "Rome"` becomes `album IN {the albums with that name}`, with the foreign numbers under which the
/// store knows them. A record without album, or whose album is gone, has nil there: where nil satisfies the
/// comparison, it is negated, as `NOT (album IN {the albums for which it does not hold})`. The rewritten condition
/// has the same value for every record, so it may also stand below `NOT` and `OR`.
struct HopPlanner {
  let across: FetchAcross
  let store: AttachedStore
  /// Whether to ask the other stores; otherwise the conditions only get their final form.
  let asks: Bool
  /// Descriptions of the hops, for plans.
  private(set) var hops: [String] = []
  /// The position of the last hop.
  private var place = HopAnswers.Place()

  /// The conjuncts that the store evaluates alone, which narrow the records of each hop.
  var narrowing: ResolvedPredicate?

  init(across: FetchAcross, store: AttachedStore, asks: Bool) {
    self.across = across
    self.store = store
    self.asks = asks
  }

  /// Returns a conjunct in a form that the store can evaluate; nil when it must be evaluated in memory.
  mutating func local(_ conjunct: ResolvedPredicate, number: Int) throws -> ResolvedPredicate? {
    place = HopAnswers.Place(conjunct: number)
    return try local(conjunct)
  }

  private mutating func local(_ predicate: ResolvedPredicate) throws -> ResolvedPredicate? {
    switch predicate {
    case .constant: return predicate
    case .comparison(let comparison): return try local(comparison)
    case .and(let parts): return try local(parts).map { .and($0) }
    case .or(let parts): return try local(parts).map { .or($0) }
    case .not(let part): return try local(part).map { .not($0) }
    }
  }

  private mutating func local(_ parts: [ResolvedPredicate]) throws -> [ResolvedPredicate]? {
    var result: [ResolvedPredicate] = []
    for part in parts {
      guard let local = try local(part) else { return nil }
      result.append(local)
    }
    return result
  }

  private mutating func local(_ comparison: ResolvedComparison) throws -> ResolvedPredicate? {
    guard leaves(comparison.left) || leaves(comparison.right) else {
      return .comparison(try named(comparison))
    }
    guard case .path(let path) = comparison.left, let index = across.firstHop(of: path) else {
      return nil
    }
    switch comparison.right {
    case .constant, .list: break
    default: return nil
    }
    let hop = Hop(comparison: comparison, path: path, index: index)
    return path.relationships[index].isToMany ? try membersHop(hop) : try destinationHop(hop)
  }

  /// Whether the store cannot evaluate an expression. A path that ends with a destination of another store can be
  /// evaluated, because the column holds its key. But the members of a subquery may be in another store, and IDs
  /// inside an expression are not translated.
  private func leaves(_ expression: ResolvedExpression) -> Bool {
    if case .path(let path) = expression { return across.firstHop(of: path) != nil }
    var isElsewhere = false
    expression.forEachPath { path in isElsewhere = isElsewhere || across.isSeenElsewhere(path) }
    return isElsewhere
  }

  /// A comparison, its path, and the index of the relationship that leaves the store.
  private struct Hop {
    let comparison: ResolvedComparison
    let path: ResolvedPath
    let index: Int

    var relationship: RelationshipDescription { path.relationships[index] }

    /// The path up to the relationship.
    var before: ResolvedPath { way(to: index) }
    /// The path including the relationship.
    var over: ResolvedPath { way(to: index + 1) }

    private func way(to end: Int) -> ResolvedPath {
      ResolvedPath(
        root: path.root, relationships: Array(path.relationships[..<end]), end: .object,
        rootEntity: path.rootEntity)
    }

    /// The relationship, when the record itself has it; nil when other relationships come first.
    var ownRelationship: RelationshipDescription? { index == 0 ? relationship : nil }

    /// The rest of the comparison, rooted at the objects beyond the relationship.
    var beyond: ResolvedComparison {
      let rest = ResolvedPath(
        root: .object, relationships: Array(path.relationships[(index + 1)...]), end: path.end,
        rootEntity: relationship.destinationEntity, endGuard: path.endGuard)
      var beyond = comparison
      beyond.left = .path(rest)
      if !rest.isToMany { beyond.modifier = .direct }
      return beyond
    }
  }

  /// Rewrites a to-one hop: the record's reference column names the destination.
  private mutating func destinationHop(_ hop: Hop) throws -> ResolvedPredicate? {
    let isOfMany = hop.over.isToMany
    guard case .object = hop.path.root, hop.comparison.modifier != .all || !hop.path.isToMany
    else { return nil }
    let beyond = ResolvedPredicate.comparison(hop.beyond)
    guard hop.comparison.holdsForNil, !hop.beyond.leftIsToMany else {
      guard let ids = try objects(beyond, of: hop.relationship, from: hop.ownRelationship) else {
        return nil
      }
      return .comparison(try named(hop.over.isOneOf(ids, modifier: isOfMany ? .any : .direct)))
    }
    // Where one of several values may be nil, no list of references expresses the condition.
    guard !isOfMany,
      let ids = try objects(.not(beyond), of: hop.relationship, from: hop.ownRelationship)
    else { return nil }
    return .not(.comparison(try named(hop.over.isOneOf(ids, modifier: .direct))))
  }

  /// Rewrites a to-many hop: the matching destinations determine their owners.
  private mutating func membersHop(_ hop: Hop) throws -> ResolvedPredicate? {
    let isOfMany = hop.before.isToMany
    guard case .object = hop.path.root else { return nil }
    switch hop.comparison.modifier {
    case .any:
      guard let owners = try owners(of: .comparison(hop.beyond), by: hop.relationship) else {
        return nil
      }
      return .comparison(
        try named(hop.before.isOneOf(owners, modifier: isOfMany ? .any : .direct)))
    case .all:
      // "All match" means that none fails to match.
      guard !isOfMany, !hop.beyond.leftIsToMany,
        let owners = try owners(of: .not(.comparison(hop.beyond)), by: hop.relationship)
      else { return nil }
      return .not(.comparison(try named(hop.before.isOneOf(owners, modifier: .direct))))
    default: return nil
    }
  }

  // MARK: - Asking the other stores

  /// Returns the destination objects that satisfy a condition; nil when there are too many.
  ///
  /// When this store has few candidate records, only their destinations are asked for. This requires a store that is
  /// read in a snapshot: otherwise a record might have another destination by the time it is evaluated.
  ///
  /// - Parameter own: The relationship, when the record itself has it; nil when other relationships come first.
  private mutating func objects(
    _ condition: ResolvedPredicate, of relationship: RelationshipDescription,
    from own: RelationshipDescription? = nil
  ) throws -> [ObjectID]? {
    guard let entity = relationship.destinationEntity else { return nil }
    let mayTurn = own != nil && across.isOfOneMoment(store)
    try note(entity, condition, relationship)
    guard asks else { return [] }
    place.number += 1
    if let own, mayTurn, let referred = try fewReferred(by: own) {
      let named = ResolvedPredicate.comparison(entity.isOne(of: referred))
      return try ids(of: entity, .and([named, condition]))
    }
    return try across.answers.ids(ofHop: place) { try ids(of: entity, condition) }
  }

  /// Adds the description of a hop, and those of its nested hops.
  private mutating func note(
    _ entity: EntityDescription, _ condition: ResolvedPredicate,
    _ relationship: RelationshipDescription
  ) throws {
    let hop = "first: IDs of \(entity.name ?? "") with a condition, for \(relationship.name)"
    guard !hops.contains(hop) else { return }
    hops.append(hop)
    guard !asks else { return }
    let inner = inner(entity, condition)
    let stores = try across.coordinator.storesToAsk(
      for: inner, of: across.coordinator.stores(in: across.generation), in: across.generation)
    let planned = try FetchAcross(
      inner, of: stores, in: across.coordinator, at: across.generation)?.plannedHops()
    for hop in planned ?? [] where !hops.contains(hop) { hops.append(hop) }
  }

  private func inner(
    _ entity: EntityDescription, _ condition: ResolvedPredicate
  ) -> CoordinatorFetch {
    CoordinatorFetch(
      fetch: ResolvedFetch(
        entity: entity, entities: entity.concreteEntities, predicate: condition,
        limit: AcrossLimits.mostKeys + 1, result: .keys),
      allowsInMemoryEvaluation: across.request.allowsInMemoryEvaluation, fillsRowCache: false)
  }

  /// Returns the objects that satisfy a condition; nil when there are too many.
  private func ids(
    of entity: EntityDescription, _ condition: ResolvedPredicate
  ) throws -> [ObjectID]? {
    let answer = try across.coordinator.fetch(inner(entity, condition), in: across.generation)
    guard case .ids(let ids) = answer else { return nil }
    return ids.count > AcrossLimits.mostKeys ? nil : ids
  }

  /// Returns the destinations of this store's candidate records; nil when there are too many records.
  private func fewReferred(by relationship: RelationshipDescription) throws -> [ObjectID]? {
    guard case .toOne(let slot) = relationship.storage, AcrossLimits.fewKeys > 0 else {
      return nil
    }
    var own = across.fetch.replacing(predicate: narrowing)
    (own.sort, own.offset, own.limit, own.result) = ([], 0, AcrossLimits.fewKeys + 1, .rows)
    guard case .rows(let rows) = try StoreFetch(store: store, fillsRowCache: false).run(own),
      rows.count <= AcrossLimits.fewKeys
    else { return nil }
    // The relationship may belong to a subentity: rows of other entities hold something else in its slot.
    let keys = Set(
      rows.compactMap { $0.layout.entity.has(relationship) ? $0.reference(slot) : nil })
    return try store.destinationIDs(forKeys: keys.sorted()).compactMap(\.self)
  }

  /// Returns the sources that lead to an object that satisfies a condition; nil when there are too many.
  private mutating func owners(
    of condition: ResolvedPredicate, by relationship: RelationshipDescription
  ) throws -> [ObjectID]? {
    guard let members = try objects(condition, of: relationship) else { return nil }
    switch relationship.storage {
    case .inverseOfToOne(let slot, _):
      let rows = try across.coordinator.rows(for: members, in: across.generation)
      var seen = Set<ObjectID>()
      var owners: [ObjectID] = []
      for group in try StoreGroups(members, in: across.list).groups {
        let keys = group.indices.compactMap { rows[$0]?.reference(slot) }
        for case let id? in try group.store.destinationIDs(forKeys: keys)
        where seen.insert(id).inserted {
          owners.append(id)
        }
      }
      return owners
    case .links(let table, let isForward):
      let back = isForward ? table.backwards : table.relationship
      let found = try DestinationsAcross(relationship: back, list: across.list)
        .run(StoreGroups(members, in: across.list).groups, count: members.count)
      let owners = Set(found.ids)
      return owners.count > AcrossLimits.mostKeys ? nil : Array(owners)
    case .toOne, .transient: return nil
    }
  }

  // MARK: - Naming records

  /// Returns the comparison with IDs of other stores replaced by the foreign numbers under which this store knows
  /// them. An ID that the store does not know stays, and equals nothing.
  private func named(_ comparison: ResolvedComparison) throws -> ResolvedComparison {
    // The object itself is not a reference: an object of another store never equals it, and only the full ID orders
    // correctly.
    if case .path(let path) = comparison.left, path.relationships.isEmpty { return comparison }
    var values: [Value]
    switch comparison.right {
    case .constant(let value): values = [value]
    case .list(let list): values = list
    default: return comparison
    }
    let ids = values.compactMap { value -> ObjectID? in
      guard case .objectID(let id) = value else { return nil }
      return store.holds(recordOf: id.current) ? nil : id.current
    }
    guard !ids.isEmpty, asks else { return comparison }
    var keys: [ObjectID: Int64] = [:]
    for case let (id, key?) in zip(ids, try store.knownKeys(ofDestinations: ids)) { keys[id] = key }
    var scopes: [ObjectIdentifier: IDScope] = [:]
    var isMissing = false
    values = values.compactMap { value in
      guard case .objectID(let id) = value, !store.holds(recordOf: id.current) else { return value }
      guard let key = keys[id.current] else {
        isMissing = true
        return nil
      }
      let scope =
        scopes[ObjectIdentifier(id.entity)] ?? IDScope(entity: id.entity, store: store.identity)
      scopes[ObjectIdentifier(id.entity)] = scope
      return .objectID(ObjectID(scope: scope, key: key))
    }
    var result = comparison
    if case .list = comparison.right {
      result.right = .list(values)
    } else if !isMissing, let value = values.first {
      result.right = .constant(value)
    }
    return result
  }
}

extension ResolvedPath {
  /// Returns the comparison that an object at the end of the path is in a list of IDs.
  fileprivate func isOneOf(
    _ ids: [ObjectID], modifier: ComparisonPredicate.Modifier
  ) -> ResolvedComparison {
    ResolvedComparison(
      left: .path(self), comparison: .in, right: .list(ids.map { .objectID($0) }),
      modifier: modifier)
  }
}

extension ResolvedComparison {
  /// Whether the left side may have several values.
  fileprivate var leftIsToMany: Bool {
    guard case .path(let path) = left else { return false }
    return path.isToMany
  }

  /// Whether the comparison holds when the left side is nil.
  fileprivate var holdsForNil: Bool {
    switch (comparison, right) {
    case (.equalTo, .constant(let value)): value == .null
    case (.notEqualTo, .constant(let value)): value != .null
    case (.in, .list(let values)): values.contains(.null)
    default: false
    }
  }
}
