// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import TestEvolution

@testable import RoostSQLite

/// Two versions of a store that counts as large: values are copied, filled and computed, a relationship moves to
/// links, and columns go.
enum LargePeople {
  static let count: Int64 = 120

  /// Bounds with which each step of the evolution is several transactions.
  static let batches: EvolutionBatches = {
    var batches = EvolutionBatches()
    batches.largestLog = 0
    batches.bytes = 65_536
    batches.records = 8
    return batches
  }()

  static func before() throws -> TestModel {
    try TestModel(
      .init(
        "Person", .attribute("name", .string), .attribute("age", .integer16),
        .attribute("gone", .string), .one("boss", "Person", inverse: "team"),
        .many("team", "Person", inverse: "boss")))
  }

  static func after() throws -> TestModel {
    try TestModel(
      .init(
        "Person", indexes: [["age"]], .attribute("name", .string),
        .attribute("age", .integer16, isOptional: false, value: 7),
        .attribute("share", .double, isOptional: false, value: 0.1),
        .derived("loud", .string, "uppercase:(name)"),
        .many("boss", "Person", inverse: "team"), .many("team", "Person", inverse: "boss")))
  }

  static let scenario = EvolutionScenario(
    "a large store", from: try before(), to: try after(), fill: fill, contents: [])

  static let fill: @Sendable (EvolvingStore) throws -> Void = { store in
    _ = try store.store.reserveSequences(Int(count) + 10)
    let layout = store.version.entity("Person").layout
    try store.commit(
      StoreChangeSet(
        inserted: try (1...count).map { number in
          let row = Row(layout: layout, key: store.key("Person", number), version: 1)
          try set("name", .string("person \(number)"), row)
          try set("gone", .string(String(repeating: "x", count: 200)), row)
          if number % 3 == 0 { try set("age", .integer(number), row) }
          if number > 1 { try set("boss", try store.reference("Person", number / 2), row) }
          return row
        }))
  }

  static func set(_ name: String, _ value: Value, _ row: Row) throws {
    guard let slot = row.layout.slot(named: name) else { return }
    try row.setValue(value, at: slot)
  }

  /// Writes as a program of the old version does: records are changed, inserted and deleted.
  static func write(_ store: EvolvingStore) throws {
    let keys = [3, 4, 5].map { store.key("Person", $0) }
    let rows = try store.store.rows(forKeys: keys).sorted { $0.key < $1.key }
    let age = rows[0].layout.slot(named: "age")
    let boss = rows[0].layout.slot(named: "boss")
    let (first, second) = (rows[0].copy(version: 2), rows[1].copy(version: 2))
    try set("age", .null, first)
    try set("boss", try store.reference("Person", 9), second)
    let added = Row(
      layout: rows[0].layout, key: store.key("Person", count + 1), version: 1)
    try set("age", .integer(99), added)
    try store.commit(
      StoreChangeSet(
        inserted: [added],
        updated: [
          RowUpdate(row: first, baseVersion: 1, changedSlots: [age].compactMap { $0?.index }),
          RowUpdate(row: second, baseVersion: 1, changedSlots: [boss].compactMap { $0?.index }),
        ],
        deleted: [RowVersion(key: store.key("Person", count), version: 1)]))
  }

  /// The contents after the writes, and after an evolution in one transaction.
  static func written() throws -> [String] {
    let file = try EvolvingFile(before())
    try fill(file.evolving)
    try write(file.evolving)
    try file.evolving.evolve(to: after())
    return try file.evolving.contents()
  }

  /// The statements that have made the tables and indexes of a file.
  static func schema(of file: EvolvingFile) -> String? {
    RawDatabase(file.url).text(
      "SELECT group_concat(name || ' ' || coalesce((SELECT group_concat(name) FROM"
        + " pragma_table_info(s.name)), sql), char(10)) FROM (SELECT * FROM sqlite_schema"
        + " ORDER BY name) AS s")
  }
}
