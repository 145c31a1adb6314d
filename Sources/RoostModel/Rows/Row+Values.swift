// SPDX-License-Identifier: Apache-2.0

import Foundation

// Access by exchange values, for keyed access, validation and printing; fetches do not use it.
extension Row {
  /// Returns the value in a slot. References and positions are integers, because keys have no meaning without their
  /// store.
  public func value(at slot: RowSlot) -> Value {
    if isNull(slot) { return .null }
    return switch slot.kind {
    case .integer, .reference, .position: .integer(integer(slot))
    case .boolean: .boolean(integer(slot) != 0)
    case .double: .double(double(slot))
    case .date: .date(Date(timeIntervalSinceReferenceDate: double(slot)))
    case .string: .string(string(slot))
    case .data: .data(data(slot))
    case .uuid: .uuid(uuid(slot))
    case .decimal: .decimal(decimal(slot))
    case .uri: uri(slot).map(Value.uri) ?? .null
    case .transformable: transformable(slot).map(Value.transformable) ?? .null
    }
  }

  /// Sets a slot to a value validated by ``ValueCheck``. Only for the code that made the row.
  ///
  /// - Throws: `invalidValue` when the slot holds values of another kind; the row is unchanged then.
  public func setValue(_ value: Value, at slot: RowSlot) throws(PersistenceError) {
    switch (value, slot.kind) {
    case (.null, _): setNull(slot)
    case (.integer(let number), .integer), (.integer(let number), .reference),
      (.integer(let number), .position):
      setInteger(number, at: slot)
    case (.boolean(let truth), .boolean): setInteger(truth ? 1 : 0, at: slot)
    case (.double(let number), .double): setDouble(number, at: slot)
    case (.date(let date), .date): setDouble(date.timeIntervalSinceReferenceDate, at: slot)
    case (.string(let text), .string): setString(text, at: slot)
    case (.data(let data), .data): setData(data, at: slot)
    case (.uuid(let uuid), .uuid): setUUID(uuid, at: slot)
    case (.decimal(let number), .decimal): setDecimal(number, at: slot)
    case (.uri(let url), .uri): setURI(url, at: slot)
    case (.transformable(let transformable), .transformable):
      setTransformable(transformable, at: slot)
    case (.objectID(let id), .reference): setInteger(id.key, at: slot)
    default:
      throw PersistenceError(
        .invalidValue, "A slot for a \(slot.kind) cannot hold a \(value.typeName).",
        entityName: layout.entity.name, key: layout.names[slot.index], value: value)
    }
  }

  /// Copies a slot from another row of the same hierarchy. Only for the code that made the row.
  public func copySlot(_ slot: RowSlot, from other: Row) {
    if other.isNull(slot) {
      setNull(slot)
      return
    }
    switch slot.kind {
    case .integer, .boolean, .reference, .position: setInteger(other.integer(slot), at: slot)
    case .double, .date: setDouble(other.double(slot), at: slot)
    case .string: setString(other.string(slot), at: slot)
    case .data: setData(other.data(slot), at: slot)
    case .uuid: setUUID(other.uuid(slot), at: slot)
    case .decimal: setDecimal(other.decimal(slot), at: slot)
    case .uri:
      let box: URIBox? = RowMemory.load(other.base, slot)
      RowMemory.store(box, base, slot)
    case .transformable:
      let value: TransformableValue? = RowMemory.load(other.base, slot)
      RowMemory.store(value, base, slot)
    }
  }

  /// Whether a slot has equal values in two rows: strings by their bytes, decimals as numbers.
  public func equals(_ other: Row, at slot: RowSlot) -> Bool {
    let isNull = isNull(slot)
    if isNull != other.isNull(slot) { return false }
    if isNull { return true }
    switch slot.kind {
    case .integer, .boolean, .reference, .position: return integer(slot) == other.integer(slot)
    case .double, .date: return double(slot) == other.double(slot)
    case .string: return equalsText(other, at: slot)
    case .data: return data(slot) == other.data(slot)
    case .uuid: return uuid(slot) == other.uuid(slot)
    case .decimal: return decimal(slot) == other.decimal(slot)
    case .uri, .transformable: return value(at: slot) == other.value(at: slot)
    }
  }

  /// Whether a slot has the same memory in two rows, which implies equal values; the converse does not hold.
  @inline(__always)
  private static func isSameMemory(
    _ one: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer, _ slot: RowSlot
  ) -> Bool {
    guard RowMemory.isNull(one, slot) == RowMemory.isNull(other, slot) else { return false }
    let (left, right) = (one + Int(slot.offset), other + Int(slot.offset))
    if slot.kind == .string { return RowMemory.isSameString(left, right) }
    if left.load(as: UInt64.self) != right.load(as: UInt64.self) { return false }
    switch slot.kind.byteCount {
    case 8: return true
    case 16:
      return left.load(fromByteOffset: 8, as: UInt64.self)
        == right.load(fromByteOffset: 8, as: UInt64.self)
    case let count: return memcmp(left, right, count) == 0
    }
  }

  /// Returns the slots among `candidates`, as indices into the layout, whose values differ from those of another row
  /// of the same layout.
  ///
  /// - Parameter likely: The result for the previous row: most rows change alike, and then they share the array.
  package func changedSlots(
    from other: Row, among candidates: [RowSlot], likely: [Int]
  ) -> [Int] {
    let (mine, theirs) = (base, other.base)
    return withExtendedLifetime((self, other)) {
      withUnsafeTemporaryAllocation(of: Int.self, capacity: candidates.count + 1) { found in
        var count = 0
        for slot in candidates where !Row.isSameMemory(mine, theirs, slot) {
          if equals(other, at: slot) { continue }
          found.initializeElement(at: count, to: slot.index)
          count += 1
        }
        let slots = UnsafeMutableBufferPointer(rebasing: found[..<count])
        return slots.elementsEqual(likely) ? likely : Array(slots)
      }
    }
  }

  /// Returns the slots, as indices into the layout, whose values differ from those of another row of the same layout.
  public func changedSlots(from other: Row) -> [Int] {
    layout.slots.filter { !equals(other, at: $0) }.map(\.index)
  }
}

// MARK: - Composites

extension Row {
  /// Returns the value of a composite attribute: its elements by name, or nil when all of them are nil.
  public func value(of composite: CompositeAttributeDescription) -> Value {
    var elements: [String: Value] = [:]
    for case let element as AttributeDescription in composite.elements {
      let value =
        switch element {
        case let inner as CompositeAttributeDescription: self.value(of: inner)
        default: element.slot.map(value(at:)) ?? .null
        }
      if !value.isNull { elements[element.name] = value }
    }
    return elements.isEmpty ? .null : .composite(elements)
  }

  /// Sets all elements of a composite attribute; elements without a value become nil.
  ///
  /// - Throws: `invalidValue` when the value is not a composite or an element's value has another kind.
  public func setValue(
    _ value: Value, of composite: CompositeAttributeDescription
  ) throws(PersistenceError) {
    var given: [String: Value] = [:]
    if case .composite(let elements) = value {
      given = elements
    } else if !value.isNull {
      throw PersistenceError(
        .invalidValue, "A composite cannot be set to a \(value.typeName).",
        entityName: layout.entity.name, key: composite.name, value: value)
    }
    for case let element as AttributeDescription in composite.elements {
      let value = given[element.name] ?? .null
      if let inner = element as? CompositeAttributeDescription {
        try setValue(value, of: inner)
      } else if let slot = element.slot {
        try setValue(value, at: slot)
      }
    }
  }
}
