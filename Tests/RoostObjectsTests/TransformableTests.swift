// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostSQLite
import Synchronization
import Testing

/// A mutable value, which can be changed in place.
private final class Label: Codable, @unchecked Sendable {
  // Sendable: a test has one thread.
  var text: String

  init(_ text: String) {
    self.text = text
  }
}

@Entity private final class Crate: ManagedObject {
  var number: Int64 = 0
  @Attribute(transformer: "test.counting") var word: String?
  @Attribute(transformer: "test.unreadable") var lost: String = "initial"
  @Attribute(transformer: "test.unreadable") var noted: String
  var label: Label?
}

/// Tests of when values of transformable attributes are encoded, and of values that cannot be decoded.
@Suite(.serialized) struct TransformableTests {
  private struct Counts {
    var encodings = 0
    var decodings = 0
  }

  private static let counts = Mutex(Counts())

  private static let counting = TransformableCodec(name: "test.counting") { value in
    counts.withLock { $0.encodings += 1 }
    return Data("\(value)".utf8)
  } decode: { data in
    counts.withLock { $0.decodings += 1 }
    return String(decoding: data, as: UTF8.self)
  }

  private static let unreadable = TransformableCodec(name: "test.unreadable") { value in
    Data("\(value)".utf8)
  } decode: { _ in
    throw PersistenceError(.transformation, "Nobody can read this.")
  }

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "transformable-\(UUID().uuidString)")

  private var counts: [Int] { Self.counts.withLock { [$0.encodings, $0.decodings] } }

  private func open() throws -> ManagedObjectContext {
    TransformableCodec.register(Self.counting)
    TransformableCodec.register(Self.unreadable)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let container = try PersistentContainer(
      name: "crates", model: ManagedObjectModel(Crate.self),
      stores: [.sqlite(at: folder.appending(path: "crates.sqlite"))])
    try container.loadPersistentStores()
    return ManagedObjectContext(coordinator: container.persistentStoreCoordinator)
  }

  private func crate(in context: ManagedObjectContext) throws -> Crate {
    try #require(try context.fetch(FetchRequest<Crate>(entityName: "Crate")).first)
  }

  /// Returns the text of the label, read by a new stack.
  private func storedLabel() throws -> String? {
    let context = try open()
    return try withExtendedLifetime(context) { try crate(in: context).label?.text }
  }

  @Test(
    "a codec is asked when a value is saved and when a saved one is read, and never between (B64)")
  func moments() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    Self.counts.withLock { $0 = Counts() }
    let context = try open()
    let crate = Crate(context: context)
    crate.noted = ""
    for word in ["a", "b", "c"] { crate.word = word }
    #expect(crate.word == "c" && crate.hasPersistentChangedValues)
    #expect(counts == [0, 0])
    try context.save()
    #expect(counts == [1, 0])
    crate.number = 1
    try context.save()
    #expect(crate.word == "c" && counts == [1, 0])

    let other = try open()
    let again = try self.crate(in: other)
    #expect(again.number == 1 && counts == [1, 0])
    #expect(again.word == "c" && again.word == "c" && counts == [1, 1])
    again.number = 2
    try other.save()
    #expect(counts == [1, 1])
  }

  @Test("an object that is changed where it stands is not noticed, a new one is (B63)")
  func changesInPlace() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = try open()
    let crate = Crate(context: context)
    crate.noted = ""
    crate.label = Label("old")
    try context.save()
    crate.label?.text = "changed"
    #expect(crate.label?.text == "changed")
    #expect(!crate.hasChanges && !context.hasChanges && crate.changedValues().isEmpty)
    try context.save()
    #expect(try storedLabel() == "old")
    crate.label = Label("new")
    #expect(crate.hasChanges)
    try context.save()
    #expect(try storedLabel() == "new")
  }

  @Test(
    "bytes that cannot be read are told to the save, and read as the initial value or as nothing (B64)"
  )
  func unreadableBytes() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let seeding = try open()
    let crate = Crate(context: seeding)
    crate.lost = "stored"
    crate.noted = "stored"
    try seeding.save()
    let context = try open()
    let again = try self.crate(in: context)
    #expect(again.lost == "initial")
    #expect(code { try context.save() } == .transformation)
    #expect(again.noted.isEmpty)
    #expect(code { try context.save() } == .transformation)
    #expect(!context.hasChanges)
  }
}
