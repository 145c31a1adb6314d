// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The memory layout of an entity's rows.
///
/// The slots of a superentity are the first ones of its subentities, at the same offsets, so code that reads a person
/// also reads an employee. Offsets follow the class of the entity: see `SlotPlacement.swift`. The order of the slots
/// is that of the entity, and stores depend on that order alone.
///
/// ```swift
/// for slot in row.layout.storedSlots {
///   print(row.layout.names[slot.index], row.value(at: slot))
/// }
/// ```
public final class RowLayout: @unchecked Sendable {
  // Sendable: everything is set in `init`; the template is never written afterwards. The entity is frozen.

  /// The entity of the rows.
  public unowned let entity: EntityDescription
  /// The slots in order: those of the superentity first.
  public let slots: [RowSlot]
  /// The name of each slot: the property's, `composite.element`, or a hidden name for positions.
  public let names: [String]
  /// The number of 8-byte words of a row after its header.
  public let wordCount: Int
  /// The number of these words before the word that slot offsets are relative to.
  public let leadCount: Int
  /// The memory of a row in which everything is nil, from the word that slot offsets are relative to.
  public let template: UnsafeMutableRawPointer

  /// The content of each slot.
  public let contents: [SlotContent]
  /// The stored slots in order: all except those of transient attributes.
  public let storedSlots: [RowSlot]

  /// Whether there are derived attributes, which stores update without a new version of the record (B308).
  package let hasDerivedSlots: Bool

  let managed: [RowSlot]
  /// The offsets of strings, which are the most frequent managed slots, and the other managed slots.
  private let stringOffsets: [Int]
  private let otherManaged: [RowSlot]
  private let indexByName: [String: Int]

  /// Lays out the slots of an entity.
  ///
  /// - Parameters:
  ///   - contents: The contents of the slots, in order.
  ///   - placement: The placement of the slots.
  init(entity: EntityDescription, contents: [SlotContent], placement: SlotPlacement) {
    self.entity = entity
    self.contents = contents
    let slots = placement.slots
    self.slots = slots
    storedSlots = zip(contents, slots).filter { $0.0.isStored }.map { $0.1 }
    hasDerivedSlots = contents.contains { content in
      guard case .attribute(let attribute, _) = content else { return false }
      return attribute is DerivedAttributeDescription
    }
    names = contents.map(\.name)
    indexByName = Dictionary(
      names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    managed = slots.filter(\.kind.isManaged)
    stringOffsets = managed.filter { $0.kind == .string }.map { Int($0.offset) }
    otherManaged = managed.filter { $0.kind != .string }
    leadCount = placement.leadCount
    wordCount = placement.leadCount + placement.bodyCount
    let memory = UnsafeMutableRawPointer.allocate(byteCount: wordCount * 8, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: wordCount * 8)
    template = memory + leadCount * 8
    for slot in slots where slot.kind == .string {
      (template + Int(slot.offset)).initializeMemory(as: String.self, to: "")
    }
    for slot in slots where slot.kind == .data {
      (template + Int(slot.offset)).initializeMemory(as: Data.self, to: Data())
    }
    for slot in slots { RowMemory.markNull(template, slot, true) }
  }

  deinit {
    // Empty strings and empty data hold no references: nothing to release.
    (template - leadCount * 8).deallocate()
  }

  /// Returns the slot of a property, or of a composite's element by its dotted name.
  public func slot(named name: String) -> RowSlot? {
    indexByName[name].map { slots[$0] }
  }

  /// Returns the hidden slot that orders this layout's rows among the destinations of an ordered relationship.
  func position(of relationship: RelationshipDescription) -> RowSlot? {
    for (content, slot) in zip(contents, slots) {
      if case .position(let ordered) = content, ordered === relationship { return slot }
    }
    return nil
  }

  /// Deinitialises the values of the managed slots.
  @usableFromInline func destroyManagedSlots(_ base: UnsafeMutableRawPointer) {
    for offset in stringOffsets where RowMemory.hasString(base + offset) {
      (base + offset).assumingMemoryBound(to: String.self).deinitialize(count: 1)
    }
    for slot in otherManaged {
      let place = base + Int(slot.offset)
      switch slot.kind {
      case .data: place.assumingMemoryBound(to: Data.self).deinitialize(count: 1)
      case .uri: place.assumingMemoryBound(to: URIBox?.self).deinitialize(count: 1)
      case .transformable:
        place.assumingMemoryBound(to: TransformableValue?.self).deinitialize(count: 1)
      default: break
      }
    }
  }

  /// Copies the slots of `source` to `target`, which holds a fresh template. Texts in the tail keep their offsets;
  /// the caller copies them.
  func copySlots(from source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer) {
    // Meanwhile another thread may write only the two words of a string that it caches; they are set again below.
    (target - leadCount * 8)
      .copyMemory(from: source - leadCount * 8, byteCount: wordCount * 8)
    for offset in stringOffsets { RowMemory.copyText(from: source + offset, to: target + offset) }
    for slot in otherManaged {
      let from = source + Int(slot.offset)
      let to = target + Int(slot.offset)
      switch slot.kind {
      case .data:
        to.initializeMemory(as: Data.self, from: from.assumingMemoryBound(to: Data.self), count: 1)
      case .uri:
        to.initializeMemory(
          as: URIBox?.self, from: from.assumingMemoryBound(to: URIBox?.self), count: 1)
      case .transformable:
        to.initializeMemory(
          as: TransformableValue?.self,
          from: from.assumingMemoryBound(to: TransformableValue?.self), count: 1)
      default: break
      }
    }
  }
}
