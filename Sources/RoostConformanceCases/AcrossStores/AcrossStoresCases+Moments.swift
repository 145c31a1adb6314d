// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore
import Synchronization

// Requests over several stores, while other threads of the coordinator save to all of them.
extension AcrossStoresCases {
  /// Two stores behind switches, with a photo, its album, a tag in each store, and the size 0 in all of them.
  private struct Scene {
    let stack: ConformanceStack
    let switches: [FaultSwitch]
    private let ids: [ObjectID]

    init(_ stage: ConformanceStage) throws {
      let switches = [FaultSwitch(), FaultSwitch()]
      let stores = try zip(switches, ["Device", "Server"]).map { faults, configuration in
        var store = try stage.makeStore()
        store.configuration = configuration
        return store.interposed(faults)
      }
      self.switches = switches
      let stack = try stage.open(try AcrossStoresCases.model(), on: stores)
      let album = try stack.context.make("Album", ["name": "Rome", "size": 0])
      let tags = try ["a", "b"].map { try stack.context.make("Tag", ["name": $0, "size": 0]) }
      try stack.context.assign(tags[1], to: stack.coordinator.persistentStores[1])
      let photo = try stack.context.make("Photo", ["name": "p", "size": 0, "album": album])
      for tag in tags { try photo.add(tag, to: "tags") }
      try stack.context.save()
      self.stack = stack
      ids = ([photo, album] + tags).map(\.objectID)
    }

    /// One save that gives all records a size.
    static func resize(_ coordinator: PersistentStoreCoordinator, to size: Int) throws {
      let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
      for entity in ["Photo", "Album", "Tag"] {
        for object in try context.all(entity) { try object.set("size", size) }
      }
      try context.save()
    }

    /// Reads while another thread saves in the middle of each request of a store, one after the other, and checks
    /// each result.
    func read<Answer>(
      during call: StoreCall, _ read: (ManagedObjectContext) throws -> Answer,
      _ check: (Answer, _ when: String) throws -> Void
    ) throws {
      try Self.resize(stack.coordinator, to: 0)
      var size = 0
      for (number, store) in switches.enumerated() {
        for request in 1...3 {
          size = 1 - size
          let isSaved = DispatchSemaphore(value: 0)
          let hasBegun = Mutex(false)
          let coordinator = stack.coordinator
          let next = size
          Self.interrupt(store, call, request) {
            hasBegun.withLock { $0 = true }
            Thread.detachNewThread {
              try? Self.resize(coordinator, to: next)
              isSaved.signal()
            }
            // It waits for the reader.
            if isSaved.wait(timeout: .now() + 0.2) == .success { isSaved.signal() }
          }
          // Everything is read from the stores.
          stack.coordinator.forgetRows(of: ids)
          let context = stack.makeContext()
          context.stalenessInterval = 0
          let answer = try read(context)
          store.interrupt(call) {}
          if hasBegun.withLock({ $0 }) { isSaved.wait() } else { size = 1 - size }
          try check(answer, "a save in request \(request) of store \(number)")
        }
      }
    }

    /// Does something in the middle of the n-th call.
    private static func interrupt(
      _ store: FaultSwitch, _ call: StoreCall, _ number: Int, _ body: @escaping @Sendable () -> Void
    ) {
      store.interrupt(call) {
        if number > 1 { interrupt(store, call, number - 1, body) } else { body() }
      }
    }
  }

  private static func moment(
    _ name: String, _ title: String, _ body: @escaping @Sendable (Scene) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.acrossStores, "moment.\(name)", title, needs: [.preparation]) { stage in
      try body(Scene(stage))
    }
  }

  static let moments: [ConformanceCase] = [
    moment("condition", "a condition over two stores sees a save in both or in none (X20, X46)") {
      scene in
      let torn = "size == 0 AND album.size == 1 OR size == 1 AND album.size == 0"
      try scene.read(during: .fetch) { context in
        try context.count(for: context.request("Photo", torn, []))
      } _: { (count: Int, when: String) in
        try expectEqual(count, 0, when)
      }
    },
    moment("many", "a condition over a to-many relationship sees a save whole (X20, X46)") {
      scene in
      let torn = "size == 0 AND ANY tags.size == 1 OR size == 1 AND ANY tags.size == 0"
      try scene.read(during: .fetch) { context in
        try context.count(for: context.request("Photo", torn, []))
      } _: { (count: Int, when: String) in
        try expectEqual(count, 0, when)
      }
    },
    moment("columns", "columns of two stores are of one save (X20, X48)") { scene in
      for call in [StoreCall.fetch, .rows] {
        try scene.read(during: call) { context in
          let request = FetchRequest<[String: Any]>(entityName: "Photo")
          request.propertiesToFetch = ["size", "album.size"]
          return try context.fetch(request)
        } _: { (rows: [[String: Any]], when: String) in
          try expectEqual(rows.count, 1, when)
          try expectEqual(whole(rows[0]["size"]), whole(rows[0]["album.size"]), when)
        }
      }
    },
    moment("destinations", "what a relationship leads to in two stores is of one save (X20, X42)") {
      scene in
      for call in [StoreCall.destinations, .rows, .fetch] {
        try scene.read(during: call) { context in
          let request = try context.request("Photo", nil, [])
          request.relationshipKeyPathsForPrefetching = ["tags"]
          request.returnsObjectsAsFaults = false
          let tags = try context.fetch(request).flatMap { try $0.many("tags") }
          return try tags.map { whole(try $0.value(forKey: "size")) }
        } _: { (sizes: [Int64?], when: String) in
          try expectEqual(sizes.count, 2, when)
          try expectEqual(Set(sizes).count, 1, "\(when): \(sizes)")
        }
      }
    },
  ]
}
