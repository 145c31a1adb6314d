// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostModel
import RoostStore
import Synchronization
import TestEvolution
import Testing

@testable import RoostPostgreSQL

@Suite("Expanding changes of types and of hierarchies", .enabled(if: Servers.isThere))
struct ChangedTypeTests {
  private static let name = TestModel.Property.attribute("name", .string)
  private static let expand = EvolutionPolicy.expand.allowLosslessTypeChanges(true)
  private static let contract = EvolutionPolicy.contract.allowLosslessTypeChanges(true)

  @Test("an expansion counts its steps beforehand, and is done at its end only (M25, M40)")
  func progress() throws {
    let before = try TestModel(.init("Person", Self.name, .attribute("age", .integer16)))
    let after = try TestModel(.init("Person", Self.name, .attribute("age", .integer64)))
    var description = try Servers.description()
    let old = try Release(before, description)
    for number in 0..<30 { try old.insert("Person", ["name": "p\(number)", "age": 1 as Int16]) }
    description.evolution = Self.expand
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: after.model)
    let progress = coordinator.migrations.progress
    let told = Mutex<[(report: MigrationProgress, done: Double)]>([])
    coordinator.migrations.observe { report in
      told.withLock { $0.append((report, progress.fractionCompleted)) }
    }
    let store = try coordinator.addPersistentStore(with: description)
    defer { try? coordinator.remove(store) }
    let reports = told.withLock { $0 }
    #expect(Set(reports.map(\.report.stepCount)).count == 1)
    #expect(reports.last.map { $0.report.step == $0.report.stepCount } == true)
    #expect(reports.allSatisfy { $0.done < 1 })
    #expect(progress.fractionCompleted == 1)
    try old.close()
  }

  // MARK: - Types

  @Test("attributes of wider types are read and written by both versions (M10, M42)")
  func types() throws {
    let before = try TestModel(
      .init(
        "Person", Self.name, .attribute("age", .integer16), .attribute("size", .integer16),
        .attribute("count", .integer32, isOptional: false, value: .integer(3)),
        .attribute("weight", .float)))
    let after = try TestModel(
      .init(
        "Person", Self.name, .attribute("age", .integer64),
        .attribute("height", .double, was: "size", isOptional: false, value: .double(4)),
        .attribute("count", .double, isOptional: false, value: .double(3)),
        .attribute("weight", .double)))
    #expect(throws: PersistenceError(.inferredMappingModel, "")) {
      let description = try Servers.description()
      try Release(before, description).close()
      _ = try Release(after, description, .expand)
    }
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert("Person", ["name": "Ada", "age": 36, "size": 170, "weight": 0.5 as Float])
    try old.insert("Person", ["name": "Bob"])
    let new = try Release(after, description, Self.expand)
    try old.insert("Person", ["name": "Cid", "size": -32_768, "count": 5])
    try new.insert("Person", ["name": "Dan", "age": 32_767, "height": 2.0, "count": -7.0])
    #expect(
      try new.lines("Person", "name", "age", "height", "count", "weight") == [
        "Ada 36 170.0 3.0 0.5", "Bob - 4.0 3.0 -", "Cid - -32768.0 5.0 -", "Dan 32767 2.0 -7.0 -",
      ])
    #expect(
      try old.lines("Person", "name", "age", "size", "count") == [
        "Ada 36 170 3", "Bob - 4 3", "Cid - -32768 5", "Dan 32767 2 -7",
      ])
    try old.change("Person", "name", "Ada") { try $0.setValue(nil, forKey: "size") }
    try new.change("Person", "name", "Dan") {
      try $0.setValue(12.0, forKey: "height")
      try $0.setValue(nil, forKey: "age")
    }
    try old.insert("Person", ["name": "Eve"])
    let sizes = try old.lines("Person", "name", "age", "size")
    #expect(Set(sizes).isSuperset(of: ["Ada 36 4", "Dan - 12", "Eve - 4"]))
    let heights = try new.lines("Person", "name", "height")
    #expect(Set(heights).isSuperset(of: ["Ada 4.0", "Eve 4.0"]))
    for (key, value) in [
      ("height", 0.5), ("height", 40_000), ("count", 3e9), ("age", 32_768),
      ("weight", 1e300),
    ] as [(String, Double)] {
      expectUnheld(key == "weight" ? "a float can hold" : "bits", key) {
        try new.change("Person", "name", "Bob") {
          try $0.setValue(key == "age" ? Int64(value) as Any : value, forKey: key)
        }
      }
    }
    expectUnheld("bits", "height") { try new.insert("Person", ["height": 0.25]) }
    try old.update("Person", "size", 9)
    #expect(try new.lines("Person", "height").allSatisfy { $0 == "9.0" })
    try new.update("Person", "height", 8.0)
    #expect(try old.lines("Person", "size").allSatisfy { $0 == "8" })
    expectUnheld("bits", "height") { try new.update("Person", "height", 0.5) }
    for release in [old, new] { try release.close() }
    let last = try Release(after, description, Self.contract)
    try last.change("Person", "name", "Bob") { try $0.setValue(0.5, forKey: "height") }
    #expect(try last.lines("Person", "name", "height").contains("Bob 0.5"))
    #expect(!(try description.everything()).contains { $0.hasPrefix("column Person.size ") })
  }

  @Test("texts become URIs, and URIs texts, as long as all of them are both (M10, M42)")
  func texts() throws {
    let before = try TestModel(
      .init("Person", Self.name, .attribute("page", .string), .attribute("link", .uri)))
    let after = try TestModel(
      .init("Person", Self.name, .attribute("page", .uri), .attribute("link", .string)))
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert(
      "Person", ["name": "Ada", "page": "no page", "link": URL(string: "about:blank")])
    let everything = try description.everything()
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(after, description, Self.expand)
    }
    #expect(error?.code == .migration)
    #expect(error?.objectIDs.count == 1)
    #expect(try description.everything() == everything)
    try old.change("Person", "name", "Ada") {
      try $0.setValue("https://a.example/b?c#d", forKey: "page")
    }
    let new = try Release(after, description, Self.expand)
    try old.insert("Person", ["name": "Bob", "page": "mailto:bob@b.example"])
    try new.insert(
      "Person", ["name": "Cid", "page": URL(string: "https://c.example:80/"), "link": "file:///x"])
    #expect(
      try new.lines("Person", "name", "page", "link") == [
        "Ada https://a.example/b?c#d about:blank", "Bob mailto:bob@b.example -",
        "Cid https://c.example:80/ file:///x",
      ])
    #expect(
      try new.lines("Person", "name", "page", "link")
        == (try old.lines("Person", "name", "page", "link")))
    expectUnheld("a URI", "page") { try old.insert("Person", ["page": "my page"]) }
    expectUnheld("a URI", "link") { try new.insert("Person", ["link": "https://x:y:z/"]) }
    expectUnheld("a URI", "link") {
      try new.change("Person", "name", "Cid") { try $0.setValue("", forKey: "link") }
    }
  }

  @Test("a text that is saved while the expansion begins is found before it counts (M42)")
  func lateText() throws {
    let before = try TestModel(.init("Person", Self.name, .attribute("page", .string)))
    let after = try TestModel(.init("Person", Self.name, .attribute("page", .uri)))
    let description = try Servers.description()
    let old = try Release(before, description)
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(after, description, Self.expand) {
        // Only the plan was made; there is no trigger.
        try Release(before, description).insert("Person", ["name": "Ada", "page": "my page"])
      }
    }
    #expect(error?.code == .migration, "\(error as Any)")
    #expect(error?.objectIDs.count == 1)
    #expect(!(try description.everything()).contains { $0.contains("_roost_sync_columns") })
    try old.change("Person", "name", "Ada") { try $0.setValue("a:b", forKey: "page") }
    let new = try Release(after, description, Self.expand)
    #expect(try new.lines("Person", "name", "page") == ["Ada a:b"])
  }

  @Test("a new constraint waits until values have one home, and an old one stays (M42, M43)")
  func constraints() throws {
    func model(_ unique: [[String]], _ type: AttributeType) throws -> TestModel {
      try TestModel(.init("Person", unique: unique, Self.name, .attribute("age", type)))
    }
    let description = try Servers.description()
    let old = try Release(model([], .integer16), description)
    for name in ["Ada", "Bob"] { try old.insert("Person", ["name": name, "age": 1]) }
    let everything = try description.everything()
    let error = #expect(throws: PersistenceError.self) {
      _ = try Release(model([["age"]], .double), description, Self.expand)
    }
    #expect(error?.code == .migration, "\(error as Any)")
    #expect(error?.message.contains("kept in two places") == true, "\(error as Any)")
    #expect(try description.everything() == everything)
    let other = try Servers.description()
    let unique = try Release(model([["age"]], .integer16), other)
    try unique.insert("Person", ["name": "Ada", "age": 1])
    let new = try Release(model([["age"]], .double), other, Self.expand)
    #expect(throws: PersistenceError(.managedObjectConstraintMerge, "")) {
      try unique.insert("Person", ["name": "Bob", "age": 1])
    }
    #expect(throws: PersistenceError(.managedObjectConstraintMerge, "")) {
      try new.insert("Person", ["name": "Bob", "age": 1.0])
    }
    #expect(try new.lines("Person", "name", "age") == ["Ada 1.0"])
  }

  @Test("a default that the other version cannot hold is refused before anything is written (M42)")
  func defaults() throws {
    let none = TestModel.Property.attribute("a", .string)
    let pairs: [(TestModel.Property, TestModel.Property)] = [
      (
        none,
        .attribute("a", .uri, isOptional: false, value: .uri(try #require(URL(string: "relative"))))
      ),
      (.attribute("a", .string, value: .string("no page")), .attribute("a", .uri)),
      (.attribute("a", .integer16), .attribute("a", .double, value: .double(0.5))),
      (.attribute("a", .integer16), .attribute("a", .integer32, value: .integer(40_000))),
      (.attribute("a", .float), .attribute("a", .double, value: .double(1e300))),
    ]
    for (before, after) in pairs {
      let description = try Servers.description()
      let old = try Release(TestModel(.init("Person", Self.name, before)), description)
      try old.insert("Person", ["name": "Ada", "a": NSNull()])
      let everything = try description.everything()
      let error = #expect(throws: PersistenceError.self) {
        _ = try Release(TestModel(.init("Person", Self.name, after)), description, Self.expand)
      }
      #expect(error?.code == .migration)
      #expect(error?.message.contains("has a default that programs of the other version") == true)
      #expect(try description.everything() == everything)
    }
  }

  // MARK: - Hierarchies

  @Test("attributes that move in a hierarchy are read and written by both versions (M12, M42)")
  func hierarchy() throws {
    let tag = TestModel.Property.attribute("tag", .string)
    let before = try TestModel(
      .init(
        "Asset", abstract: true, Self.name,
        .attribute("sum", .integer16, isOptional: false, value: .integer(5))),
      .init("Car", parent: "Asset", tag, .attribute("doors", .integer16, value: .integer(4))),
      .init("Boat", parent: "Asset", tag), .init("Plane", parent: "Asset"))
    let after = try TestModel(
      .init(
        "Asset", abstract: true, Self.name, tag, .attribute("doors", .integer16, value: .integer(4))
      ),
      .init(
        "Car", parent: "Asset", .attribute("sum", .integer16, isOptional: false, value: .integer(5))
      ),
      .init("Boat", parent: "Asset"), .init("Plane", parent: "Asset"))
    let description = try Servers.description()
    let old = try Release(before, description)
    try old.insert("Car", ["name": "a", "tag": "x", "doors": 2])
    try old.insert("Boat", ["name": "b", "tag": "y", "sum": 9])
    try old.insert("Plane", ["name": "c"])
    let new = try Release(after, description, .expand)
    try old.insert("Boat", ["name": "d", "tag": "z"])
    try old.insert("Plane", ["name": "e"])
    try new.insert("Boat", ["name": "f", "tag": "u", "doors": NSNull()])
    try new.insert("Car", ["name": "g", "tag": "v", "doors": 3, "sum": 1])
    try new.change("Boat", "name", "b") { try $0.setValue("w", forKey: "tag") }
    try old.change("Boat", "name", "d") { try $0.setValue(nil, forKey: "tag") }
    try new.change("Plane", "name", "e") { try $0.setValue("p", forKey: "tag") }
    let tags = ["a x 2", "b w 4", "c - 4", "d - 4", "e p 4", "f u -", "g v 3"]
    #expect(try new.lines("Asset", "name", "tag", "doors") == tags)
    #expect(try old.lines("Boat", "name", "tag", "sum") == ["b w 9", "d - 5", "f u 5"])
    #expect(try old.lines("Car", "name", "tag", "doors", "sum") == ["a x 2 5", "g v 3 1"])
    #expect(try old.lines("Plane", "name", "sum") == ["c 5", "e 5"])
    try old.close()
    try new.close()
    let last = try Release(after, description, .contract)
    #expect(try last.lines("Asset", "name", "tag", "doors") == tags)
    #expect(try last.lines("Car", "name", "sum") == ["a 5", "g 1"])
    // The moved column has no values left for boats and planes.
    let session = try RawSession(try #require(Servers.uri))
    let sums = try session.rows(
      "SELECT count(sum) FROM \(description.schemaName).\"Asset\" WHERE name IN ('b', 'c', 'd', 'e', 'f')"
    )
    #expect(sums == ["0"])
    try last.insert("Plane", ["name": "h", "doors": NSNull()])
    #expect(try last.lines("Plane", "name", "doors").contains("h -"))
    #expect(
      !(try description.everything()).contains {
        $0.hasPrefix("column Asset") && !$0.hasSuffix(" ")
      })
  }
}
