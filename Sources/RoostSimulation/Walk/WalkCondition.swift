// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel

/// A condition on nodes that is written as a format string, and worked out on plain values.
indirect enum WalkCondition {
  case anything
  case compare(String, String, Value)
  case isNil(String, Bool)
  case text(String, String)
  case member(String, [Value])
  case groupName(Value)
  case parentNumber(String, Value)
  case groupIs(Int)
  case partnered
  case anyTagName(Value)
  case anyChild(String, Value)
  case allChildren(String, Value)
  case noFanName(Value)
  case childCount(String, Int)
  case flaggedChildren
  case not(WalkCondition)
  case both(WalkCondition, WalkCondition)
  case either(WalkCondition, WalkCondition)

  /// The format string, its values, and the serial number of an object among them.
  struct Format {
    var text: String
    var values: [Any?] = []
    var object: Int?
  }
}

// MARK: - Writing

extension WalkCondition {
  var format: Format {
    switch self {
    case .anything: Format(text: "TRUEPREDICATE")
    case .compare(let key, let sign, let value): Self.one("\(key) \(sign) %@", value)
    case .isNil(let key, let isNil): Format(text: "\(key) \(isNil ? "==" : "!=") nil")
    case .text(let sign, let text): Format(text: "name \(sign) %@", values: [text])
    case .member(let key, let values):
      Format(text: "\(key) IN %@", values: [values.map { $0.native }])
    case .groupName(let value): Self.one("group.name == %@", value)
    case .parentNumber(let sign, let value): Self.one("parent.number \(sign) %@", value)
    case .groupIs(let serial): Format(text: "group == %@", object: serial)
    case .partnered: Format(text: "partner != nil")
    case .anyTagName(let value): Self.one("ANY tags.name == %@", value)
    case .anyChild(let sign, let value): Self.one("ANY children.number \(sign) %@", value)
    case .allChildren(let sign, let value): Self.one("ALL children.number \(sign) %@", value)
    case .noFanName(let value): Self.one("NONE fans.name == %@", value)
    case .childCount(let sign, let count): Format(text: "children.@count \(sign) \(count)")
    case .flaggedChildren:
      Format(text: "SUBQUERY(children, $c, $c.flag == YES AND $c.number != nil).@count > 0")
    case .not(let inner):
      Format(
        text: "NOT (\(inner.format.text))", values: inner.format.values,
        object: inner.format.object)
    case .both(let left, let right): Self.join(left, "AND", right)
    case .either(let left, let right): Self.join(left, "OR", right)
    }
  }

  private static func one(_ text: String, _ value: Value) -> Format {
    Format(text: text, values: [value.native])
  }

  private static func join(
    _ left: WalkCondition, _ word: String, _ right: WalkCondition
  ) -> Format {
    Format(
      text: "(\(left.format.text)) \(word) (\(right.format.text))",
      values: left.format.values + right.format.values, object: left.format.object)
  }
}

// MARK: - Working out

extension WalkCondition {
  func holds(_ node: Int, in state: OracleState) -> Bool {
    switch self {
    case .anything: return true
    case .compare(let key, let sign, let value):
      return ValueOracle.holds(state.value(key, of: node), sign, value)
    case .isNil(let key, let isNil): return state.value(key, of: node).isNull == isNil
    case .text(let sign, let text): return Self.matches(state.value("name", of: node), sign, text)
    case .member(let key, let values):
      return values.contains { ValueOracle.holds(state.value(key, of: node), "==", $0) }
    case .groupName(let value):
      return ValueOracle.holds(state.value("name", of: state.group[node]), "==", value)
    case .parentNumber(let sign, let value):
      return ValueOracle.holds(state.value("number", of: state.parent(of: node)), sign, value)
    case .groupIs(let serial): return state.group[node] == serial
    case .partnered: return state.partner[node] != nil
    case .anyTagName(let value):
      return state.toMany("tags", of: node)
        .contains { ValueOracle.holds(state.value("name", of: $0), "==", value) }
    case .anyChild(let sign, let value):
      return state.toMany("children", of: node)
        .contains { ValueOracle.holds(state.value("number", of: $0), sign, value) }
    case .allChildren(let sign, let value):
      return state.toMany("children", of: node)
        .allSatisfy { ValueOracle.holds(state.value("number", of: $0), sign, value) }
    case .noFanName(let value):
      return !state.toMany("fans", of: node)
        .contains { ValueOracle.holds(state.value("name", of: $0), "==", value) }
    case .childCount(let sign, let count):
      let found = Int64(state.toMany("children", of: node).count)
      return ValueOracle.holds(.integer(found), sign, .integer(Int64(count)))
    case .flaggedChildren:
      return state.toMany("children", of: node).contains {
        ValueOracle.holds(state.value("flag", of: $0), "==", .boolean(true))
          && !state.value("number", of: $0).isNull
      }
    case .not(let inner): return !inner.holds(node, in: state)
    case .both(let left, let right):
      return left.holds(node, in: state) && right.holds(node, in: state)
    case .either(let left, let right):
      return left.holds(node, in: state) || right.holds(node, in: state)
    }
  }

  private static func matches(_ value: Value, _ sign: String, _ text: String) -> Bool {
    guard case .string(let whole) = value else { return false }
    let (bytes, part) = (Array(whole.utf8), Array(text.utf8))
    switch sign {
    case "BEGINSWITH": return bytes.starts(with: part)
    case "ENDSWITH": return bytes.reversed().starts(with: part.reversed())
    default:
      guard part.count <= bytes.count else { return false }
      return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
    }
  }
}

extension OracleState {
  /// An attribute's value; nil of nothing.
  func value(_ key: String, of serial: Int?) -> Value {
    serial.flatMap { records[$0]?.value(key) } ?? .null
  }
}

// MARK: - Choosing

extension WalkCondition {
  private static let signs = ["==", "!=", "<", "<=", ">", ">="]

  /// Makes a condition of random numbers.
  static func random(
    _ generator: inout SplitMix64, groups: [Int], depth: Int = 0
  ) -> WalkCondition {
    func value(_ key: String) -> Value {
      let values = GardenModel.values(of: key)
      return values[generator.below(values.count)]
    }
    let key = GardenModel.keys(of: "Node")[generator.below(8)]
    let sign = signs[generator.below(6)]
    let equality = signs[generator.below(2)]
    switch generator.below(depth < 2 ? 19 : 15) {
    case 0: return .anything
    case 1, 2: return .compare(key, isOrdered(key) ? sign : equality, value(key))
    case 3: return .isNil(key, generator.below(2) == 0)
    case 4:
      let texts = ["a", "", "b", "e", "\u{301}", "\u{E9}", "%", "ab"]
      let words = ["BEGINSWITH", "ENDSWITH", "CONTAINS"]
      return .text(words[generator.below(3)], texts[generator.below(texts.count)])
    case 5: return .member(key, (0..<generator.below(4)).map { _ in value(key) })
    case 6: return .groupName(value("name"))
    case 7: return .parentNumber(sign, value("number"))
    case 8: return groups.isEmpty ? .anything : .groupIs(groups[generator.below(groups.count)])
    case 9: return .partnered
    case 10: return .anyTagName(value("name"))
    case 11: return .anyChild(sign, value("number"))
    case 12: return .allChildren(sign, value("number"))
    case 13: return .noFanName(value("name"))
    case 14: return .childCount(sign, generator.below(3))
    case 15: return .flaggedChildren
    case 16: return .not(random(&generator, groups: groups, depth: depth + 1))
    case 17:
      // One of the two names an object at the most.
      let left = random(&generator, groups: groups, depth: depth + 1)
      return .both(left, random(&generator, groups: [], depth: depth + 1))
    default:
      let left = random(&generator, groups: groups, depth: depth + 1)
      return .either(left, random(&generator, groups: [], depth: depth + 1))
    }
  }

  private static func isOrdered(_ key: String) -> Bool {
    key != "flag" && key != "badge"
  }
}
