// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// The accessors that `@Entity` writes call these. The number is the property's place in the class, and rows are laid
// out by it: a number, a date or a truth value is at a distance that is known when the accessor is compiled, and
// reading it is a load, a test and a load. All others are where the slot table says. Objects whose rows are not laid
// out by their class (`SlotTable.isInCells`) have no open memory, and take the table for everything.
extension ManagedObject {
  /// Reads an attribute.
  @inlinable @inline(__always)
  public final func _get<T: AttributeValue>(_ property: Int) -> T {
    if let open {
      return T._load(open, T._isInCell ? RowSlot(cell: property) : slots[property])
    }
    if let memory = memoryToRead(property) { return T._load(memory, slots[property]) }
    return recordAttribute(property)
  }

  /// Writes an attribute.
  @inlinable @inline(__always)
  public final func _set<T: AttributeValue>(_ property: Int, _ value: T) {
    if property < Settled.limit, settled.contains(property), let open {
      return T._store(value, open, T._isInCell ? RowSlot(cell: property) : slots[property])
    }
    guard let memory = prepareToWrite(property) else { return }
    T._store(value, memory, slots[property])
    if open == nil { didWrite(property) }
  }

  /// The memory in which the slot table finds a property; the fault is fired. Nil for a path recorder.
  @inline(never) @usableFromInline
  final func memoryToRead(_ property: Int) -> UnsafeMutableRawPointer? {
    if !isObserved, let memory { return memory }
    if flags.contains(.recorder) { return nil }
    if isObserved { observers.tellRead(property: property) }
    // The object holds the partial row until it is told to hold another one, which is not before the value is read.
    if let partial = values.partialRow(having: slots[property]) { return partial.base }
    // Where the record is gone or cannot be read, everything reads as nil or zero (B43), and the context knows why.
    return fire() ?? binding.layout.template
  }

  /// Fulfils the fault, makes the row this object's own and notes the change. Returns nil when there is no row to be
  /// had.
  @inline(never) @usableFromInline
  final func prepareToWrite(_ property: Int) -> UnsafeMutableRawPointer? {
    if flags.contains(.recorder) { return nil }
    let slot = slots[property]
    if settled.isSettling, !isObserved, let memory, binding.settles(slot) {
      changedSlots.low |= 1 &<< UInt64(slot.index)
      settled.insert(property)
      return memory
    }
    return willWrite(slot, property: property)
  }

  /// Like ``prepareToWrite(_:)``, for a slot of the entity's layout.
  ///
  /// - Parameter property: The property's place in the class; nil when no accessor asks.
  final func willWrite(_ slot: RowSlot, property: Int? = nil) -> UnsafeMutableRawPointer? {
    guard memory != nil || fire() != nil, !related.isBarred else { return nil }
    if flags.contains(.awakening) || binding.ignoresChange(ofSlot: slot) {
      makeRowOwn()
      return memory
    }
    if isObserved { observers.tellWillChange(slot: slot.index) }
    noteChange()
    if recordsUndo { context?.changes.keepRow(of: self) }
    makeRowOwn()
    changedSlots.insert(slot.index)
    if flags.contains(.hasEarlierChanges) {
      // What this event changes is noted slot by slot.
      context?.changes.event.note(slot: slot.index, of: self)
      if let property, binding.settles(slot) { settled.insert(property) }
    } else if flags.contains(.inserted) || flags.contains(.updated) {
      // From now on a setter has to do no more than to note its slot once.
      settled.isSettling = true
      if let property, binding.settles(slot) { settled.insert(property) }
    }
    return memory
  }

  /// Copies the row when the cache, a snapshot or another context may share it.
  final func makeRowOwn() {
    guard let current = row else { return }
    if let snapshot, snapshot.isIdentical(to: current) {
      let copy = current.copy()
      row = copy
      memory = copy.base
    }
  }

  /// Whether the context keeps what an undo needs.
  @inline(__always) final var recordsUndo: Bool {
    contextReference?._withUnsafeGuaranteedRef { $0.changes.isRecording } ?? false
  }

  /// Whether everything is noted that a further change would note.
  @inline(__always) private final var isNoted: Bool {
    guard flags.contains(.inEvent), !flags.isDisjoint(with: .changed), let contextReference else {
      return false
    }
    return contextReference._withUnsafeGuaranteedRef {
      !$0.checksQueue && !$0.changes.isListening
    }
  }

  /// Tells the context that this object differs from its record.
  final func noteChange() {
    if isNoted { return }
    // A deletion whose rules were applied is final: severing its relationships is no change of its own.
    guard let context else { return orphan.noteChangeOfOrphan() }
    guard !flags.contains(.propagated) else { return }
    context.checkQueue()
    context.changes.noteUpdate(of: self)
  }
}
