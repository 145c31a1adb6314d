// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit

/// A condition on clerks: a format string, and its meaning as a closure over plain values.
struct OracleCondition {
  /// An intentionally wrong rule, which proves that the comparison finds differences.
  enum Fault: CaseIterable, Sendable {
    /// nil is smaller than every number.
    case nilIsSmall
    /// The negation of what is unknown is unknown.
    case unknownStaysUnknown
    /// ALL of nothing is false.
    case allOfNothingIsFalse
    /// The offset is taken after the limit.
    case offsetAfterLimit
    /// Strings are ordered without regard to case.
    case orderIgnoresCase
    /// nil comes last in ascending order.
    case nilComesLast
    /// Clerks without a value make no group.
    case nilMakesNoGroup
  }

  var format: String
  var holds: (OracleTable.Clerk, OracleTable) -> Bool

  static func random(
    _ random: inout SplitMix64, depth: Int, fault: Fault?
  ) -> OracleCondition {
    guard depth > 0, random.below(3) > 0 else { return leaf(&random, fault) }
    let left = Self.random(&random, depth: depth - 1, fault: fault)
    switch random.below(3) {
    case 0:
      let unknown = fault == .unknownStaysUnknown
      return OracleCondition(format: "NOT (\(left.format))") { clerk, table in
        if unknown, clerk.age == nil || clerk.name == nil { return false }
        return !left.holds(clerk, table)
      }
    case 1:
      let right = Self.random(&random, depth: depth - 1, fault: fault)
      return OracleCondition(format: "(\(left.format)) AND (\(right.format))") {
        left.holds($0, $1) && right.holds($0, $1)
      }
    default:
      let right = Self.random(&random, depth: depth - 1, fault: fault)
      return OracleCondition(format: "(\(left.format)) OR (\(right.format))") {
        left.holds($0, $1) || right.holds($0, $1)
      }
    }
  }

  private static func leaf(_ random: inout SplitMix64, _ fault: Fault?) -> OracleCondition {
    let number = random.pick([-1, 0, 1, 2, 3, 41])
    let sign = random.pick(["==", "!=", "<", "<=", ">", ">="])
    let test = { (left: Int?) in compare(left.map(Double.init), sign, Double(number), fault) }
    switch random.below(18) {
    case 0: return .init(format: "age \(sign) \(number)") { clerk, _ in test(clerk.age) }
    case 1:
      return .init(format: "office.floor \(sign) \(number)") { test($1.office(of: $0)?.floor) }
    case 2:
      return .init(format: "pay \(sign) \(number).5") { clerk, _ in
        compare(clerk.pay, sign, Double(number) + 0.5, fault)
      }
    case 3:
      return .init(format: "age + 1 \(sign) \(number)") { clerk, _ in
        test(clerk.age.map { $0 + 1 })
      }
    case 4:
      return .init(format: "friends.@count \(sign) \(number)") { clerk, _ in
        test(clerk.friends.count)
      }
    case 5:
      return .init(format: "friends.@sum.age \(sign) \(number)") { clerk, table in
        test(table.friends(of: clerk).compactMap(\.age).reduce(0, +))
      }
    case 6:
      return .init(format: "friends.@max.age \(sign) \(number)") { clerk, table in
        test(table.friends(of: clerk).compactMap(\.age).max())
      }
    case 7:
      return .init(format: "ANY friends.age \(sign) \(number)") { clerk, table in
        table.friends(of: clerk).contains { test($0.age) }
      }
    case 8:
      return .init(format: "ALL friends.age \(sign) \(number)") { clerk, table in
        let friends = table.friends(of: clerk)
        if fault == .allOfNothingIsFalse, friends.isEmpty { return false }
        return friends.allSatisfy { test($0.age) }
      }
    case 9:
      return .init(format: "NONE friends.age \(sign) \(number)") { clerk, table in
        !table.friends(of: clerk).contains { test($0.age) }
      }
    case 10:
      return .init(format: "SUBQUERY(friends, $f, $f.age \(sign) \(number)).@count > 1") {
        clerk, table in
        table.friends(of: clerk).filter { test($0.age) }.count > 1
      }
    case 11:
      return .init(format: "age IN {\(number), 0, 3}") { clerk, _ in
        clerk.age.map { [number, 0, 3].contains($0) } ?? false
      }
    case 12:
      return .init(format: "age BETWEEN {0, \(number)}") { clerk, _ in
        clerk.age.map { $0 >= 0 && $0 <= number } ?? false
      }
    case 13:
      return .init(format: "age \(sign) office.floor") { clerk, table in
        let floor = table.office(of: clerk)?.floor
        guard let floor else {
          return sign == "==" ? clerk.age == nil : sign == "!=" && clerk.age != nil
        }
        return compare(clerk.age.map(Double.init), sign, Double(floor), fault)
      }
    case 14:
      return .init(format: "TERNARY(active == YES, 1, 2) \(sign) \(number)") { clerk, _ in
        test(clerk.active == true ? 1 : 2)
      }
    default: return text(&random)
    }
  }

  private static func text(_ random: inout SplitMix64) -> OracleCondition {
    let isOffice = random.below(2) == 0
    let key = isOffice ? "office.city" : "name"
    let word = random.pick(["a", "A", "ad", "", "o", "os", "b\u{F6}", "*"])
    let ignoresCase = random.below(2) == 0
    let fold = { (text: String) in ignoresCase ? text.lowercased() : text }
    let sign = random.pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "=="])
    let test = { (text: String?) -> Bool in
      guard let text else { return false }
      let (whole, part) = (Array(fold(text).unicodeScalars), Array(fold(word).unicodeScalars))
      switch sign {
      case "BEGINSWITH": return whole.starts(with: part)
      case "ENDSWITH": return whole.reversed().starts(with: part.reversed())
      case "CONTAINS":
        return part.isEmpty || whole.indices.contains { whole[$0...].starts(with: part) }
      default: return whole == part
      }
    }
    return .init(format: "\(key) \(sign)\(ignoresCase ? "[c]" : "") '\(word)'") { clerk, table in
      test(isOffice ? table.office(of: clerk)?.city : clerk.name)
    }
  }

  /// nil is different from every number, and in no order.
  private static func compare(
    _ left: Double?, _ sign: String, _ right: Double, _ fault: Fault?
  ) -> Bool {
    guard let left else { return sign == "!=" || fault == .nilIsSmall && sign.hasPrefix("<") }
    return switch sign {
    case "==": left == right
    case "!=": left != right
    case "<": left < right
    case "<=": left <= right
    case ">": left > right
    default: left >= right
    }
  }
}
