// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where each property of an entity is in the memory of its rows.
///
/// The null bitmap comes first, then the slots. The layout of a superentity is the beginning of the layouts of its
/// subentities, so code that reads a person also reads an employee.
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
  /// The slots in order: those of the superentity first. A slot's index is also its bit in the null bitmap.
  public let slots: [RowSlot]
  /// The name of each slot: the property's, `composite.element`, or a hidden name for positions.
  public let names: [String]
  /// The words of eight bytes that a row takes after its header.
  public let wordCount: Int
  /// The memory of a row in which everything is nil.
  public let template: UnsafeMutableRawPointer

  /// What each slot is for; empty for a layout that was made of kinds alone.
  public let contents: [SlotContent]
  /// The slots that stores keep, in order: all but those of transient attributes.
  public let storedSlots: [RowSlot]

  /// Whether some values are computed by stores, which change them without a new version of the record (B308).
  package let hasDerivedSlots: Bool

  let managed: [RowSlot]
  /// Where the strings are, which are most of what is managed, and the other managed slots.
  private let stringOffsets: [Int]
  private let otherManaged: [RowSlot]
  private let indexByName: [String: Int]

  /// Lays out slots of `kinds`, in order.
  ///
  /// - Parameter capacity: The bits that the bitmap keeps free, the largest slot count in the entity's hierarchy: the
  ///   bitmap has one size in a hierarchy, so that offsets agree.
  package convenience init(
    entity: EntityDescription, slots descriptions: [(name: String, kind: SlotKind)], capacity: Int
  ) {
    self.init(entity: entity, descriptions: descriptions, contents: [], capacity: capacity)
  }

  /// Lays out the slots of an entity.
  convenience init(entity: EntityDescription, contents: [SlotContent], capacity: Int) {
    self.init(
      entity: entity, descriptions: contents.map { (name: $0.name, kind: $0.kind) },
      contents: contents, capacity: capacity)
  }

  private init(
    entity: EntityDescription, descriptions: [(name: String, kind: SlotKind)],
    contents: [SlotContent], capacity: Int
  ) {
    self.entity = entity
    self.contents = contents
    let bitmapWords = max(1, (max(capacity, descriptions.count) + 63) / 64)
    var offset = bitmapWords * 8
    var slots: [RowSlot] = []
    for (index, description) in descriptions.enumerated() {
      slots.append(
        RowSlot(offset: Int32(offset), bit: UInt16(index), kind: description.kind))
      offset += description.kind.byteCount
    }
    self.slots = slots
    storedSlots =
      contents.isEmpty ? slots : zip(contents, slots).filter { $0.0.isStored }.map { $0.1 }
    hasDerivedSlots = contents.contains { content in
      guard case .attribute(let attribute, _) = content else { return false }
      return attribute is DerivedAttributeDescription
    }
    names = descriptions.map(\.name)
    indexByName = Dictionary(
      names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    managed = slots.filter(\.kind.isManaged)
    stringOffsets = managed.filter { $0.kind == .string }.map { Int($0.offset) }
    otherManaged = managed.filter { $0.kind != .string }
    wordCount = offset / 8
    template = .allocate(byteCount: offset, alignment: 16)
    template.initializeMemory(as: UInt8.self, repeating: 0, count: offset)
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
    template.deallocate()
  }

  /// The slot of a property, or of a composite's element by its dotted name.
  public func slot(named name: String) -> RowSlot? {
    indexByName[name].map { slots[$0] }
  }

  /// The hidden slot that orders this layout's rows among the destinations of an ordered relationship.
  func position(of relationship: RelationshipDescription) -> RowSlot? {
    for (content, slot) in zip(contents, slots) {
      if case .position(let ordered) = content, ordered === relationship { return slot }
    }
    return nil
  }

  /// Releases what the managed slots hold.
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

  /// Makes the memory at `target`, which holds a fresh template, an equal copy of `source`. Texts in the tail are found
  /// at the same distance from the beginning; the caller copies them.
  func copySlots(from source: UnsafeMutableRawPointer, to target: UnsafeMutableRawPointer) {
    // What another thread may write meanwhile are the two words of a string that it keeps; they are set again below.
    target.copyMemory(from: source, byteCount: wordCount * 8)
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
