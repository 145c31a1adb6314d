// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

extension SlotCondition {
  /// Makes the condition of a comparison between a slot and a constant; nil when an index cannot evaluate it.
  ///
  /// - Parameters:
  ///   - slot: The slot of the filtered row.
  ///   - store: The identifier of the store; an object ID of another store equals nothing here.
  init?(
    _ slot: RowSlot, _ comparison: ResolvedComparison, store: String
  ) {
    guard comparison.modifier == .direct, comparison.options.subtracting(.normalized).isEmpty else {
      return nil
    }
    func code(_ value: Value) -> EncodedValue? { EncodedValue(value, slot.kind, store: store) }
    switch (comparison.comparison, comparison.right) {
    case (.in, .list(let values)):
      let codes = values.compactMap(code)
      guard codes.count == values.count, values.count <= SlotCondition.longestList else {
        return nil
      }
      self = .any(of: codes.compactMap(\.bytes))
    case (.between, .list(let bounds)):
      guard bounds.count == 2, !bounds[0].isNull, !bounds[1].isNull,
        let lower = code(bounds[0])?.bytes, let upper = code(bounds[1])?.bytes
      else { return nil }
      self = .range(
        lower: Bound(value: lower, isInclusive: true),
        upper: Bound(value: upper, isInclusive: true))
    case (.beginsWith, .constant(.string(let text))) where slot.kind == .string:
      var bytes: [UInt8] = []
      Array(text.utf8).withUnsafeBytes { KeyEncoding.appendUnterminated($0, to: &bytes) }
      self = .prefix(bytes)
    case (let operation, .constant(let value)):
      self.init(slot, operation, value, store: store)
    default: return nil
    }
  }

  /// Makes the condition of a plain comparison between a slot and a value.
  init?(
    _ slot: RowSlot, _ operation: ComparisonPredicate.Comparison, _ value: Value, store: String
  ) {
    guard let code = EncodedValue(value, slot.kind, store: store) else { return nil }
    self.init(operation, code, isNull: value.isNull)
  }

  /// The longest `IN` list that an index evaluates; longer ones are evaluated row by row.
  private static let longestList = 2000

  private init?(
    _ comparison: ComparisonPredicate.Comparison, _ code: EncodedValue, isNull: Bool
  ) {
    if comparison == .equalTo {
      self = code.bytes.map(SlotCondition.equal) ?? .never
      return
    }
    guard let bytes = code.bytes else { return nil }
    // nil is in no order.
    if isNull { return nil }
    switch comparison {
    case .lessThan: self = .range(lower: nil, upper: Bound(value: bytes, isInclusive: false))
    case .lessThanOrEqualTo:
      self = .range(lower: nil, upper: Bound(value: bytes, isInclusive: true))
    case .greaterThan: self = .range(lower: Bound(value: bytes, isInclusive: false), upper: nil)
    case .greaterThanOrEqualTo:
      self = .range(lower: Bound(value: bytes, isInclusive: true), upper: nil)
    default: return nil
    }
  }
}

/// A constant in the code of a slot's kind.
struct EncodedValue {
  /// The bytes; nil for a value that no row has, as the ID of an object of another store.
  let bytes: [UInt8]?

  /// Encodes a constant; nil when its type is not the slot's, so that only the evaluator can compare them.
  init?(_ value: Value, _ kind: SlotKind, store: String) {
    var bytes: [UInt8] = []
    switch (kind, value) {
    case (_, .null): KeyEncoding.appendNull(to: &bytes)
    case (.integer, .integer(let number)), (.position, .integer(let number)):
      KeyEncoding.appendInteger(number, to: &bytes)
    case (.boolean, .boolean(let truth)): KeyEncoding.appendInteger(truth ? 1 : 0, to: &bytes)
    case (.double, .double(let number)):
      guard !number.isNaN else { return nil }
      KeyEncoding.appendDouble(number, to: &bytes)
    case (.double, .integer(let number)):
      guard let exact = Double(exactly: number) else { return nil }
      KeyEncoding.appendDouble(exact, to: &bytes)
    case (.date, .date(let date)):
      guard !date.timeIntervalSinceReferenceDate.isNaN else { return nil }
      KeyEncoding.appendDouble(date.timeIntervalSinceReferenceDate, to: &bytes)
    case (.string, .string(let text)): KeyEncoding.appendString(text, to: &bytes)
    case (.data, .data(let data)):
      data.withUnsafeBytes { KeyEncoding.appendBytes($0, to: &bytes) }
    case (.uuid, .uuid(let uuid)): KeyEncoding.appendUUID(uuid, to: &bytes)
    case (.decimal, .decimal(let decimal)):
      guard !decimal.isNaN else { return nil }
      KeyEncoding.appendDecimal(decimal, to: &bytes)
    case (.uri, .uri(let url)): KeyEncoding.appendString(url.absoluteString, to: &bytes)
    case (.reference, .objectID(let id)):
      guard id.current.storeIdentity?.identifier == store else {
        self.bytes = nil
        return
      }
      KeyEncoding.appendInteger(id.current.key, to: &bytes)
    default: return nil
    }
    self.bytes = bytes
  }
}
