// SPDX-License-Identifier: Apache-2.0

import Roost

/// The cases of `--across`: saves over several stores, and relationships from one into another. The two sides of a
/// ratio take turns, so that what the machine does meanwhile is the same for both.
struct AcrossRun {
  let engine: any Engine
  let data: SampleData
  /// The PostgreSQL server for what is saved to a file and to a server; nil to leave that out.
  var server: (any Engine)?
  /// How many milliseconds a flush takes at the least.
  var flush: Int?

  /// How many saves a side makes at a time.
  static let turn = 20

  /// - Parameter rounds: How often each case is measured.
  func run(rounds: Int, progress: Progress) throws -> [ComparedResult<AcrossWork>] {
    if flush != nil, !Flushes.isAvailable {
      throw BenchError("Flushes can be drawn out with glibc only.")
    }
    let second = engine.kind == .postgresql ? try? PrivateServer() : nil
    defer { second?.stop() }
    var found = ComparedResults<AcrossWork>(engine.kind)
    for round in 0..<rounds where !Interruption.isRequested {
      progress.note("\(engine.kind.title): several stores, round \(round + 1) of \(rounds)")
      try Flushes.taking(flush) { try save(second, &found) }
      try follow(&found)
    }
    return found.all
  }

  // MARK: - Saves

  private func save(_ second: PrivateServer?, _ found: inout ComparedResults<AcrossWork>) throws {
    let single = try saveToOne()
    found.add(single.beside, to: .single)
    found.add(single.alone, besides: .single)
    let own = try (0..<3).map { try engine.storeDescription(numbered: $0) }
    try save(over: Array(own[..<2]), .two, &found)
    try save(over: own, .three, &found)
    if let server, engine.kind != .postgresql {
      try save(over: [own[0], server.storeDescription(numbered: 3)], .server, &found)
    }
    if let second {
      let other = try PersistentStoreDescription.postgresql(second.address, schema: "roost_bench")
      try save(over: [own[0], other], .servers, &found)
    }
  }

  /// Saves an object into each of several stores, in all of them or in none, and one after the other.
  private func save(
    over descriptions: [PersistentStoreDescription], _ work: AcrossWork,
    _ found: inout ComparedResults<AcrossWork>
  ) throws {
    let together = try StoresTogether(descriptions)
    var (both, apart) = (Duration.zero, Duration.zero)
    // The first saves make tables and connections.
    for policy in [CrossStoreSaves.atomic, .perStore] { _ = try saveToAll(together, policy, 0) }
    for index in 1...turns {
      both += try saveToAll(together, .atomic, 2 * index)
      apart += try saveToAll(together, .perStore, 2 * index + 1)
    }
    let expected = (turns + 1) * 2 * Self.turn * descriptions.count
    let count = try together.newContext().count(for: FetchRequest<Person>(entityName: "Person"))
    guard count == expected else {
      throw BenchError("\(count) of \(expected) saved objects are in the stores.")
    }
    try together.remove()
    found.add(both.milliseconds, to: work)
    found.add(apart.milliseconds, besides: work)
  }

  private func saveToAll(
    _ together: StoresTogether, _ policy: CrossStoreSaves, _ index: Int
  ) throws -> Duration {
    together.coordinator.crossStoreSaves = policy
    let (context, stores) = (together.newContext(), together.stores)
    return try ContinuousClock().measure {
      for number in 0..<Self.turn {
        for store in stores {
          let sample = data.latecomer(index * Self.turn + number)
          try context.assign(Stage.person(sample, in: context), to: store)
        }
        try context.save()
      }
    }
  }

  /// What saves over several stores ask of them, in all of them or in none, and one after the other.
  func costs(
    over descriptions: [PersistentStoreDescription]
  ) throws -> (together: SaveCost, apart: SaveCost) {
    let together = try StoresTogether(descriptions)
    func cost(_ policy: CrossStoreSaves) throws -> SaveCost {
      _ = try saveToAll(together, policy, 0)
      return try SaveCost(of: together) { _ = try saveToAll(together, policy, 1) }
    }
    let costs = (try cost(.atomic), try cost(.perStore))
    try together.remove()
    return costs
  }

  private var turns: Int { max(1, data.extent.saves / Self.turn) }

  /// The milliseconds of saves that concern one store: of a coordinator that has another one, too, and of one that has
  /// no other.
  private func saveToOne() throws -> (beside: Double, alone: Double) {
    let alone = try StoresTogether.apart(engine.storeDescription(numbered: 0), nil)
    let beside = try StoresTogether.apart(
      engine.storeDescription(numbered: 1), engine.storeDescription(numbered: 2))
    var (first, other) = (Duration.zero, Duration.zero)
    for stores in [beside, alone] { _ = try saveToOne(of: stores, from: 0) }
    for index in 1...turns {
      first += try saveToOne(of: beside, from: index)
      other += try saveToOne(of: alone, from: index)
    }
    try beside.remove()
    try alone.remove()
    return (first.milliseconds, other.milliseconds)
  }

  private func saveToOne(of stores: StoresTogether, from index: Int) throws -> Duration {
    let context = stores.newContext()
    let samples = (0..<Self.turn).map { data.latecomer(index * Self.turn + $0) }
    return try ContinuousClock().measure { try Self.saveEach(samples, in: context) }
  }

  private static func saveEach(_ samples: [Sample], in context: ManagedObjectContext) throws {
    for sample in samples {
      _ = Stage.person(sample, in: context)
      try context.save()
    }
  }

  /// What saves that concern one store ask of it, of a coordinator that has another one, too, and of one that has no
  /// other: the same in every run.
  func costsOfOne() throws -> (beside: SaveCost, alone: SaveCost) {
    func cost(_ people: Int, _ departments: Int?) throws -> SaveCost {
      let stores = try StoresTogether.apart(
        engine.storeDescription(numbered: people),
        departments.map { try engine.storeDescription(numbered: $0) })
      _ = try saveToOne(of: stores, from: 0)
      let samples = (0..<Self.turn).map { data.latecomer(Self.turn + $0) }
      let context = stores.newContext()
      let cost = try SaveCost(of: stores) {
        InstructionCounter.start()
        defer { InstructionCounter.stop() }
        try Self.saveEach(samples, in: context)
      }
      InstructionCounter.dump(Self.name(engine.kind, isBeside: departments != nil))
      try stores.remove()
      return cost
    }
    return (try cost(0, 1), try cost(0, nil))
  }

  /// Under which name instructions are counted.
  static func name(_ store: StoreKind, isBeside: Bool) -> String {
    "\(store.rawValue) \(isBeside ? "another store attached" : "alone")"
  }

  // MARK: - Relationships

  private func follow(_ found: inout ComparedResults<AcrossWork>) throws {
    let apart = try StoresTogether.apart(
      engine.storeDescription(numbered: 0), engine.storeDescription(numbered: 1))
    let within = try StoresTogether([engine.storeDescription(numbered: 2)])
    try apart.fill(data)
    try within.fill(data)
    for (work, body) in [
      (AcrossWork.prefetch, readDepartments), (.prefetchMany, readPeople), (.hop, countByName),
    ] {
      try apart.reopen()
      try within.reopen()
      let ours = try body(apart)
      let others = try body(within)
      found.add(ours.milliseconds, to: work)
      found.add(others.milliseconds, besides: work)
    }
    try apart.remove()
    try within.remove()
  }

  private func readDepartments(_ stores: StoresTogether) throws -> Duration {
    let context = stores.newContext()
    let request = FetchRequest<Person>(entityName: "Person").prefetching(\.department)
    var length = 0
    let time = try ContinuousClock().measure {
      for person in try context.fetch(request) { length += person.department?.name.utf8.count ?? 0 }
    }
    let expected = data.persons.reduce(0) {
      $0 + data.departmentNames[$1.department].utf8.count
    }
    guard length == expected else { throw BenchError("A person lost its department.") }
    return time
  }

  private func readPeople(_ stores: StoresTogether) throws -> Duration {
    let context = stores.newContext()
    let request = FetchRequest<Department>(entityName: "Department").prefetching(\.people)
    var count = 0
    let time = try ContinuousClock().measure {
      for department in try context.fetch(request) {
        for person in department.people where person.age >= 0 { count += 1 }
      }
    }
    guard count == data.extent.objects else { throw BenchError("A department lost a person.") }
    return time
  }

  /// Counts persons by the names of departments, of which a thousand at the most are meant.
  private func countByName(_ stores: StoresTogether) throws -> Duration {
    let context = stores.newContext()
    let names = Array(data.departmentNames.prefix(1_000))
    let request = FetchRequest<Person>(entityName: "Person")
    request.predicate = try FetchPredicate("department.name IN %@", names)
    var count = 0
    let time = try ContinuousClock().measure { count = try context.count(for: request) }
    let expected = data.persons.lazy.filter { $0.department < names.count }.count
    guard count == expected else {
      throw BenchError("\(count) persons are in \(names.count) departments, not \(expected).")
    }
    return time
  }
}
