// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

/// Values whose order reveals how a comparator compares. Every sort descriptor of Foundation has a closure, and only
/// Foundation's own closure, for comparable values, compares as stores do.
enum ComparatorProbes {
  /// Returns whether a descriptor sorts values as stores do. False for an optional type: Foundation makes no
  /// comparator for it, so the comparator is the program's own.
  static func isBinary(_ descriptor: NSSortDescriptor) -> Bool {
    guard let probes = values(of: type(of: descriptor.keyPath).valueType) else { return false }
    return probes.indices.allSatisfy { left in
      probes.indices.allSatisfy { right in
        let wanted: ComparisonResult =
          left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
        return descriptor.comparator(probes[left], probes[right]) == wanted
      }
    }
  }

  private static let numbers: [Int16] = [-30, -2, 0, 1, 9, 10]
  private static let texts = ["B", "a", "a10", "a9", "aa", "b", "ä"]

  /// Returns some values of a type in the order of stores; nil for a type that stores do not support.
  private static func values(of type: Any.Type) -> [Any]? {
    switch type {
    case is String.Type: texts
    case is NSString.Type: texts.map { NSString(string: $0) }
    case is Int16.Type: numbers
    case is Int32.Type: numbers.map { Int32($0) }
    case is Int64.Type: numbers.map { Int64($0) }
    case is Int.Type: numbers.map { Int($0) }
    case is Float.Type: numbers.map { Float($0) }
    case is Double.Type: numbers.map { Double($0) }
    case is Decimal.Type: numbers.map { Decimal(Int($0)) }
    case is NSNumber.Type: numbers.map { NSDecimalNumber(value: $0) }
    case is Date.Type: numbers.map { Date(timeIntervalSinceReferenceDate: Double($0)) }
    case is NSDate.Type: numbers.map { NSDate(timeIntervalSinceReferenceDate: Double($0)) }
    case is UUID.Type:
      (0..<4).map { UUID(uuid: (0, 0, 0, $0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9 - $0)) }
    case let type as any (CaseIterable & RawRepresentable).Type: cases(of: type)
    default: nil
    }
  }

  /// Returns the cases of an enum in the order of their raw values, if these are numbers.
  private static func cases<T: CaseIterable & RawRepresentable>(of type: T.Type) -> [Any]? {
    let cases = T.allCases.map { (value: $0, number: $0.rawValue as? NSNumber) }
    guard cases.allSatisfy({ $0.number != nil }) else { return nil }
    return cases.sorted { ($0.number ?? 0).compare($1.number ?? 0) == .orderedAscending }
      .map(\.value)
  }
}
#endif
