// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostPostgreSQL
import RoostStore
import Testing

@testable import RoostMigration

/// Tests with the model versions of real programs, with records: each chain is migrated step by step and in one leap,
/// in every kind of store.
@Suite(
  "Stores of real programs' models, version after version",
  .enabled(if: RealChain.arePresent, "ROOST_FIXTURES names no folder with models"))
struct RealChainTests {
  @Test(
    "all stores are led from each version to the next and over all at once, and hold the same then (M8-M17)"
  )
  func chains() throws {
    let folder = try TestFolder()
    let chains = try RealChain.all(in: folder)
    #expect(chains.count > 10)
    var counts = ChainCounts()
    for chain in chains {
      var outcomes: [[String]] = []
      for kind in ChainKind.all {
        outcomes.append(try ChainRun(chain: chain, kind: kind, folder: folder).run(&counts))
      }
      for (kind, outcome) in zip(ChainKind.all, outcomes).dropFirst() {
        let first = try #require(outcomes.first)
        let differences = zip(first, outcome).filter { $0 != $1 }.prefix(3)
        #expect(
          first.count == outcome.count && differences.isEmpty,
          "\(chain.name) in \(kind.name): \(first.count) and \(outcome.count) lines, \(differences)"
        )
      }
    }
    print(counts)
    #expect(counts.steps > 30 && counts.leaps > 10 && counts.values > 500)
    #expect(counts.refusals > 0)
  }
}

/// The versions of one model, in order.
struct RealChain {
  let name: String
  let versions: [URL]

  private static let separator = ".xcdatamodeld__"

  static var arePresent: Bool {
    FileManager.default.fileExists(atPath: Fixtures.folder.appending(path: "models").path)
  }

  /// Returns all chains, each version as an Xcode model in a folder.
  static func all(in folder: TestFolder) throws -> [RealChain] {
    let files = Fixtures.files(in: "models", suffix: ".contents").filter {
      $0.path.contains(separator)
    }
    let groups = Dictionary(grouping: files) { $0.path.components(separatedBy: separator)[0] }
    return try groups.sorted { $0.key < $1.key }.compactMap { path, files in
      guard files.count > 1 else { return nil }
      let sorted = files.sorted {
        stem($0).compare(stem($1), options: [.numeric, .caseInsensitive]) == .orderedAscending
      }
      let name = URL(filePath: path).lastPathComponent
      let versions = try sorted.enumerated().map { index, file in
        let place = folder.url.appending(path: "models/\(name)/\(index).xcdatamodel")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: file, to: place.appending(path: "contents"))
        return place
      }
      return RealChain(name: name, versions: versions)
    }
  }

  private static func stem(_ url: URL) -> String {
    String(url.path.dropLast(".xcdatamodel.contents".count))
  }

  func model(_ version: Int) throws -> ManagedObjectModel {
    let model = try ManagedObjectModel(contentsOf: versions[version])
    // The classes of these programs are not available.
    for entity in model.entities { entity.managedObjectClassName = "ManagedObject" }
    return model
  }
}

/// The counts of comparisons.
struct ChainCounts: CustomStringConvertible {
  var steps = 0
  var leaps = 0
  var refusals = 0
  var values = 0
  var untraced = 0

  var description: String {
    "\(steps) steps, \(leaps) leaps, \(refusals) refusals, \(values) values compared, \(untraced) not"
  }
}

/// A kind of store.
struct ChainKind: Sendable {
  let name: String
  let make: @Sendable (String, TestFolder) throws -> PersistentStoreDescription

  static let all: [ChainKind] =
    StoreKind.allCases.map { kind in
      ChainKind(name: kind.rawValue) { kind.description($0, $1) }
    }
    + (TestDatabase.uri.map { uri in
      [
        ChainKind(name: "postgresql") { _, _ in
          try .postgresql(uri, schema: "chain_" + UUID().uuidString.prefix(8).lowercased())
        }
      ]
    } ?? [])
}

/// One chain in one kind of store.
struct ChainRun {
  let chain: RealChain
  let kind: ChainKind
  let folder: TestFolder

  /// Migrates stores from each version as far as possible, and compares the results.
  ///
  /// - Returns: The results as lines: the same for each kind of store.
  func run(_ counts: inout ChainCounts) throws -> [String] {
    var lines: [String] = []
    var start = 0
    while start + 1 < chain.versions.count {
      let end = try segment(from: start, &lines, &counts)
      start = max(end, start + 1)
    }
    return lines
  }

  /// Migrates a store of a version step by step until a version refuses it, and another store in one leap to the last
  /// version reached.
  ///
  /// - Returns: The version that was reached.
  private func segment(
    from start: Int, _ lines: inout [String], _ counts: inout ChainCounts
  ) throws -> Int {
    let slow = try kind.make("\(chain.name)-\(start)-slow", folder)
    let fast = try kind.make("\(chain.name)-\(start)-fast", folder)
    defer { for store in [slow, fast] { try? store.type.driver.destroy(store) } }
    for store in [slow, fast] {
      try opened(store, start) { context, model in
        var population = FixturePopulation(model, context)
        try population.make()
      }
    }
    var traces = Trace(try chain.model(start))
    var reached = start
    for next in (start + 1)..<chain.versions.count {
      let before = try content(slow, reached)
      if let refusal = try refusal(of: slow, next) {
        counts.refusals += 1
        lines.append("\(start) to \(next): \(refusal)")
        // The store is unchanged.
        #expect(try content(slow, reached) == before, "\(chain.name) \(next), \(kind.name)")
        break
      }
      counts.steps += 1
      traces.add(try ModelDifference(from: chain.model(reached), to: chain.model(next)))
      reached = next
    }
    guard reached > start + 1 else { return reached }
    if let refusal = try refusal(of: fast, reached) {
      // A leap may be refused although each step was possible: for example, an attribute has the same name but
      // another type at both ends.
      counts.refusals += 1
      lines.append("\(start) over all to \(reached): \(refusal)")
      return reached
    }
    counts.leaps += 1
    try compare(slow, fast, reached, traces, start, &lines, &counts)
    return reached
  }

  private func compare(
    _ slow: PersistentStoreDescription, _ fast: PersistentStoreDescription, _ version: Int,
    _ traces: Trace, _ start: Int, _ lines: inout [String], _ counts: inout ChainCounts
  ) throws {
    let (stepwise, leaping) = (try content(slow, version), try content(fast, version))
    var direct = Trace(try chain.model(start))
    direct.add(try ModelDifference(from: chain.model(start), to: chain.model(version)))
    // An entity that was removed and added again has records after a leap only.
    func isTraced(_ record: String) -> Bool {
      let entity = record.split(separator: "/").first.map(String.init) ?? ""
      return traces.knows(entity) && direct.knows(entity)
    }
    #expect(
      stepwise.keys.filter(isTraced).sorted() == leaping.keys.filter(isTraced).sorted(),
      "\(chain.name), \(kind.name): the records")
    for (record, values) in stepwise.sorted(by: { $0.key < $1.key }) {
      let entity = record.split(separator: "/").first.map(String.init) ?? ""
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        guard traces.origin(entity, name) == direct.origin(entity, name),
          traces.origin(entity, name) != nil
        else {
          // An attribute added meanwhile has the default of that version; it may also have been removed and added
          // again.
          counts.untraced += 1
          continue
        }
        counts.values += 1
        lines.append("\(record).\(name) = \(value)")
        #expect(
          leaping[record]?[name] == value, "\(chain.name) \(kind.name): \(record).\(name)")
      }
    }
  }

  // MARK: - Stores

  private func opened<Answer>(
    _ store: PersistentStoreDescription, _ version: Int,
    _ body: (ManagedObjectContext, ManagedObjectModel) throws -> Answer
  ) throws -> Answer {
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: chain.model(version))
    let opened = try coordinator.addPersistentStore(with: store)
    defer { try? coordinator.remove(opened) }
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    return try context.performAndWait { try body(context, coordinator.managedObjectModel) }
  }

  /// Returns the error code with which a version refuses a store; nil when it opens.
  private func refusal(of store: PersistentStoreDescription, _ version: Int) throws -> Int? {
    do {
      try opened(store, version) { _, _ in }
      return nil
    } catch let error as PersistenceError
      where [.inferredMappingModel, .migration, .migrationConstraintViolation].contains(error.code)
    {
      return error.code.rawValue
    }
  }

  /// Returns every record by entity and number, with its values and the numbers of its destinations.
  private func content(
    _ store: PersistentStoreDescription, _ version: Int
  ) throws -> [String: [String: String]] {
    try opened(store, version) { context, model in
      var content: [String: [String: String]] = [:]
      for entity in FixturePopulation.concreteEntities(of: model) {
        let request = FetchRequest<ManagedObject>(entityName: entity.name ?? "")
        request.includesSubentities = false
        for object in try context.fetch(request) {
          content[Self.place(object)] = try Self.values(of: object)
        }
      }
      return content
    }
  }

  private static func place(_ object: ManagedObject) -> String {
    let uri = object.objectID.uriRepresentation()
    return "\(object.entity.name ?? "")/\(uri.lastPathComponent)"
  }

  private static func values(of object: ManagedObject) throws -> [String: String] {
    var values: [String: String] = [:]
    for attribute in object.entity.attributesInOrder
    where !attribute.isTransient && !(attribute is CompositeAttributeDescription) {
      values[attribute.name] = "\(try object.exchangeValue(forKey: attribute.name))"
    }
    for relationship in object.entity.relationshipsInOrder where !relationship.isTransient {
      let found = MigrationRun.objects(in: try object.value(forKey: relationship.name)).map(place)
      values[relationship.name] = "\(relationship.isOrdered ? found : found.sorted())"
    }
    return values
  }
}

/// The origins of a version's properties in the first version.
struct Trace {
  private var names: [String: [String: String]] = [:]

  init(_ model: ManagedObjectModel) {
    for entity in model.entities {
      let own = entity.name ?? ""
      for property in entity.properties {
        names[own, default: [:]][property.name] = "\(own).\(property.name)"
      }
    }
  }

  mutating func add(_ difference: ModelDifference) {
    var next: [String: [String: String]] = [:]
    for pair in difference.entities {
      guard let source = pair.source?.name, let destination = pair.destination.name else {
        continue
      }
      for property in pair.properties {
        guard let old = property.sourceName else { continue }
        next[destination, default: [:]][property.destination.name] = names[source]?[old]
      }
    }
    names = next
  }

  /// Returns whether an entity was in the first version.
  func knows(_ entity: String) -> Bool { names[entity] != nil }

  func origin(_ entity: String, _ property: String) -> String? { names[entity]?[property] }
}
