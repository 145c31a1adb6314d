// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance
import Testing

@testable import RoostConformanceKit

@Suite("Stores of all kinds behind one coordinator: who has what")
struct FourStoresRoutingTests {
  private func shelf() throws -> FourStores {
    try FourStores(ShelfModel.make(), configurations: ShelfModel.configurations)
  }

  @Test("each configuration's objects are in its store, also after a reopening (B229, B234)")
  func configurations() throws {
    let shelf = try shelf()
    for (index, entity) in ShelfModel.entities.enumerated() {
      let owner = try shelf.context.make(entity, ["name": "o\(index)", "size": index])
      for number in 0..<3 {
        try shelf.context.make(
          "\(entity)Line", ["name": "l\(number)", "size": number, "owner": owner])
      }
      let tag = try shelf.context.make("Tag", ["name": "t\(index)"])
      try owner.add(tag, to: "tags")
    }
    let counts = try shelf.counting { try shelf.context.save() }
    #expect(counts.map(\.commits) == [1, 1, 1, 1])
    try shelf.stack.reopen()
    for (index, entity) in ShelfModel.entities.enumerated() {
      let owner = try shelf.context.named(entity, "o\(index)")
      #expect(shelf.place(of: owner) == index)
      #expect(try owner.names("lines") == ["l0", "l1", "l2"])
      let tag = try shelf.context.named("Tag", "t\(index)")
      #expect(shelf.place(of: tag) == index, "a tag follows its owner (B74)")
      #expect(try owner.names("tags") == ["t\(index)"])
    }
  }

  @Test("an object of an entity in all stores goes where it is assigned to (B230, B231)")
  func assigned() throws {
    let shelf = try shelf()
    for round in 0..<8 {
      let tag = try shelf.context.make("Tag", ["name": "t\(round)"])
      try shelf.context.assign(tag, to: shelf.stores[round % 4])
    }
    let free = try shelf.context.make("Tag", ["name": "free"])
    try shelf.context.save()
    #expect(shelf.place(of: free) == 0, "the first store takes what is not assigned")
    let order = try shelf.context.make("Order", ["name": "o"])
    #expect(throws: PersistenceError(.invalidStoreAssignment, "")) {
      try shelf.context.assign(order, to: shelf.stores[1])
    }
    shelf.context.rollback()
    try shelf.stack.reopen()
    for round in 0..<8 {
      #expect(shelf.place(of: try shelf.context.named("Tag", "t\(round)")) == round % 4)
    }
    #expect(try shelf.context.names("Tag").count == 9)
  }

  @Test("a relationship between any two stores is refused before any of them writes (B73)")
  func crossing() throws {
    let shelf = try shelf()
    for index in 0..<4 {
      let tag = try shelf.context.make("Tag", ["name": "t\(index)"])
      try shelf.context.assign(tag, to: shelf.stores[index])
    }
    try shelf.context.save()
    for here in 0..<4 {
      for there in 0..<4 where here != there {
        let child = try shelf.context.named("Tag", "t\(here)")
        try child.set("parent", try shelf.context.named("Tag", "t\(there)"))
        for entity in ShelfModel.entities { try shelf.context.make(entity, ["name": "x"]) }
        let counts = try shelf.counting {
          let error = #expect(throws: PersistenceError.self) { try shelf.context.save() }
          #expect(error?.code == .externalRelationship, "\(here) to \(there)")
          #expect(error?.objectIDs.contains(child.objectID) == true)
        }
        #expect(counts.map(\.commits) == [0, 0, 0, 0])
        #expect(shelf.context.insertedObjects.count == 4)
        shelf.context.rollback()
      }
    }
    for entity in ShelfModel.entities { #expect(try shelf.context.names(entity) == []) }
  }

  @Test("a read-only store among the others is read, and gets nothing new (B230, B236)")
  func readOnly() throws {
    let shelf = try shelf()
    for index in 0..<4 {
      let tag = try shelf.context.make("Tag", ["name": "t\(index)"])
      try shelf.context.assign(tag, to: shelf.stores[index])
    }
    try shelf.context.save()
    for fixed in 0..<3 {
      shelf.stack.close()
      var descriptions = shelf.stack.stores
      descriptions[fixed].isReadOnly = true
      let other = try ConformanceStack(
        model: shelf.stack.model, stores: descriptions, stage: shelf.stage)
      defer { other.close() }
      let context = other.context
      #expect(try context.names("Tag") == ["t0", "t1", "t2", "t3"])
      let tag = try context.make("Tag", ["name": "new"])
      try context.obtainPermanentIDs(for: [tag])
      let identifiers = other.coordinator.persistentStores.map(\.identity.identifier)
      #expect(tag.objectID.storeIdentity?.identifier == identifiers[fixed == 0 ? 1 : 0])
      try context.named("Tag", "t\(fixed)").set("size", 7)
      try context.named("Tag", "t\((fixed + 1) % 4)").set("size", 7)
      let before = other.coordinator.counters.commits
      #expect(throws: PersistenceError(.readOnlyStore, "")) { try context.save() }
      #expect(other.coordinator.counters.commits == before, "no store was asked to write")
      context.rollback()
      #expect(try context.names("Tag", "size == 7") == [])
    }
  }

  @Test("a store of any kind can leave while the others live (B235)")
  func removed() throws {
    for leaving in 0..<4 {
      let shelf = try shelf()
      var tags: [ManagedObject] = []
      for index in 0..<4 {
        let tag = try shelf.context.make("Tag", ["name": "t\(index)"])
        try shelf.context.assign(tag, to: shelf.stores[index])
        tags.append(tag)
      }
      try shelf.context.save()
      for tag in tags { try tag.set("size", 1) }
      try shelf.coordinator.remove(shelf.stores[leaving])
      try shelf.context.save()
      #expect(tags.map { $0.managedObjectContext == nil } == (0..<4).map { $0 == leaving })
      let left = (0..<4).filter { $0 != leaving }.map { "t\($0)" }
      #expect(try shelf.context.names("Tag") == left)
      #expect(try shelf.stack.makeContext().names("Tag", "size == 1") == left)
      #expect(throws: PersistenceError(.noStore, "")) {
        _ = try shelf.context.names(ShelfModel.entities[leaving])
      }
    }
  }
}
