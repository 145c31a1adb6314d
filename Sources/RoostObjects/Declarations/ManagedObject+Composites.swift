// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Members of ``ManagedObject`` for composite attributes, which accessors that `@Entity` generates call.
///
/// ```swift
/// var address: Address { get { self._get(3) } set { self._set(3, newValue) } }
/// ```
public protocol CompositeAccess: ManagedObject {}

extension ManagedObject: CompositeAccess {}

extension CompositeAccess {
  /// Reads a composite attribute.
  public func _get<T: CompositeValue>(_ property: Int) -> T {
    let elements = ElementAccess(owner: self, property: property)
    guard var reader = elements.reader(T._composite.leaves.count) else {
      return recording.recordComposite(property)
    }
    return reader.read()
  }

  /// Reads an optional composite attribute, which is nil when all its elements are.
  public func _get<T: CompositeValue>(_ property: Int) -> T? {
    let elements = ElementAccess(owner: self, property: property)
    guard var reader = elements.reader(T._composite.leaves.count) else {
      return recording.recordOptionalComposite(property)
    }
    return reader.read()
  }

  /// Writes a composite attribute.
  public func _set<T: CompositeValue>(_ property: Int, _ value: T) {
    ElementAccess(owner: self, property: property).write(.some(value))
  }

  /// Writes an optional composite attribute; nil makes all its elements nil.
  public func _set<T: CompositeValue>(_ property: Int, _ value: T?) {
    ElementAccess(owner: self, property: property).write(value)
  }
}

/// The elements of a composite attribute of an object. The slot table has an entry for the property, which says where
/// in the table the slots of its elements are.
struct ElementAccess {
  let owner: ManagedObject
  /// The index of the property in the class.
  let property: Int

  /// The slots of the elements; for an object that only records reads there are none.
  var slots: UnsafePointer<RowSlot> { owner.slots + Int(owner.slots[property].offset) }

  /// Returns a reader of the elements; fires the fault. Nil for a path recorder.
  ///
  /// - Parameter count: The number of elements that have slots.
  func reader(_ count: Int) -> CompositeReader? {
    memoryToRead(count).map { CompositeReader($0, slots, owner: owner) }
  }

  private func memoryToRead(_ count: Int) -> UnsafeMutableRawPointer? {
    if let open = owner.open { return open }
    if !owner.isObserved, let memory = owner.memory { return memory }
    if owner.flags.contains(.recorder) { return nil }
    if owner.isObserved { owner.observers.tellRead(property: property) }
    if let row = partialRow(count) { return row.base }
    return owner.fire() ?? owner.binding.layout.template
  }

  /// The row of a partial fetch, if it has all elements.
  private func partialRow(_ count: Int) -> Row? {
    guard owner.memory == nil, owner.fetchGroup is PartialRows else { return nil }
    let rows = (0..<count).compactMap { owner.values.partialRow(having: slots[$0]) }
    return rows.count == count ? rows.first : nil
  }

  /// Writes the elements; nil makes all of them nil.
  func write<T: CompositeValue>(_ value: T?) {
    if owner.flags.contains(.recorder) { return }
    for index in T._composite.leaves.indices where owner.willWrite(slots[index]) == nil { return }
    guard let memory = owner.memory else { return }
    var writer = CompositeWriter(memory, slots)
    writer.write(value)
    if owner.open == nil { owner.didWrite(property) }
  }
}
