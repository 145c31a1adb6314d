// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A model as plain values that a random test changes step by step, and the expected content of its stores.
struct VersionSketch {
  struct Attribute {
    var id: Int
    var name: String
    var was: String
    var type: AttributeType
    var value: Value = .null
    var isOptional = true
    var isIndexed = false
  }

  struct Entity {
    var id: Int
    var name: String
    var was: String
    var attributes: [Attribute] = []
    var parent: Int?
  }

  struct Side {
    var entity: Int
    var name: String
    var was: String
    var isToMany: Bool
    var isOrdered = false
  }

  struct Relation {
    var id: Int
    var left: Side
    var right: Side
  }

  var entities: [Entity] = []
  var relations: [Relation] = []
  /// The values of each record by attribute ID, without nil values.
  var values: [Int64: [Int: Value]] = [:]
  /// The entity of each record.
  var owners: [Int64: Int] = [:]
  /// The pairs of each relation.
  var pairs: [Int: Set<[Int64]>] = [:]
  private var nextID = 0

  mutating func newID() -> Int {
    nextID += 1
    return nextID
  }

  /// Returns the entity and its superentities.
  func line(of id: Int) -> [Entity] {
    guard let entity = entities.first(where: { $0.id == id }) else { return [] }
    return [entity] + (entity.parent.map(line(of:)) ?? [])
  }

  func attributes(of id: Int) -> [Attribute] { line(of: id).flatMap(\.attributes) }

  /// Returns the records of an entity and its subentities.
  func records(of id: Int) -> [Int64] {
    owners.filter { line(of: $0.value).contains { $0.id == id } }.map(\.key).sorted()
  }

  func name(_ id: Int) -> String { entities.first { $0.id == id }?.name ?? "" }

  /// The model.
  func version(_ text: String) throws -> ModelVersion {
    try ModelVersion(text) {
      var made: [Int: EntityDescription] = [:]
      for sketch in entities {
        let entity = EntityDescription(name: sketch.name)
        entity.renamingIdentifier = sketch.was
        entity.properties = sketch.attributes.map {
          attribute(
            $0.name, $0.type, was: $0.was, default: $0.value, isOptional: $0.isOptional)
        }
        made[sketch.id] = entity
      }
      for relation in relations {
        guard let left = made[relation.left.entity], let right = made[relation.right.entity] else {
          continue
        }
        connect(
          Self.make(relation.left, to: right), of: left, Self.make(relation.right, to: left),
          of: right)
      }
      for sketch in entities {
        guard let entity = made[sketch.id], let parent = sketch.parent.flatMap({ made[$0] }) else {
          continue
        }
        parent.subentities.append(entity)
      }
      for sketch in entities {
        made[sketch.id]?.indexes = sketch.attributes.filter(\.isIndexed).map {
          FetchIndexDescription(
            name: "i\($0.id)", elements: [FetchIndexElementDescription(propertyName: $0.name)])
        }
      }
      return entities.compactMap { made[$0.id] }
    }
  }

  private static func make(_ side: Side, to: EntityDescription) -> RelationshipDescription {
    side.isToMany
      ? toMany(side.name, to, was: side.was, isOrdered: side.isOrdered)
      : toOne(side.name, to, was: side.was)
  }

  /// Resets the former names before the next change.
  mutating func settle() {
    for index in entities.indices {
      entities[index].was = entities[index].name
      for place in entities[index].attributes.indices {
        entities[index].attributes[place].was = entities[index].attributes[place].name
      }
    }
    for index in relations.indices {
      relations[index].left.was = relations[index].left.name
      relations[index].right.was = relations[index].right.name
    }
  }
}

// MARK: - Random changes

extension VersionSketch {
  static let types: [AttributeType] = [
    .integer32, .string, .double, .date, .boolean, .decimal, .binaryData, .uuid,
  ]

  static func value(_ type: AttributeType, _ random: inout SeededRandom) -> Value {
    let number = Int64.random(in: -3...3, using: &random)
    return switch type {
    case .integer32: .integer(number)
    case .string: .string(String(repeating: "t", count: Int(number + 3) * 5))
    case .double: .double(Double(number) / 4)
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .boolean: .boolean(number > 0)
    case .decimal: .decimal(Decimal(number) / 10)
    case .binaryData: .data(Data(repeating: 1, count: Int(number + 3)))
    default: .uuid(UUID(uuid: (UInt8(number + 3), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    }
  }

  mutating func addEntity(_ random: inout SeededRandom, below parent: Int? = nil) {
    let id = newID()
    entities.append(Entity(id: id, name: "E\(id)", was: "E\(id)", parent: parent))
    for _ in 0..<3 { addAttribute(to: entities.count - 1, &random) }
  }

  mutating func addAttribute(to place: Int, _ random: inout SeededRandom) {
    let id = newID()
    var attribute = Attribute(
      id: id, name: "a\(id)", was: "a\(id)",
      type: Self.types[Int.random(in: 0..<Self.types.count, using: &random)])
    if random.chance(1, in: 2) {
      attribute.value = Self.value(attribute.type, &random)
      attribute.isOptional = random.chance(1, in: 2)
    }
    attribute.isIndexed = random.chance(1, in: 3)
    entities[place].attributes.append(attribute)
    for key in records(of: entities[place].id) { values[key]?[id] = attribute.value }
  }

  mutating func addRelation(_ random: inout SeededRandom) {
    let id = newID()
    func side(_ letter: String) -> Side {
      Side(
        entity: entities[Int.random(in: 0..<entities.count, using: &random)].id,
        name: "\(letter)\(id)", was: "\(letter)\(id)", isToMany: random.chance(1, in: 2))
    }
    relations.append(Relation(id: id, left: side("r"), right: side("s")))
    pairs[id] = []
  }

  /// Makes a random change to the model and to the expected content.
  mutating func change(_ random: inout SeededRandom) {
    let place = Int.random(in: 0..<entities.count, using: &random)
    switch Int.random(in: 0..<13, using: &random) {
    case 0: entities[place].name = "N\(newID())"
    case 1: addEntity(&random)
    case 2: addEntity(&random, below: entities[place].id)
    case 3: removeEntity(at: place)
    case 4, 5: addAttribute(to: place, &random)
    case 6, 7, 8: changeAttribute(of: place, &random)
    case 9: addRelation(&random)
    default: changeRelation(&random)
    }
  }

  private mutating func removeEntity(at place: Int) {
    let id = entities[place].id
    guard entities.count > 2, !entities.contains(where: { $0.parent == id }),
      !relations.contains(where: { $0.left.entity == id || $0.right.entity == id })
    else { return }
    for key in records(of: id) {
      values[key] = nil
      owners[key] = nil
      for (relation, known) in pairs { pairs[relation] = known.filter { !$0.contains(key) } }
    }
    entities.remove(at: place)
  }

  private mutating func changeAttribute(of place: Int, _ random: inout SeededRandom) {
    guard !entities[place].attributes.isEmpty else { return }
    let index = Int.random(in: 0..<entities[place].attributes.count, using: &random)
    let attribute = entities[place].attributes[index]
    let keys = records(of: entities[place].id)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: entities[place].attributes[index].name = "n\(newID())"
    case 1:
      entities[place].attributes.remove(at: index)
      for key in keys { values[key]?[attribute.id] = nil }
    case 2 where attribute.type == .integer32:
      entities[place].attributes[index].type = .double
      entities[place].attributes[index].value = .null
      entities[place].attributes[index].isOptional = true
      for key in keys {
        if case .integer(let number)? = values[key]?[attribute.id] {
          values[key]?[attribute.id] = .double(Double(number))
        }
      }
    case 3 where attribute.isOptional:
      let value = Self.value(attribute.type, &random)
      entities[place].attributes[index].isOptional = false
      entities[place].attributes[index].value = value
      for key in keys where values[key]?[attribute.id]?.isNull ?? true {
        values[key]?[attribute.id] = value
      }
    default: entities[place].attributes[index].isIndexed.toggle()
    }
  }

  private mutating func changeRelation(_ random: inout SeededRandom) {
    guard !relations.isEmpty else { return }
    let index = Int.random(in: 0..<relations.count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: relations[index].left.name = "n\(newID())"
    case 1: relations[index].right.name = "n\(newID())"
    case 2 where relations[index].left.isToMany: relations[index].left.isOrdered.toggle()
    case 3 where relations[index].right.isToMany: relations[index].right.isOrdered.toggle()
    case 4:
      relations[index].left.isToMany = true
      if random.chance(1, in: 2) { relations[index].right.isToMany = true }
    default:
      guard random.chance(1, in: 3) else { return }
      pairs[relations[index].id] = nil
      relations.remove(at: index)
    }
  }
}
