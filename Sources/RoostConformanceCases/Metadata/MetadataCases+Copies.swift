// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostSimulation
import RoostStore

/// Copies of whole stores: of one snapshot, and whole or marked as unfinished.
extension MetadataCases {
  static let copies: [ConformanceCase] = [
    ConformanceCase(
      .metadata, "copied-moment", "a copy is of one snapshot while others write (B364)",
      needs: [.secondHandle, .changeMarks]
    ) { stage in
      // The write comes before the first record, between two entities, and after the last record.
      for call in 1...4 { try copyWhileWriting(stage, at: call) }
    },
    ConformanceCase(
      .metadata, "copied-links", "no link of a copy leads to a record that it has not (B364)",
      needs: [.secondHandle, .changeMarks]
    ) { stage in
      for call in 2...4 { try copyWhileLinking(stage, at: call) }
    },
    ConformanceCase(
      .metadata, "copied-busily", "a copy that others write into every time is given up (B364)",
      needs: [.secondHandle, .changeMarks]
    ) { stage in
      let stack = try open(stage)
      let other = try stage.open(stack.model, on: stack.stores)
      let writes = SharedState(0)
      let hook = ProgressHook { _ in
        try other.context.make("Alpha", ["name": "x\(writes.withLock { $0 += 1; return $0 })"])
        try other.context.save()
      }
      let place = try stage.makeReferenceStore()
      do {
        try migrate(stack, to: place, hook)
        // A store that can show a snapshot is copied all the same.
        let names = try stack.makeContext().names("Alpha")
        try expectEqual(names.filter { $0.hasPrefix("a") }.count, 20, "the records")
      } catch let error as PersistenceError where error.code == .storeBusy {
        try expect(try place.type.driver.metadata(of: place) == nil, "nothing is left behind")
        try expectEqual(stack.coordinator.persistentStores.count, 1, "the old store is attached")
        try expectEqual(try stack.context.names("Zeta").count, 20, "its records")
      }
      stack.close()
      other.close()
    },
    ConformanceCase(
      .metadata, "unfinished-copy",
      "a copy that was interrupted is no store, and the next one replaces it (B364)",
      needs: [.reopening]
    ) { stage in
      for call in 1...4 { try interruptCopy(stage, at: call) }
    },
    ConformanceCase(
      .metadata, "cancelled-copy", "a copy that is cancelled leaves nothing behind (B238, B364)"
    ) { stage in
      let stack = try open(stage, on: stage.makeReferenceStore())
      let place = try stage.makeStore()
      for call in 1...3 {
        let hook = ProgressHook { number in
          if number == call { throw PersistenceError(.userCancelled, "enough") }
        }
        try expectError(.userCancelled) { try migrate(stack, to: place, hook) }
        try expect(try place.type.driver.metadata(of: place) == nil, "there is no store")
        if let url = place.url, url.isFileURL {
          try expect(!FileManager.default.fileExists(atPath: url.path), "there is no file")
        }
      }
      try expectEqual(try stack.context.names("Alpha").count, 20, "the old records")
    },
  ]

  /// Twenty records of each of two entities, linked in pairs.
  private static func open(
    _ stage: ConformanceStage, on store: PersistentStoreDescription? = nil
  ) throws -> ConformanceStack {
    var sketch = ModelSketch()
    sketch.add("Alpha", [.string("name")])
    sketch.add("Zeta", [.string("name")])
    sketch.relate(.init("Alpha", "zetas", .many), .init("Zeta", "alphas", .many))
    let stack = try stage.open(sketch.make(), on: [store ?? stage.makeStore()])
    for number in 10..<30 {
      let alpha = try stack.context.make("Alpha", ["name": "a\(number)"])
      let zeta = try stack.context.make("Zeta", ["name": "z\(number)"])
      try alpha.set("zetas", Set([zeta]))
    }
    try stack.context.save()
    return stack
  }

  @discardableResult
  private static func migrate(
    _ stack: ConformanceStack, to place: PersistentStoreDescription, _ hook: ProgressHook
  ) throws -> any PersistentStore {
    try stack.coordinator.migratePersistentStore(
      stack.coordinator.persistentStores[0], to: place.url, options: place.options,
      type: place.type, progress: hook)
  }

  /// Another coordinator moves records from one entity to the other while the store is copied.
  private static func copyWhileWriting(_ stage: ConformanceStage, at call: Int) throws {
    let stack = try open(stage)
    let other = try stage.open(stack.model, on: stack.stores)
    let hook = ProgressHook { number in
      guard number == call else { return }
      for zeta in try other.context.all("Zeta").prefix(5) {
        try other.context.make("Alpha", ["name": zeta.text("name")])
        other.context.delete(zeta)
      }
      try other.context.save()
    }
    try migrate(stack, to: stage.makeReferenceStore(), hook)
    let context = stack.makeContext()
    let names = try context.names("Alpha") + context.names("Zeta")
    try expectEqual(names.count, 40, "the records, written at call \(call)")
    try expectEqual(Set(names).count, 40, "the names, written at call \(call)")
    stack.close()
    other.close()
  }

  /// Another coordinator removes linked records, and links others, while the store is copied.
  private static func copyWhileLinking(_ stage: ConformanceStage, at call: Int) throws {
    let stack = try open(stage)
    let other = try stage.open(stack.model, on: stack.stores)
    let hook = ProgressHook { number in
      guard number == call else { return }
      let zetas = try other.context.all("Zeta")
      for zeta in zetas.prefix(3) { other.context.delete(zeta) }
      let added = try other.context.make("Zeta", ["name": "added"])
      try other.context.named("Alpha", "a29").set("zetas", Set([zetas[19], added]))
      try other.context.save()
    }
    try migrate(stack, to: stage.makeReferenceStore(), hook)
    let context = stack.makeContext()
    let zetas = try context.all("Zeta")
    let isLater = try context.names("Zeta").contains("added")
    try expectEqual(zetas.count, isLater ? 18 : 20, "the records")
    var links = 0
    for alpha in try context.all("Alpha") {
      for zeta in try alpha.many("zetas") {
        try expect(zetas.contains(zeta), "the linked record is there")
        links += 1
      }
    }
    try expectEqual(links, isLater ? 18 : 20, "the links")
    stack.close()
    other.close()
  }

  /// Leaves an interrupted copy behind, like a killed process.
  private static func interruptCopy(_ stage: ConformanceStage, at call: Int) throws {
    let source = try open(stage, on: stage.makeReferenceStore())
    let place = try stage.makeStore()
    var abandoned = place
    abandoned.type = PersistentStoreType(
      rawValue: place.type.rawValue, driver: AbandoningDriver(base: place.type.driver))
    let hook = ProgressHook { number in
      if number == call { throw PersistenceError(.userCancelled, "killed") }
    }
    try expectError(.userCancelled) { try migrate(source, to: abandoned, hook) }
    let metadata = try require(try place.type.driver.metadata(of: place), "what is left")
    try expect(metadata.isUnfinishedCopy, "it says that it is unfinished")
    let error = try expectError(.persistentStoreOpen, "opening what is left") {
      _ = try stage.open(source.model, on: [place])
    }
    try expect(error.message.contains("unfinished"), "the error says what it is: \(error.message)")
    let none = ProgressHook { _ in }
    try migrate(source, to: place, none)
    try expectEqual(try source.makeContext().names("Zeta").count, 20, "the records")
    source.close()
    let copy = try stage.open(source.model, on: [place])
    try expectEqual(try copy.context.names("Alpha").count, 20, "the records when it is reopened")
    let finished = try copy.coordinator.metadata(for: copy.coordinator.persistentStores[0])
    try expect(!finished.isUnfinishedCopy, "it is finished")
    copy.close()
  }
}

/// Calls a closure whenever a copy checks for cancellation.
private final class ProgressHook: Progress, @unchecked Sendable {
  // Sendable: one thread copies, and no other one uses the object.
  private let body: (Int) throws -> Void
  private var calls = 0
  private var isOver = false

  /// - Parameter body: Gets the number of the call, from 1; an error cancels the copy.
  init(_ body: @escaping (Int) throws -> Void) {
    self.body = body
    super.init(parent: nil)
  }

  override var isCancelled: Bool {
    get {
      calls += 1
      do {
        try body(calls)
      } catch {
        isOver = true
      }
      return isOver
    }
    set {}
  }
}

/// Opens stores, and never removes one.
private struct AbandoningDriver: PersistentStoreDriver {
  let base: any PersistentStoreDriver

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    try base.open(description)
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    try base.metadata(of: description)
  }

  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    try base.setMetadata(metadata, of: description)
  }

  func destroy(_ description: PersistentStoreDescription) throws {}

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    try base.replace(destination, with: source)
  }
}
