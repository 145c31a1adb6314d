// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A new object as the router sees it: its entity and its related objects.
package struct NewObject: Sendable {
  /// The concrete entity.
  package var entity: EntityDescription
  /// The store that it was assigned to.
  package var assigned: StoreIdentity?
  /// The stores of the saved objects that it is related to.
  package var relatedStores: [StoreIdentity]
  /// The new objects that it is related to: indices in the same call. One direction is enough.
  package var relatedNew: [Int]

  package init(
    entity: EntityDescription, assigned: StoreIdentity? = nil,
    relatedStores: [StoreIdentity] = [], relatedNew: [Int] = []
  ) {
    self.entity = entity
    self.assigned = assigned
    self.relatedStores = relatedStores
    self.relatedNew = relatedNew
  }
}

/// One run of the assignment of new objects to stores: first objects without a choice, then those related to them,
/// then the rest.
struct StoreAssignment {
  private let router: StoreRouter
  private let objects: [NewObject]
  private let neighbours: [[Int]]
  private static let none = -1
  /// The store of each object, as an index into the router's candidates.
  private(set) var chosen: [Int]
  private var queue: [Int] = []

  init(router: StoreRouter, objects: [NewObject]) {
    self.router = router
    self.objects = objects
    chosen = [Int](repeating: Self.none, count: objects.count)
    neighbours = Self.symmetric(objects)
  }

  private static func symmetric(_ objects: [NewObject]) -> [[Int]] {
    guard objects.contains(where: { !$0.relatedNew.isEmpty }) else {
      return [[Int]](repeating: [], count: objects.count)
    }
    var neighbours = objects.map(\.relatedNew)
    for (index, object) in objects.enumerated() {
      for other in object.relatedNew where other != index { neighbours[other].append(index) }
    }
    return neighbours
  }

  /// Assigns the objects without a choice: explicitly assigned ones, those related to saved objects, those with one
  /// possible store.
  mutating func seed() throws {
    for (index, object) in objects.enumerated() {
      if let assigned = object.assigned {
        try router.checkAssignment(of: object.entity, to: assigned)
        choose(router.index(of: assigned) ?? Self.none, for: index)
      }
    }
    for index in objects.indices where chosen[index] == Self.none {
      let object = objects[index]
      let related = object.relatedStores.compactMap { router.index(of: $0) }.sorted()
      if let store = related.first(where: { router.candidates[$0].canTake(object.entity) }) {
        choose(store, for: index)
      }
    }
    var onlyStores: [ObjectIdentifier: Int?] = [:]
    for index in objects.indices where chosen[index] == Self.none {
      let entity = objects[index].entity
      let only = try onlyStore(for: entity, known: &onlyStores)
      if let only { choose(only, for: index) }
    }
  }

  /// Returns the one store that can hold an entity; nil when several can.
  private func onlyStore(
    for entity: EntityDescription, known: inout [ObjectIdentifier: Int?]
  ) throws -> Int? {
    if let answer = known[ObjectIdentifier(entity)] { return answer }
    let able = router.candidates.indices.filter { router.candidates[$0].canTake(entity) }
    guard let first = able.first else { throw router.refusal(of: entity) }
    let answer = able.count == 1 ? first : nil
    known[ObjectIdentifier(entity)] = .some(answer)
    return answer
  }

  private mutating func choose(_ store: Int, for index: Int) {
    chosen[index] = store
    queue.append(index)
  }

  /// Spreads assignments to related objects, nearest first.
  mutating func spread() {
    var next = 0
    while next < queue.count {
      let index = queue[next]
      next += 1
      let store = chosen[index]
      for other in neighbours[index] where chosen[other] == Self.none {
        if router.candidates[store].canTake(objects[other].entity) { choose(store, for: other) }
      }
    }
    queue.removeAll()
  }

  /// Assigns groups of related objects that no assignment reached.
  mutating func settleTheRest() throws {
    for index in objects.indices where chosen[index] == Self.none {
      let group = companions(of: index)
      let common = router.candidates.indices.first { store in
        group.allSatisfy { router.candidates[store].canTake(objects[$0].entity) }
      }
      for member in group { chosen[member] = try common ?? firstStore(for: member) }
    }
  }

  private func firstStore(for index: Int) throws -> Int {
    let entity = objects[index].entity
    guard let first = router.candidates.firstIndex(where: { $0.canTake(entity) }) else {
      throw router.refusal(of: entity)
    }
    return first
  }

  /// Returns the unassigned objects connected with one.
  private func companions(of start: Int) -> [Int] {
    var group = [start]
    var seen: Set<Int> = [start]
    var next = 0
    while next < group.count {
      for other in neighbours[group[next]]
      where chosen[other] == Self.none && seen.insert(other).inserted {
        group.append(other)
      }
      next += 1
    }
    return group
  }
}
