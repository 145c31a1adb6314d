// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

@testable import RoostCoordinator

@Suite("Store router")
struct StoreRouterTests {
  let company: Company

  init() throws {
    company = try Company()
    try company.model.freeze()
  }

  private func candidate(
    _ name: String, _ entities: EntityDescription..., isReadOnly: Bool = false
  ) -> StoreRouter.Candidate {
    StoreRouter.Candidate(
      identity: StoreIdentity(identifier: name, type: "Minimal"), isReadOnly: isReadOnly,
      entities: Set(entities.map { ObjectIdentifier($0) }))
  }

  private func identity(_ name: String) -> StoreIdentity {
    StoreIdentity(identifier: name, type: "Minimal")
  }

  // MARK: Reading

  @Test(
    "a fetch concerns the stores whose configuration has the entity or a subentity (B229, B233)")
  func fetchesFollowConfigurations() throws {
    let router = StoreRouter([
      candidate("a", company.person), candidate("b", company.note),
      candidate("c", company.employee),
    ])
    let people = company.person.concreteEntities
    #expect(
      try router.storesForFetch(of: people, named: "Person", affected: nil) == [0, 2])
    #expect(try router.storesForFetch(of: [company.note], named: "Note", affected: nil) == [1])
  }

  @Test("affected stores limit a fetch; those without the entity have nothing to say (B136)")
  func affectedStoresLimit() throws {
    let router = StoreRouter([
      candidate("a", company.note), candidate("b", company.note), candidate("c", company.tag),
    ])
    let stores = try router.storesForFetch(
      of: [company.note], named: "Note", affected: [identity("b"), identity("c")])
    #expect(stores == [1])
    #expect(try router.storesForFetch(of: [company.note], named: "Note", affected: []) == [])
  }

  @Test(
    "a fetch that no store can answer, or that is limited to a removed one, is refused (B232)"
  )
  func impossibleFetches() {
    let router = StoreRouter([candidate("a", company.note)])
    #expect(
      errorCode { _ = try router.storesForFetch(of: [company.tag], named: "Tag", affected: nil) }
        == .noStore)
    #expect(
      errorCode {
        _ = try router.storesForFetch(
          of: [company.note], named: "Note", affected: [identity("gone")])
      } == .storeRemoved)
  }

  // MARK: Assignment

  @Test(
    "a new object goes to the first writable store in adding order with its entity (B230)"
  )
  func firstWritableStore() throws {
    let router = StoreRouter([
      candidate("tags", company.tag), candidate("fixed", company.note, isReadOnly: true),
      candidate("first", company.note), candidate("second", company.note),
    ])
    #expect(try router.stores(forNew: [NewObject(entity: company.note)]) == [2])
  }

  @Test("an explicit assignment wins (B230)")
  func explicitAssignment() throws {
    let router = StoreRouter([candidate("a", company.note), candidate("b", company.note)])
    let object = NewObject(
      entity: company.note, assigned: identity("b"), relatedStores: [identity("a")])
    #expect(try router.stores(forNew: [object]) == [1])
  }

  @Test("a new object that is related to saved ones goes to their store (B74, B230)")
  func relatedStore() throws {
    let router = StoreRouter([candidate("a", company.note), candidate("b", company.note)])
    let object = NewObject(entity: company.note, relatedStores: [identity("b")])
    #expect(try router.stores(forNew: [object]) == [1])
  }

  @Test("the store of related objects is passed over when it cannot take the object (B230)")
  func impossibleRelatedStore() throws {
    let router = StoreRouter([
      candidate("a", company.tag), candidate("b", company.note, company.tag),
      candidate("c", company.note, isReadOnly: true),
    ])
    let toOther = NewObject(entity: company.note, relatedStores: [identity("a")])
    let toReadOnly = NewObject(entity: company.note, relatedStores: [identity("c")])
    #expect(try router.stores(forNew: [toOther, toReadOnly]) == [1, 1])
  }

  @Test("new objects follow each other along any chain to the assigned one (B74)")
  func chainsFollow() throws {
    let router = StoreRouter([candidate("a", company.note), candidate("b", company.note)])
    var objects = (0..<1000).map { index in
      NewObject(entity: company.note, relatedNew: index == 0 ? [] : [index - 1])
    }
    objects[999].assigned = identity("b")
    #expect(try router.stores(forNew: objects) == [Int](repeating: 1, count: 1000))
  }

  @Test("an object that only one store can take draws its company there (B74)")
  func forcedObjectsDraw() throws {
    let router = StoreRouter([
      candidate("a", company.note), candidate("b", company.note, company.tag),
    ])
    let objects = [
      NewObject(entity: company.note, relatedNew: [1]), NewObject(entity: company.tag),
    ]
    #expect(try router.stores(forNew: objects) == [1, 1])
  }

  @Test("a free group goes to the first store that can take all of it (B74)")
  func groupsStayTogether() throws {
    let router = StoreRouter([
      candidate("notes", company.note), candidate("tags", company.tag),
      candidate("both", company.note, company.tag), candidate("late", company.note, company.tag),
    ])
    let objects = [
      NewObject(entity: company.note), NewObject(entity: company.note, relatedNew: [2]),
      NewObject(entity: company.tag),
    ]
    #expect(try router.stores(forNew: objects) == [0, 2, 2])
  }

  @Test("without a store for the entity there is no assignment (B232)")
  func noStore() {
    let router = StoreRouter([candidate("a", company.tag)])
    #expect(
      errorCode { _ = try router.stores(forNew: [NewObject(entity: company.note)]) } == .noStore)
    #expect(
      errorCode { _ = try StoreRouter([]).stores(forNew: [NewObject(entity: company.note)]) }
        == .noStore)
  }

  @Test("when only read-only stores hold the entity, the error says so (B236)")
  func readOnlyStore() {
    let router = StoreRouter([candidate("a", company.note, isReadOnly: true)])
    #expect(
      errorCode { _ = try router.stores(forNew: [NewObject(entity: company.note)]) }
        == .readOnlyStore)
  }

  @Test(
    "an assignment to a store that cannot take the object is refused (B231)",
    arguments: ["gone", "tags", "fixed"])
  func impossibleAssignment(_ name: String) {
    let router = StoreRouter([
      candidate("free", company.note), candidate("tags", company.tag),
      candidate("fixed", company.note, isReadOnly: true),
    ])
    let object = NewObject(entity: company.note, assigned: identity(name))
    #expect(errorCode { _ = try router.stores(forNew: [object]) } == .invalidStoreAssignment)
    #expect(
      errorCode { try router.checkAssignment(of: company.note, to: identity(name)) }
        == .invalidStoreAssignment)
    #expect(errorCode { try router.checkAssignment(of: company.note, to: identity("free")) } == nil)
  }
}
