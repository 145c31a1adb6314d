// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostSQLite
import Testing

/// Tests of attributes whose values are encoded by a codec that the class names (B64).
@Suite struct TransformerTests {
  /// A codec that cannot be mistaken for JSON: it reverses the text.
  private static let backwards = TransformableCodec(name: "test.backwards") { value in
    guard let text = value as? String else {
      throw PersistenceError(.transformation, "The value is no text.")
    }
    return Data(text.utf8.reversed())
  } decode: { data in
    String(decoding: data.reversed(), as: UTF8.self)
  }

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "transformer-\(UUID().uuidString)")

  private func makeContext() throws -> ManagedObjectContext {
    TransformableCodec.register(Self.backwards)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let container = try PersistentContainer(
      name: "secrets", model: ManagedObjectModel(Secret.self, Orphan.self),
      stores: [.sqlite(at: folder.appending(path: "secrets.sqlite"))])
    try container.loadPersistentStores()
    return ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  @Test("a text with a codec of its own is stored by that codec, and never as it is (B64)")
  func strings() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try makeContext()
    let secret = Secret(context: context)
    #expect(secret.word == "abc" && secret.second == nil)
    secret.word = "correct horse"
    secret.second = "battery"
    try context.save()
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = try Data(contentsOf: folder.appending(path: file))
      #expect(bytes.range(of: Data("correct horse".utf8)) == nil, "\(file)")
    }
    context.reset()
    let again = try #require(try context.fetch(FetchRequest<Secret>(entityName: "Secret")).first)
    #expect(again.word == "correct horse" && again.second == "battery")
    again.second = nil
    again.word = "correct horse"
    try context.save()
    try context.refresh(again, mergeChanges: false)
    #expect(again.second == nil && again.word == "correct horse")
  }

  @Test(
    "values of Codable types are made into bytes by the save, without a comparison before (B64)")
  func codables() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try makeContext()
    let secret = Secret(context: context)
    try context.save()
    secret.plain = ["a", "b"]
    secret.address = Address(street: "Main", lines: ["1"])
    try context.save()
    context.reset()
    let again = try #require(try context.fetch(FetchRequest<Secret>(entityName: "Secret")).first)
    #expect(again.plain == ["a", "b"])
    #expect(again.address == Address(street: "Main", lines: ["1"]))
  }

  @Test("a codec that nobody registered fails the save, and nothing is stored by another one (B64)")
  func unregistered() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try makeContext()
    let orphan = Orphan(context: context)
    orphan.words = ["clear"]
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .transformation)
    #expect(context.hasChanges && orphan.isInserted)
    orphan.words = nil
    try context.save()
  }

  @Test("a method that validates such a text is asked with the text (B152)")
  func validation() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try makeContext()
    let secret = Secret(context: context)
    secret.word = "fix"
    try context.save()
    #expect(secret.judged.contains("fix"))
    #expect(secret.word == "fixed")
  }
}
