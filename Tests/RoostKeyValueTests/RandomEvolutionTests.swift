// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

/// Tests of random migrations of random models with records: every store has the expected values, in the same order.
@Suite(.serialized) struct RandomEvolutionTests {
  @Test(
    "random changes lead to what plain values say, in all stores alike (M9-M12)", arguments: 1...6)
  func chain(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var sketch = VersionSketch()
    for _ in 0..<3 { sketch.addEntity(&random) }
    sketch.addEntity(&random, below: sketch.entities[0].id)
    for _ in 0..<3 { sketch.addRelation(&random) }
    let first = sketch
    let stores = try EvolvingStore.Kind.allCases.map {
      try EvolvingStore($0, first.version("0"))
    }
    for step in 1...6 {
      let seed = random.next()
      var next = sketch
      for (place, store) in stores.enumerated() {
        var same = SeededRandom(seed: seed)
        next = sketch
        try fill(store, &next, &same)
        if place == 0 { try check(store, next, "filled before \(step)") }
      }
      sketch = next
      sketch.settle()
      let before = sketch
      for _ in 0..<4 { sketch.change(&random) }
      var shapes: [[String]] = []
      for store in stores {
        let comment = "\(store.kind), step \(step)"
        try store.evolve(to: sketch.version("\(step)"), from: before.version("\(step - 1)"))
        try check(store, sketch, comment)
        try store.reopen(sketch.version("\(step)"))
        try check(store, sketch, comment + ", opened again")
        shapes.append(try shape(of: store, sketch))
      }
      for shape in shapes { #expect(shape == shapes[0], "step \(step)") }
    }
  }

  /// Writes records with values, and relates them.
  private func fill(
    _ store: EvolvingStore, _ sketch: inout VersionSketch, _ random: inout SeededRandom
  ) throws {
    // One save, because file stores would take most of the time of the test.
    var numbers = Array(try store.store.reserveSequences(sketch.entities.count * 3))
    var changes = StoreChangeSet()
    for entity in sketch.entities {
      for _ in 0..<3 {
        var values: [String: Value] = [:]
        var known: [Int: Value] = [:]
        for attribute in sketch.attributes(of: entity.id)
        where !attribute.isOptional || random.chance(1, in: 2) {
          let value = VersionSketch.value(attribute.type, &random)
          values[attribute.name] = value
          known[attribute.id] = value
        }
        var related: [(Int, Int64)] = []
        for relation in sketch.relations
        where !relation.left.isToMany && relation.right.isToMany
          && sketch.line(of: entity.id).contains(where: { $0.id == relation.left.entity })
        {
          let others = sketch.records(of: relation.right.entity)
          guard !others.isEmpty else { continue }
          let other = others[Int.random(in: 0..<others.count, using: &random)]
          values[relation.left.name] = .integer(other)
          if relation.right.isOrdered {
            let owner = sketch.name(relation.right.entity)
            values["@position.\(owner).\(relation.right.name)"] = .integer(
              Int64.random(in: 0..<100, using: &random))
          }
          related.append((relation.id, other))
        }
        let code = try #require(store.store.metadata.entityCodes[entity.name])
        let number = numbers.removeFirst()
        let key = RecordKey.make(sequence: number, entityCode: code)
        changes.inserted.append(try store.row(entity.name, key: key, values))
        sketch.values[key] = known
        sketch.owners[key] = entity.id
        for (relation, other) in related { sketch.pairs[relation]?.insert([key, other]) }
      }
    }
    for relation in sketch.relations where relation.left.isToMany && relation.right.isToMany {
      let members = sketch.records(of: relation.right.entity)
      for source in sketch.records(of: relation.left.entity) where random.chance(1, in: 2) {
        let chosen = members.filter { _ in random.chance(1, in: 3) }
        changes.links += try store.links(
          sketch.name(relation.left.entity), relation.left.name, source, chosen)
        for member in chosen { sketch.pairs[relation.id]?.insert([source, member]) }
      }
    }
    try store.commit(changes)
  }

  private func check(
    _ store: EvolvingStore, _ sketch: VersionSketch, _ comment: String
  ) throws {
    for entity in sketch.entities {
      let rows = try store.rows(entity.name)
      #expect(rows.map(\.key) == sketch.records(of: entity.id), "\(comment), \(entity.name)")
      for row in rows {
        let owner = sketch.owners[row.key] ?? 0
        for attribute in sketch.attributes(of: owner) {
          let slot = try #require(row.layout.slot(named: attribute.name))
          #expect(
            row.value(at: slot) == sketch.values[row.key]?[attribute.id] ?? .null,
            "\(comment), \(attribute.name) of \(entity.name)")
        }
        #expect(row.version == 1)
      }
      for attribute in entity.attributes
      where attribute.type == .integer32 || attribute.type == .double {
        let value: Value = attribute.type == .double ? .double(0.5) : .integer(1)
        let wanted = sketch.records(of: entity.id).filter {
          sketch.values[$0]?[attribute.id] == value
        }
        #expect(
          try store.keys(entity.name, attribute.name, value) == wanted,
          "\(comment), by \(attribute.name)")
      }
    }
    for relation in sketch.relations {
      let pairs = sketch.pairs[relation.id] ?? []
      try check(store, sketch, relation.left, pairs, comment)
      try check(store, sketch, relation.right, Set(pairs.map { [$0[1], $0[0]] }), comment)
    }
  }

  private func check(
    _ store: EvolvingStore, _ sketch: VersionSketch, _ side: VersionSketch.Side,
    _ pairs: Set<[Int64]>, _ comment: String
  ) throws {
    let sources = sketch.records(of: side.entity)
    let found = try members(store, sketch, side, sources)
    for (source, members) in zip(sources, found) {
      let wanted = pairs.filter { $0[0] == source }.map { $0[1] }
      #expect(members.sorted() == wanted.sorted(), "\(comment), \(side.name)")
    }
  }

  private func members(
    _ store: EvolvingStore, _ sketch: VersionSketch, _ side: VersionSketch.Side,
    _ sources: [Int64]
  ) throws -> [[Int64]] {
    if side.isToMany {
      return try store.members(sketch.name(side.entity), side.name, sources)
    }
    return try store.rows(sketch.name(side.entity)).map { row in
      row.reference(try #require(row.layout.slot(named: side.name))).map { [$0] } ?? []
    }
  }

  /// Returns the members of all relationships in their order, which must be equal in all stores.
  private func shape(of store: EvolvingStore, _ sketch: VersionSketch) throws -> [String] {
    try sketch.relations.flatMap { relation in
      try [relation.left, relation.right].map { side in
        let sources = sketch.records(of: side.entity)
        return "\(side.name): \(try members(store, sketch, side, sources))"
      }
    }
  }
}
