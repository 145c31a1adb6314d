// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Lock files of models")
final class ModelLockTests {
  private typealias Changes = CompanyChanges

  private let url = FileManager.default.temporaryDirectory.appending(
    path: "\(UUID().uuidString).roostlock")

  deinit { try? FileManager.default.removeItem(at: url) }

  private func model(_ edit: Changes.Edit = { _ in }) throws -> ManagedObjectModel {
    let company = Company()
    try edit(company)
    return company.model
  }

  /// Writes a version and releases it.
  private func release(_ label: String, _ edit: Changes.Edit = { _ in }) throws {
    try ModelLock.write(try model(edit), to: url)
    try ModelLock.release(label, at: url)
  }

  /// Returns the error of a check; nil when it passes.
  private func failure(
    _ edit: Changes.Edit = { _ in }, except labels: Set<String> = []
  ) throws -> PersistenceError? {
    let model = try model(edit)
    do {
      try ModelLock.check(model, against: url, except: labels)
      return nil
    } catch let error as PersistenceError {
      return error
    }
  }

  private let addsNick: Changes.Edit = { $0.person.properties.append(Changes.attribute("nick")) }

  @Test("a model that is as it was written passes, released or not (M62)")
  func passes() throws {
    try ModelLock.write(try model(), to: url)
    #expect(try failure() == nil)
    try ModelLock.release("1.0", at: url)
    #expect(try failure() == nil)
    try ModelLock.write(try model(), to: url)
    #expect(try ModelLock(contentsOf: url).versions.count == 1)
    try ModelLock.write(try model(addsNick), to: url)
    #expect(try failure(addsNick) == nil)
  }

  @Test("versions are kept in their order, each with the model that it was (M62, M66)")
  func versions() throws {
    try release("1.0")
    try release("1.1", addsNick)
    try ModelLock.write(try model { $0.age.isOptional = false }, to: url)
    try ModelLock.write(
      try model {
        try addsNick($0)
        $0.title.isTransient = true
      }, to: url)
    let lock = try ModelLock(contentsOf: url)
    #expect(lock.versions.map(\.label) == ["1.0", "1.1", nil])
    #expect(lock.releasedVersions.map(\.label) == ["1.0", "1.1"])
    #expect(lock.versions[0].versionChecksum == (try model().versionChecksum))
    #expect(try lock.versions[1].model().versionChecksum == model(addsNick).versionChecksum)
    let text = try String(contentsOf: url, encoding: .utf8)
    #expect(text.contains("{\"name\": \"nick\", \"type\": \"string\", \"optional\": true}"))
  }

  @Test(
    "a model that was changed and not written again fails, with the change and what to do (M62)")
  func differs() throws {
    try release("1.0")
    let released = try #require(try failure(addsNick))
    #expect(released.code == .invalidModel)
    #expect(released.message.contains("differs from version 1.0"))
    #expect(released.message.contains("add attribute Person.nick"))
    #expect(released.message.contains("ModelLock.write"))
    try ModelLock.write(try model(addsNick), to: url)
    let unreleased = try #require(try failure { $0.title.isTransient = true })
    #expect(unreleased.message.contains("differs from the version under development"))
    #expect(unreleased.message.contains("store no more Department.title"))
    let index = try #require(
      try failure {
        try addsNick($0)
        $0.tag.indexes = [
          FetchIndexDescription(
            name: "i", elements: [FetchIndexElementDescription(propertyName: "label")])
        ]
      })
    #expect(index.message.contains("concerns no stored data"))
    let type = try #require(try failure { $0.age.type = .string })
    #expect(type.message.contains("from integer16 to string"))
  }

  @Test("a model that equals an earlier version again fails, written or not (M62)")
  func repeated() throws {
    try release("1.0")
    try release("1.1", addsNick)
    for _ in 0..<2 {
      let error = try #require(try failure())
      #expect(error.code == .invalidModel)
      #expect(error.message.contains("that of version 1.0 again, and version 1.1"))
      #expect(error.message.contains("versionHashModifier"))
      try ModelLock.write(try model(), to: url)
    }
    let modified: Changes.Edit = { $0.person.versionHashModifier = "2" }
    try ModelLock.write(try model(modified), to: url)
    #expect(try failure(modified) == nil)
  }

  @Test("a model that a released version does not lead to fails with each version's reasons (M62)")
  func noPath() throws {
    try release("1.0")
    try release("1.1", addsNick)
    let wider: Changes.Edit = {
      try self.addsNick($0)
      $0.age.type = .integer64
    }
    try ModelLock.write(try model(wider), to: url)
    let error = try #require(try failure(wider))
    #expect(error.code == .inferredMappingModel)
    #expect(error.message.contains("Version 1.0: The type changes from integer16 to integer64"))
    #expect(error.message.contains("Version 1.1: "))
    #expect(error.message.contains("[Person.age]"))
    #expect(try failure(wider, except: ["1.0"])?.message.contains("Version 1.0") == false)
    #expect(try failure(wider, except: ["1.0", "1.1"]) == nil)
    try ModelLock.check(try model(wider), against: url, allowsLosslessTypeChanges: true)
  }

  @Test("a released entry that was edited is refused, and written over by nothing (M66)")
  func edited() throws {
    try release("1.0")
    try release("1.1", addsNick)
    let whole = try String(contentsOf: url, encoding: .utf8)
    let edits = [
      ("\"label\": \"1.0\"", "\"label\": \"0.9\""), ("\"nick\"", "\"nack\""),
      ("\"optional\": true, ", ""), ("\"seal\": \"", "\"seal\": \"A"), ("\"seal\"", "\"zeal\""),
      ("\"label\": \"1.1\",", ""), ("\"integer16\"", "\"integer32\""),
    ]
    for (old, new) in edits {
      let text = whole.replacingOccurrences(of: old, with: new)
      #expect(text != whole, "\(old)")
      try Data(text.utf8).write(to: url)
      #expect(throws: PersistenceError(.corruptStore, "")) { try ModelLock(contentsOf: url) }
      #expect(try failure(addsNick)?.code == .corruptStore)
      #expect(throws: PersistenceError(.corruptStore, "")) {
        try ModelLock.write(try model(addsNick), to: url)
      }
      #expect(throws: PersistenceError(.corruptStore, "")) { try ModelLock.release("2", at: url) }
      #expect(try String(contentsOf: url, encoding: .utf8) == text)
    }
  }

  @Test("a release needs a version that is not released, and a label of its own (M66)")
  func releases() throws {
    #expect(throws: PersistenceError(.invalidModel, "")) { try ModelLock.release("1.0", at: url) }
    try release("1.0")
    #expect(throws: PersistenceError(.invalidModel, "")) { try ModelLock.release("1.1", at: url) }
    try ModelLock.write(try model(addsNick), to: url)
    for label in ["", "1.0"] {
      #expect(throws: PersistenceError(.invalidModel, "")) { try ModelLock.release(label, at: url) }
    }
    #expect(try ModelLock(contentsOf: url).versions.map(\.label) == ["1.0", nil])
  }

  @Test("a file that is missing, empty, of another format or hostile is a typed error (M62)")
  func hostile() throws {
    #expect(try failure()?.code == .invalidModel)
    let texts = [
      "", "[]", "{}", #"{"format": 2, "versions": []}"#, #"{"format": 1, "versions": [1]}"#,
      #"{"format": 1, "versions": [{}]}"#, #"{"format": 1, "versions": [{"model": {}}]}"#,
      String(repeating: "[", count: 100_000),
    ]
    for text in texts {
      try Data(text.utf8).write(to: url)
      #expect(try failure()?.code == .corruptStore, "\(text.prefix(60))")
    }
    try Data(#"{"format": 1, "versions": []}"#.utf8).write(to: url)
    #expect(try failure()?.message.contains("has no version") == true)
  }

  @Test("random damage makes an error, or versions that are as they were (M62, M66)")
  func fuzz() throws {
    try release("1.0")
    try ModelLock.write(try model(addsNick), to: url)
    let whole = Array(try Data(contentsOf: url))
    var random = SeededNumbers(seed: 7)
    let first = try model().versionChecksum
    for _ in 0..<500 {
      var bytes = whole
      let index = Int(random.next() % UInt64(bytes.count))
      switch random.next() % 3 {
      case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
      case 1: bytes.removeSubrange(index..<min(bytes.count, index + Int(random.next() % 60)))
      default: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
      }
      do {
        let versions = try LockFile.versions(of: bytes)
        for version in versions where version.isReleased {
          #expect(version.versionChecksum == first)
        }
      } catch {
        #expect(!error.reason.isEmpty)
      }
    }
  }
}
