// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel

/// A garden as plain values: records by their serial numbers, and each relationship once. Its inverse is worked out,
/// so the two sides cannot disagree.
struct OracleState: Equatable {
  var records: [Int: Record] = [:]
  /// The group of each node.
  var group: [Int: Int] = [:]
  /// The children of each node, in order.
  var children: [Int: [Int]] = [:]
  /// The tags of each node.
  var tags: [Int: Set<Int>] = [:]
  /// The favourites of each group, in order.
  var favourites: [Int: [Int]] = [:]
  /// The partner of each node, both ways.
  var partner: [Int: Int] = [:]
  /// The anchor of each tag; it has no inverse and may be deleted.
  var anchor: [Int: Int] = [:]

  struct Record: Equatable {
    var entity: String
    var values: [String: ExactValue]

    func value(_ key: String) -> Value {
      values[key]?.value ?? .null
    }

    /// Sets a value; nil is the absence of one.
    mutating func set(_ key: String, _ value: Value) {
      values[key] = value.isNull ? nil : ExactValue(value)
    }
  }

  /// The serial numbers of an entity and its subentities, ascending.
  func serials(_ entity: String) -> [Int] {
    let wanted = entity == "Node" ? ["Node", "Leaf"] : [entity]
    return records.keys.filter { wanted.contains(records[$0]?.entity ?? "") }.sorted()
  }

  /// All serial numbers, ascending.
  var all: [Int] { records.keys.sorted() }

  /// Whether two states show the same: a list that is empty is none.
  func isSame(as other: OracleState) -> Bool {
    records == other.records && group == other.group && partner == other.partner
      && anchor == other.anchor
      && children.filter { !$0.value.isEmpty } == other.children.filter { !$0.value.isEmpty }
      && tags.filter { !$0.value.isEmpty } == other.tags.filter { !$0.value.isEmpty }
      && favourites.filter { !$0.value.isEmpty } == other.favourites.filter { !$0.value.isEmpty }
  }

  func isNode(_ serial: Int) -> Bool {
    ["Node", "Leaf"].contains(records[serial]?.entity ?? "")
  }
}

// MARK: - Reading

extension OracleState {
  func parent(of node: Int) -> Int? {
    children.first { $0.value.contains(node) }?.key
  }

  /// The destination of a to-one relationship.
  func toOne(_ key: String, of serial: Int) -> Int? {
    switch key {
    case "group": group[serial]
    case "parent": parent(of: serial)
    case "partner": partner[serial]
    default: anchor[serial]
    }
  }

  /// The destinations of a to-many relationship: in order where it has one, else ascending.
  func toMany(_ key: String, of serial: Int) -> [Int] {
    switch key {
    case "nodes" where records[serial]?.entity == "Group":
      group.filter { $0.value == serial }.keys.sorted()
    case "nodes": tags.filter { $0.value.contains(serial) }.keys.sorted()
    case "children": children[serial] ?? []
    case "tags": (tags[serial] ?? []).sorted()
    case "favourites": favourites[serial] ?? []
    default: favourites.filter { $0.value.contains(serial) }.keys.sorted()
    }
  }

  static func toOneKeys(of entity: String) -> [(key: String, destination: String)] {
    switch entity {
    case "Node", "Leaf": [("group", "Group"), ("parent", "Node"), ("partner", "Node")]
    case "Tag": [("anchor", "Node")]
    default: []
    }
  }

  static func toManyKeys(of entity: String) -> [(key: String, destination: String)] {
    switch entity {
    case "Node", "Leaf": [("children", "Node"), ("tags", "Tag"), ("fans", "Group")]
    case "Group": [("nodes", "Node"), ("favourites", "Node")]
    default: [("nodes", "Node")]
    }
  }

  static func isOrdered(_ key: String) -> Bool {
    key == "children" || key == "favourites"
  }
}

// MARK: - Changing

extension OracleState {
  /// Sets a to-one relationship. A new child comes at the end of its parent's list (B79).
  mutating func setToOne(_ key: String, of serial: Int, to destination: Int?) {
    switch key {
    case "group": group[serial] = destination
    case "parent":
      let old = parent(of: serial)
      guard old != destination else { return }
      if let old { children[old]?.removeAll { $0 == serial } }
      if let destination { children[destination, default: []].append(serial) }
    case "partner":
      guard partner[serial] != destination else { return }
      if let old = partner[serial] { partner[old] = nil }
      partner[serial] = nil
      guard let destination else { return }
      if let stolen = partner[destination] { partner[stolen] = nil }
      partner[serial] = destination
      partner[destination] = serial
    default: anchor[serial] = destination
    }
  }

  /// Replaces the destinations of a to-many relationship.
  mutating func setToMany(_ key: String, of serial: Int, to wanted: [Int]) {
    let old = toMany(key, of: serial)
    switch key {
    case "nodes" where records[serial]?.entity == "Group":
      for node in old where !wanted.contains(node) { group[node] = nil }
      for node in wanted { group[node] = serial }
    case "nodes":
      for node in old where !wanted.contains(node) { tags[node]?.remove(serial) }
      for node in wanted { tags[node, default: []].insert(serial) }
    case "children":
      for node in wanted where !old.contains(node) { setToOne("parent", of: node, to: nil) }
      children[serial] = wanted
    case "tags": tags[serial] = Set(wanted)
    case "favourites": favourites[serial] = wanted
    default:
      for fan in old where !wanted.contains(fan) { favourites[fan]?.removeAll { $0 == serial } }
      for fan in wanted where !old.contains(fan) { favourites[fan, default: []].append(serial) }
    }
  }

  /// Removes records: children go with their parents, everything else loses its references, anchors excepted.
  mutating func delete(_ serial: Int) {
    var open = [serial]
    var leaving: Set<Int> = []
    while let next = open.popLast() {
      guard leaving.insert(next).inserted else { continue }
      open += children[next] ?? []
    }
    for gone in leaving {
      records[gone] = nil
      group[gone] = nil
      tags[gone] = nil
      anchor[gone] = nil
      favourites[gone] = nil
      if let other = partner.removeValue(forKey: gone) { partner[other] = nil }
    }
    children = children.filter { !leaving.contains($0.key) }
      .mapValues { $0.filter { !leaving.contains($0) } }
    favourites = favourites.mapValues { $0.filter { !leaving.contains($0) } }
    tags = tags.mapValues { $0.subtracting(leaving) }
    group = group.filter { !leaving.contains($0.value) }
  }
}
