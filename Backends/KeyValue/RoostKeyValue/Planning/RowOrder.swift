// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// An order of rows by their own slots, compared in the rows' memory: the order that an index on these slots has.
///
/// Orders that follow relationships or compare strings as people do are left to the shared evaluator.
struct RowOrder {
  private struct Step {
    var slot: RowSlot
    var ascending: Bool
  }

  private let steps: [Step]
  /// The first step, which decides most comparisons.
  private let first: Step?

  /// Makes an order; nil when it needs more than the rows.
  init?(_ sort: [ResolvedSort]) {
    var steps: [Step] = []
    for step in sort {
      guard step.search == nil, step.path.root == .object, step.path.isOwnAttribute,
        step.path.endGuard == nil,
        let slot = RequestConditions.ownSlot(of: step.path),
        slot.kind != .string || step.comparator == .binary, IndexDefinition.canOrder(slot.kind)
      else { return nil }
      steps.append(Step(slot: slot, ascending: step.ascending))
    }
    self.steps = steps
    first = steps.first
  }

  /// A number that is smaller for rows that come earlier by the first step, as far as eight bytes tell.
  @inline(__always)
  func head(_ base: UnsafeMutableRawPointer, key: Int64) -> UInt64 {
    guard let first else { return UInt64(bitPattern: key) }
    let head = RowOrder.head(base, first.slot)
    return first.ascending ? head : ~head
  }

  /// Whether ``head(_:key:)`` and ``tie(_:)`` together say everything of the order but that of the keys.
  var isOfOneNumber: Bool {
    guard let first else { return false }
    switch first.slot.kind {
    case .integer, .boolean, .position, .double, .date: return steps.count == 1
    default: return false
    }
  }

  /// Returns a tie-breaker between nil and the value with the same head.
  @inline(__always)
  func tie(_ base: UnsafeMutableRawPointer) -> UInt8 {
    guard let first else { return 0 }
    return RowMemory.isNull(base, first.slot) == first.ascending ? 0 : 1
  }

  private static func head(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> UInt64 {
    // nil has the same head as a few small values; the full comparison tells them apart.
    if RowMemory.isNull(base, slot) { return 0 }
    switch slot.kind {
    case .integer, .boolean, .reference, .position:
      let number: Int64 = RowMemory.load(base, slot)
      return UInt64(bitPattern: number) ^ 1 << 63
    case .double, .date:
      let number: Double = RowMemory.load(base, slot)
      let bits = (number == 0 ? 0 : number).bitPattern
      return bits >> 63 == 1 ? ~bits : bits | 1 << 63
    case .string:
      return RowMemory.withUTF8(base, slot) { head(UnsafeRawBufferPointer($0)) }
    case .uuid:
      let uuid: UUID = RowMemory.load(base, slot)
      return withUnsafeBytes(of: uuid.uuid) { head($0) }
    case .data, .decimal, .uri, .transformable:
      return 1
    }
  }

  private static func head(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var head: UInt64 = 0
    for (index, byte) in bytes.enumerated() { head |= UInt64(byte) << UInt64(56 - index * 8) }
    return head
  }

  /// The order of two rows: negative when the left one comes first. Rows that are equal in all steps are ordered by
  /// their keys.
  func compare(_ left: Row, _ right: Row) -> Int {
    for step in steps {
      let order = RowOrder.compare(left.base, right.base, step.slot)
      if order != 0 { return step.ascending ? order : -order }
    }
    return left.key < right.key ? -1 : left.key == right.key ? 0 : 1
  }

  private static func compare(
    _ left: UnsafeMutableRawPointer, _ right: UnsafeMutableRawPointer, _ slot: RowSlot
  ) -> Int {
    switch (RowMemory.isNull(left, slot), RowMemory.isNull(right, slot)) {
    case (true, true): return 0
    case (true, false): return -1
    case (false, true): return 1
    case (false, false): break
    }
    func values<T>(_ type: T.Type) -> (T, T) {
      (RowMemory.load(left, slot), RowMemory.load(right, slot))
    }
    switch slot.kind {
    case .integer, .boolean, .reference, .position: return order(values(Int64.self))
    case .double, .date: return order(values(Double.self))
    case .string:
      return RowMemory.withUTF8(left, slot) { left in
        RowMemory.withUTF8(right, slot) { UTF8Order.compare(left, $0) }
      }
    case .uuid:
      let (left, right) = values(UUID.self)
      return RowOrder.number(ValueOrder.compare(left, right))
    case .decimal:
      let (left, right) = values(Decimal.self)
      return RowOrder.number(ValueOrder.compare(left, right))
    case .data:
      let (left, right) = values(Data.self)
      return RowOrder.number(ValueOrder.compare(left, right))
    case .uri:
      let (left, right) = values(URIBox?.self)
      return UTF8Order.compare(
        left?.url.absoluteString ?? "", right?.url.absoluteString ?? "")
    case .transformable: return 0
    }
  }

  private static func number(_ order: ValueOrder) -> Int {
    switch order {
    case .less: -1
    case .equal: 0
    case .greater: 1
    }
  }

  private static func order<T: Comparable>(_ values: (T, T)) -> Int {
    values.0 < values.1 ? -1 : values.0 == values.1 ? 0 : 1
  }
}
