// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// The accessors that `@Entity` writes call these. The number is the property's place in the class; the slot table says
// where that is in the row of the object's entity. The fast paths are a load, a test and an offset.
extension ManagedObject {
  /// Reads an attribute.
  @inlinable @inline(__always)
  public final func _get<T: AttributeValue>(_ property: Int) -> T {
    if let open { return T._load(open, slots[property]) }
    return readFault(property)
  }

  /// Writes an attribute.
  @inlinable @inline(__always)
  public final func _set<T: AttributeValue>(_ property: Int, _ value: T) {
    let slot = slots[property]
    let bit: UInt64 = 1 &<< UInt64(slot.bit & 63)
    if settled & bit != 0, slot.bit < 64, let open {
      // What holds already is not written again: the object's memory stays as clean as it is.
      if changedSlots.low & bit == 0 { changedSlots.low |= bit }
      T._store(value, open, slot)
      return
    }
    guard let memory = prepareToWrite(property) else { return }
    T._store(value, memory, slot)
    if open == nil { didWrite(property) }
  }

  @inline(never) @usableFromInline
  final func readFault<T: AttributeValue>(_ property: Int) -> T {
    if flags.contains(.recorder) { return recordAttribute(property) }
    if isObserved { tellRead(property: property) }
    if let partial = partialRow(having: slots[property]) {
      return T._load(partial.base, slots[property])
    }
    if let memory = fire() { return T._load(memory, slots[property]) }
    // The record is gone or cannot be read: everything reads as nil or zero (B43), and the context knows why.
    return T._load(binding.entity.layout.template, slots[property])
  }

  /// Fulfils the fault, makes the row this object's own and notes the change. Returns nil when there is no row to be
  /// had.
  @inline(never) @usableFromInline
  final func prepareToWrite(_ property: Int) -> UnsafeMutableRawPointer? {
    willWrite(slots[property])
  }

  /// Like ``prepareToWrite(_:)``, for a slot of the entity's layout.
  final func willWrite(_ slot: RowSlot) -> UnsafeMutableRawPointer? {
    guard memory != nil || fire() != nil else { return nil }
    if flags.contains(.awakening) || binding.ignoresChange(ofSlot: slot) {
      makeRowOwn()
      return memory
    }
    if isObserved { tellWillChange(slot: slot.index) }
    noteChange()
    if recordsUndo { context?.changes.keepRow(of: self) }
    makeRowOwn()
    changedSlots.insert(slot.index)
    if flags.contains(.hasEarlierChanges) {
      // What this event changes is noted slot by slot.
      context?.changes.event.note(slot: slot.index, of: self)
      if slot.bit < 64 { settled |= 1 &<< UInt64(slot.bit) }
    } else if flags.contains(.inserted) || flags.contains(.updated) {
      // From now on the setters of all slots have nothing to do but to note their slot.
      settled = binding.settlingSlots
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
    guard let context, !flags.contains(.propagated) else { return }
    context.checkQueue()
    context.changes.noteUpdate(of: self)
  }
}
