// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostStore
import Synchronization
import TestEvolution
import TestWaiting

@testable import RoostPostgreSQL

/// A release under load: programs of two versions insert, change, move and delete their own people, and append to one
/// shared list, while the store is expanded, filled and contracted. Ages become doubles, and the team of a person
/// becomes a to-many relationship.
///
/// Each program remembers its acknowledged saves; the list must contain each entry exactly once, and those of a
/// program in order.
final class LiveRollout: Sendable {
  /// The duration of each of the three phases, and the number of programs of each version.
  let seconds: Double
  let programs: Int
  private let seed: UInt64
  private let description: PersistentStoreDescription
  private let state = Mutex(State())

  /// The acknowledged saves of a program: ages and teams by the names of people, and its entries of the list.
  struct Saved: Sendable {
    var people: [String: String] = [:]
    var entries: [String] = []
  }

  private struct State {
    var isExpanded = false
    var isOldOver = false
    var isOver = false
    var saved: [Int: Saved] = [:]
    var failures: [String] = []
  }

  init(
    _ description: PersistentStoreDescription, seconds: Double, programs: Int, seed: UInt64
  ) {
    self.description = description
    self.seconds = seconds
    self.programs = programs
    self.seed = seed
  }

  private static let name = TestModel.Property.attribute("name", .string)
  private static let teams = ["red", "green", "blue"]

  static func first() throws -> TestModel {
    try TestModel(
      .init(
        "Person", name, .attribute("age", .integer16), .one("team", "Team", inverse: "people")),
      .init("Team", name, .many("people", "Person", inverse: "team")),
      .init("Board", name, .attribute("entries", .string)))
  }

  static func second() throws -> TestModel {
    try TestModel(
      .init(
        "Person", name, .attribute("age", .double),
        .many("teams", "Team", was: "team", inverse: "people"),
        .attribute("score", .integer64, isOptional: false, value: .integer(3))),
      .init("Team", name, .many("people", "Person", inverse: "teams")),
      .init("Board", name, .attribute("list", .string, was: "entries")))
  }

  /// Creates the store with initial people.
  func prepare(people: Int, by session: RawSession) throws {
    let release = try Release(Self.first(), description)
    for team in Self.teams { try release.insert("Team", ["name": team]) }
    try release.insert("Board", ["name": "board"])
    try release.insert("Person", ["name": "seed", "age": 40])
    try release.link("Person", "seed", "team", to: "Team", "red")
    let schema = try description.schemaName
    try session.run([
      """
      INSERT INTO \(schema)."Person" (_key, _version, name, age, team) \
      SELECT (1000000 + n)::bigint * 4096 + (p._key & 4095), 1, 'seed ' || n, 40, p.team \
      FROM generate_series(1, \(people)) AS n, \(schema)."Person" AS p
      """
    ])
    try release.close()
  }

  /// Runs the programs and the release.
  ///
  /// - Returns: The errors.
  func run() -> [String] {
    let ended = DispatchSemaphore(value: 0)
    // Explicit threads, because each waits for others.
    for number in 0...(2 * programs) {
      Thread.detachNewThread { [self] in
        do {
          try number == 2 * programs ? release() : work(number, isNew: number % 2 == 1)
        } catch {
          state.withLock { state in
            state.failures.append("\(number): \(error)")
            state.isExpanded = true
            state.isOldOver = true
            state.isOver = true
          }
        }
        ended.signal()
      }
    }
    for _ in 0...(2 * programs) { ended.wait() }
    return state.withLock { $0.failures }
  }

  private func release() throws {
    Thread.sleep(forTimeInterval: seconds / 3)
    _ = try Release(Self.second(), description, .expand.allowLosslessTypeChanges(true))
    state.withLock { $0.isExpanded = true }
    Thread.sleep(forTimeInterval: seconds / 3)
    state.withLock { $0.isOldOver = true }
    while true {
      do {
        _ = try Release(Self.second(), description, .contract.allowLosslessTypeChanges(true))
        break
      } catch let error as PersistenceError where error.code == .storeBusy {
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
    Thread.sleep(forTimeInterval: seconds / 3)
    state.withLock { $0.isOver = true }
  }

  // MARK: - Programs

  private func work(_ number: Int, isNew: Bool) throws {
    try waitUntil(!isNew || state.withLock { $0.isExpanded })
    var program = Program(
      release: try Release(isNew ? Self.second() : Self.first(), description), number: number,
      isNew: isNew, random: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    while state.withLock({ isNew ? !$0.isOver : !$0.isOldOver }) { try program.step() }
    try program.release.close()
    let saved = program.saved
    state.withLock { $0.saved[number] = saved }
  }

  private struct Program {
    let release: Release
    let number: Int
    let isNew: Bool
    var random: UInt64
    var saved = Saved()
    private var count = 0

    init(release: Release, number: Int, isNew: Bool, random: UInt64) {
      self.release = release
      self.number = number
      self.isNew = isNew
      self.random = random
    }

    private mutating func pick(_ count: Int) -> Int {
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      return Int(random % UInt64(count))
    }

    mutating func step() throws {
      let known = saved.people.keys.sorted()
      switch pick(6) {
      case 0, 1: try insert()
      case 2, 3: try append()
      case 4 where !known.isEmpty: try change(known[pick(known.count)])
      case 5 where known.count > 3: try delete(known[pick(known.count)])
      default: try insert()
      }
    }

    /// Gives a person an age and a team, or neither, and returns a description of them.
    private mutating func fill(_ person: ManagedObject, _ context: ManagedObjectContext) throws
      -> String
    {
      let age = pick(90)
      let team = pick(LiveRollout.teams.count + 1)
      try person.setValue(age == 0 ? nil : age, forKey: "age")
      let target =
        team < LiveRollout.teams.count
        ? try context.fetch(FetchRequest<ManagedObject>(entityName: "Team"))
          .first { try $0.value(forKey: "name") as? String == LiveRollout.teams[team] } : nil
      if isNew {
        try person.setValue(Set([target].compactMap { $0 }), forKey: "teams")
      } else {
        try person.setValue(target, forKey: "team")
      }
      return "\(age == 0 ? "-" : "\(age).0") \(target == nil ? "" : LiveRollout.teams[team])"
    }

    private mutating func insert() throws {
      count += 1
      let name = "\(number).\(count)"
      try retrying { program in
        let context = program.release.context()
        let person = try EntityDescription.insertNewObject(forEntityName: "Person", into: context)
        try person.setValue(name, forKey: "name")
        let line = try program.fill(person, context)
        try context.save()
        program.saved.people[name] = line
      }
    }

    private mutating func change(_ name: String) throws {
      try retrying { program in
        let context = program.release.context()
        guard let person = try program.person(name, context) else { return }
        let line = try program.fill(person, context)
        try context.save()
        program.saved.people[name] = line
      }
    }

    private mutating func delete(_ name: String) throws {
      try retrying { program in
        let context = program.release.context()
        guard let person = try program.person(name, context) else { return }
        context.delete(person)
        try context.save()
        program.saved.people[name] = nil
      }
    }

    private func person(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject? {
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = try FetchPredicate("name == %@", name)
      return try context.fetch(request).first
    }

    private mutating func append() throws {
      count += 1
      let entry = "\(number)/\(count)"
      try retrying { program in
        let context = program.release.context()
        let key = program.isNew ? "list" : "entries"
        guard
          let board = try context.fetch(FetchRequest<ManagedObject>(entityName: "Board")).first
        else { return }
        let list = try board.value(forKey: key) as? String ?? ""
        try board.setValue(list + entry + " ", forKey: key)
        try context.save()
        program.saved.entries.append(entry)
      }
    }

    /// Retries a save until it has no conflict: teams and the board are shared.
    private mutating func retrying(_ body: (inout Program) throws -> Void) throws {
      while true {
        do {
          return try body(&self)
        } catch let error as PersistenceError where error.code == .managedObjectMerge {
          release.forgetRows()
        }
      }
    }
  }

  // MARK: - Checks

  /// Returns the differences between the store and the acknowledged saves.
  func findings(people seeds: Int) throws -> [String] {
    let release = try Release(Self.second(), description)
    defer { try? release.close() }
    var found: [String: String] = [:]
    for line in try release.lines("Person", "name", "age", "teams", "score") {
      let parts = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      let isSeed = parts[0] == "seed"
      if isSeed { continue }
      let team = parts.dropFirst(2).dropLast().filter { $0 != "->" }.joined()
      found[parts[0]] = "\(parts[1]) \(team)"
    }
    var findings: [String] = []
    let saved = state.withLock { $0.saved }
    var expected: [String: String] = [:]
    for program in saved.values { expected.merge(program.people) { first, _ in first } }
    for name in Set(found.keys).union(expected.keys).sorted() where found[name] != expected[name] {
      findings.append("\(name): \(found[name] ?? "gone") instead of \(expected[name] ?? "gone")")
    }
    let seedLines = try release.lines("Person", "name", "age", "teams", "score")
      .filter { $0.hasPrefix("seed") }
    if seedLines.count != seeds + 1 || !seedLines.allSatisfy({ $0.hasSuffix(" 40.0 -> red 3") }) {
      findings.append("\(seedLines.count) seeds, \(seedLines.first ?? "")")
    }
    let list =
      try release.lines("Board", "list").first?.split(separator: " ").map(String.init) ?? []
    for (number, program) in saved {
      let own = list.filter { $0.hasPrefix("\(number)/") }
      if own != program.entries { findings.append("entries of \(number): \(own.count)") }
    }
    return findings
  }

  /// The number of saves of the list.
  var entryCount: Int { state.withLock { $0.saved.values.reduce(0) { $0 + $1.entries.count } } }
}

/// Samples every few milliseconds how long sessions wait for locks.
final class WaitSampler: Sendable {
  private let state = Mutex((isOver: false, samples: 0, tables: 0.0, rows: 0.0))
  private let ended = DispatchSemaphore(value: 0)

  /// Starts sampling the sessions whose statements name a schema.
  init(_ session: RawSession, schema: String) {
    Thread.detachNewThread { [self] in
      let text =
        """
        SELECT l.locktype || ' ' || extract(epoch FROM clock_timestamp() - l.waitstart) * 1000 \
        FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid \
        WHERE NOT l.granted AND l.waitstart IS NOT NULL AND a.wait_event_type = 'Lock' \
        AND a.pid <> pg_backend_pid() AND a.query LIKE '%\(schema.replacing("\"", with: ""))%'
        """
      while !state.withLock({ $0.isOver }) {
        let lines = (try? session.rows(text)) ?? []
        state.withLock { state in
          state.samples += 1
          for line in lines {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let wait = Double(parts[1]) else { continue }
            if parts[0] == "relation" {
              state.tables = max(state.tables, wait)
            } else {
              state.rows = max(state.rows, wait)
            }
          }
        }
        Thread.sleep(forTimeInterval: 0.005)
      }
      ended.signal()
    }
  }

  /// Stops, and returns the longest waits for tables and for rows of other saves, in milliseconds.
  func finish() -> (samples: Int, tables: Double, rows: Double) {
    state.withLock { $0.isOver = true }
    ended.wait()
    return state.withLock { ($0.samples, $0.tables, $0.rows) }
  }
}
