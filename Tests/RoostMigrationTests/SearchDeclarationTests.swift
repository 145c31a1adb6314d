// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostLMDB
import RoostSQLite
import Testing

@Entity final class Memo: ManagedObject {
  var text: String = ""
}

/// Tests of declaring an attribute as searchable after its store was written.
@Suite("Search declarations") @MainActor
struct SearchDeclarationTests {
  private static let geese = 300

  private func context(
    _ store: PersistentStoreDescription, isSearchable: Bool
  ) throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(Memo.self)
    let text = try #require(model.entitiesByName["Memo"]?.attributesByName["text"])
    text.isSearchable = isSearchable
    let container = try PersistentContainer(name: "Memos", model: model, stores: [store])
    try container.loadPersistentStores()
    return container.viewContext
  }

  /// A word that many records have among many words is found by the index: there are fewer of these records than
  /// records, and far fewer than entries of the index.
  @Test("a declaration builds the index of an existing store and drops it (T10, T11)")
  func declared() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "memos-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let request = Memo.where { $0.text.matches(search: "goose") }
    for store in [
      PersistentStoreDescription.lmdb(at: folder.appending(path: "memos.lmdb")),
      .binary(at: folder.appending(path: "memos.binary")),
      .sqlite(at: folder.appending(path: "memos.sqlite")),
    ] {
      try closing {
        let context = try context(store, isSearchable: false)
        for number in 0..<2_000 {
          let rest = (0..<12).map { "w\(number % 97)x\($0)" }.joined(separator: " ")
          _ = Memo(text: number < Self.geese ? "goose \(rest)" : rest, context: context)
        }
        try context.save()
        #expect(try !context.explain(request).description.contains("words("))
        #expect(try context.count(for: request) == Self.geese)
      }
      try closing {
        let context = try context(store, isSearchable: true)
        let plan = try context.explain(request).description
        #expect(plan.contains("Memo.words(text)"), "\(plan)")
        #expect(try context.count(for: request) == Self.geese)
        let memo = try #require(try context.fetch(request).first)
        memo.text = memo.text.replacing("goose", with: "duck")
        try context.save()
        #expect(try context.count(for: request) == Self.geese - 1)
        let ducks = Memo.where { $0.text.matches(search: "duck w0x3") }
        #expect(try context.count(for: ducks) <= 1)
        #expect(try context.count(for: Memo.where { $0.text.matches(search: "duck") }) == 1)
      }
      try closing {
        let context = try context(store, isSearchable: false)
        #expect(try !context.explain(request).description.contains("words("))
        #expect(try context.count(for: request) == Self.geese - 1)
      }
    }
  }

  /// Runs a body in a scope, so that the container is released and its file closed at the end.
  private func closing(_ body: () throws -> Void) rethrows { try body() }
}
