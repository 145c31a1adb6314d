// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Copies the codes into a store of every kind, and compares the answers of all.
@MainActor struct SameAnswers {
  let folder: URL

  /// The answer of a store differs from that of the original.
  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  func run() throws {
    let original = try open()
    let expected = try answers(original)
    close(original)
    for kind in StoreKind.allCases {
      if let hindrance = kind.hindrance {
        Terminal.row(kind.rawValue, "left out: \(hindrance)")
        continue
      }
      let found = try copied(to: kind) { try answers($0) }
      for (one, other) in zip(expected, found) where one != other {
        throw Difference(description: "\(kind.rawValue) says “\(other)” and not “\(one)”")
      }
      guard found.count == expected.count else {
        throw Difference(
          description: "\(kind.rawValue) answers \(found.count) questions of \(expected.count)")
      }
      Terminal.row(kind.rawValue, "\(found.count) questions, the same answers")
    }
  }

  /// A container with the store of the codes alone.
  private func open() throws -> PersistentContainer {
    let container = try PersistentContainer(
      name: "Atlas", model: Stores.model.get(), stores: [Stores.reference(in: folder)])
    try container.loadPersistentStores()
    return container
  }

  /// Migrates a container's store to another kind, runs `body` on it, and removes it.
  private func copied<Result>(
    to kind: StoreKind, _ body: (PersistentContainer) throws -> Result
  ) throws -> Result {
    let place = folder.deletingLastPathComponent()
      .appending(path: folder.lastPathComponent + "-copy")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let copy = try kind.description(in: place)
    let container = try open()
    let coordinator = container.persistentStoreCoordinator
    try coordinator.migratePersistentStore(
      coordinator.persistentStores[0], to: copy.url, type: copy.type)
    defer {
      close(container)
      try? copy.type.driver.destroy(copy)
    }
    return try body(container)
  }

  private func answers(_ container: PersistentContainer) throws -> [String] {
    var heard: [String] = []
    var questions = Questions(context: container.viewContext)
    questions.listener = { question, answer in heard.append("\(question) \(answer)") }
    try questions.askAll()
    return heard
  }

  private func close(_ container: PersistentContainer) {
    container.viewContext.reset()
    for store in container.persistentStoreCoordinator.persistentStores {
      try? container.persistentStoreCoordinator.remove(store)
    }
  }
}
