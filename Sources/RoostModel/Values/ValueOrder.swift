// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The order of values, the same in all stores for sorting, comparisons and unique constraints.
///
/// nil comes first, then Booleans (false first), numbers, decimals, dates, strings by UTF-8 bytes, UUIDs and data by
/// bytes, URIs by the bytes of their text, and object IDs by their keys.
///
/// ```swift
/// values.sort { ValueOrder.compare($0, $1) == .less }
/// ```
public enum ValueOrder: Sendable, Hashable {
  /// The left value comes first.
  case less
  /// The values are equal.
  case equal
  /// The right value comes first.
  case greater

  /// Compares two values of any types. The order is total.
  public static func compare(_ left: Value, _ right: Value) -> ValueOrder {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): of(left, right)
    case (.double(let left), .double(let right)): compare(left, right)
    case (.integer(let left), .double(let right)): compare(left, right)
    case (.double(let left), .integer(let right)): compare(right, left).reversed
    case (.string(let left), .string(let right)): ValueOrder(UTF8Order.compare(left, right))
    case (.boolean(let left), .boolean(let right)): of(left ? 1 : 0, right ? 1 : 0)
    case (.date(let left), .date(let right)):
      compare(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
    case (.decimal(let left), .decimal(let right)): compare(left, right)
    case (.data(let left), .data(let right)): compare(left, right)
    case (.uuid(let left), .uuid(let right)): compare(left, right)
    case (.uri(let left), .uri(let right)):
      ValueOrder(UTF8Order.compare(left.absoluteString, right.absoluteString))
    case (.objectID(let left), .objectID(let right)): compare(left, right)
    default: compareOthers(left, right)
    }
  }

  private static func compareOthers(_ left: Value, _ right: Value) -> ValueOrder {
    switch (left, right) {
    case (.transformable(let left), .transformable(let right)):
      compare(left, right)
    case (.list(let left), .list(let right)): compare(left, right)
    case (.composite(let left), .composite(let right)): compare(left, right)
    default: of(rank(of: left), rank(of: right))
    }
  }

  /// Returns the rank of a value's type. Integers and doubles have the same rank.
  static func rank(of value: Value) -> Int {
    switch value {
    case .null: 0
    case .boolean: 1
    case .integer, .double: 2
    case .decimal: 3
    case .date: 4
    case .string: 5
    case .uuid: 6
    case .data: 7
    case .uri: 8
    case .objectID: 9
    case .transformable: 10
    case .list: 11
    case .composite: 12
    }
  }

  /// The opposite.
  public var reversed: ValueOrder {
    switch self {
    case .less: .greater
    case .equal: .equal
    case .greater: .less
    }
  }

  /// Makes an order from a `memcmp` result.
  init(_ difference: Int) {
    self = difference < 0 ? .less : difference == 0 ? .equal : .greater
  }

  static func of<T: Comparable>(_ left: T, _ right: T) -> ValueOrder {
    left < right ? .less : left == right ? .equal : .greater
  }
}

// MARK: - Numbers

extension ValueOrder {
  /// Compares doubles; NaN, which no store keeps, comes last and equals itself.
  public static func compare(_ left: Double, _ right: Double) -> ValueOrder {
    if left < right { return .less }
    if left == right { return .equal }
    if left > right { return .greater }
    return of(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0)
  }

  /// Compares an integer and a double exactly, where a conversion to double would round.
  public static func compare(_ left: Int64, _ right: Double) -> ValueOrder {
    if right.isNaN || right >= 0x1p63 { return .less }
    if right < -0x1p63 { return .greater }
    let whole = right.rounded(.towardZero)
    let integer = Int64(whole)
    if left != integer { return of(left, integer) }
    return compare(whole, right)
  }

  /// Compares decimals as numbers: 1.10 is 1.1.
  public static func compare(_ left: Decimal, _ right: Decimal) -> ValueOrder {
    if left.isNaN || right.isNaN { return of(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) }
    return left < right ? .less : left == right ? .equal : .greater
  }
}

// MARK: - Bytes, identities, several values

extension ValueOrder {
  /// Compares bytes; a prefix comes before the longer value.
  public static func compare(_ left: Data, _ right: Data) -> ValueOrder {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in compare(left, right) } }
  }

  /// Compares UUIDs by their bytes.
  public static func compare(_ left: UUID, _ right: UUID) -> ValueOrder {
    withUnsafeBytes(of: left.uuid) { left in
      withUnsafeBytes(of: right.uuid) { right in compare(left, right) }
    }
  }

  /// Compares identities by their keys, then by their stores. Those of unsaved objects come after all others, in the
  /// order of their creation: so do the objects themselves.
  public static func compare(_ left: ObjectID, _ right: ObjectID) -> ValueOrder {
    if left == right { return .equal }
    let keys = of(left.tieBreaker, right.tieBreaker)
    guard keys == .equal else { return keys }
    return ValueOrder(
      UTF8Order.compare(
        left.storeIdentity?.identifier ?? "", right.storeIdentity?.identifier ?? ""))
  }

  private static func compare(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> ValueOrder {
    let common = min(left.count, right.count)
    if common > 0, let leftBase = left.baseAddress, let rightBase = right.baseAddress {
      let difference = memcmp(leftBase, rightBase, common)
      if difference != 0 { return difference < 0 ? .less : .greater }
    }
    return of(left.count, right.count)
  }

  private static func compare(
    _ left: TransformableValue, _ right: TransformableValue
  ) -> ValueOrder {
    if left === right { return .equal }
    switch (left.wrapped, right.wrapped) {
    case (let left?, let right?): return compare(left, right)
    case (nil, nil): return compare(left.orderingBytes, right.orderingBytes)
    case (.some, nil): return .less
    case (nil, .some): return .greater
    }
  }

  private static func compare(_ left: [Value], _ right: [Value]) -> ValueOrder {
    for (left, right) in zip(left, right) {
      let order = compare(left, right)
      if order != .equal { return order }
    }
    return of(left.count, right.count)
  }

  private static func compare(_ left: [String: Value], _ right: [String: Value]) -> ValueOrder {
    let leftKeys = left.keys.sorted(by: UTF8Order.isLess)
    let rightKeys = right.keys.sorted(by: UTF8Order.isLess)
    let keys = compare(leftKeys.map(Value.string), rightKeys.map(Value.string))
    if keys != .equal { return keys }
    for key in leftKeys {
      let order = compare(left[key] ?? .null, right[key] ?? .null)
      if order != .equal { return order }
    }
    return .equal
  }
}
