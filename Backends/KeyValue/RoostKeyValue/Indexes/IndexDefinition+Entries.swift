// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

// The key of an entry is `components recordKey`. Components that are too long for the engine's keys are truncated:
// the key is `prefix hash recordKey`, and the rest is the entry's value. A truncated key is recognised by its length,
// which is exactly the maximum; entries with the same prefix are adjacent, but unordered.
extension IndexDefinition {
  /// The bytes of the hash of a cut key.
  static let hashCount = 8

  /// The most bytes of components that are stored whole; also the length to which longer ones are truncated.
  package var longestWhole: Int {
    longestKey - IndexDefinition.hashCount - KeyEncoding.recordKeyCount
  }

  /// Appends the values of a row's components, whole.
  package func appendComponents(of row: Row, to bytes: inout [UInt8]) {
    for component in components {
      let start = bytes.count
      if row.isNull(component.slot) {
        KeyEncoding.appendNull(to: &bytes)
      } else {
        KeyEncoding.append(row, component.slot, to: &bytes)
      }
      if component.isDescending { KeyEncoding.complement(&bytes, from: start) }
    }
  }

  /// The slots of a row that decide about its entry.
  var need: RowNeed {
    RowNeed(
      judged: .some(Set((components.map(\.slot) + conditions.map(\.slot)).map(\.index))),
      kept: .none)
  }

  private func includes(_ row: Row) -> Bool {
    conditions.isEmpty || conditions.allSatisfy { $0.matches(row) }
  }

  /// Writes the entry of a row, if the index has one. In an index of unique values it claims them, unless one is nil
  /// (B195).
  package func put(_ row: Row, to batch: inout EntryBatch) {
    guard includes(row) else { return }
    if purpose == .words { return append(words(of: row), of: row, .put, to: &batch) }
    var kind = EntryBatch.Kind.put
    if case .unique = purpose, !components.contains(where: { row.isNull($0.slot) }) {
      kind = .claim
    }
    if hasShortKeys {
      return withShortKey(of: row) { batch.append(kind, key: $0) }
    }
    batch.append(kind) { append(row, to: &$0) }
  }

  /// Replaces bytes by the values that a row claims in an index of unique values, whole.
  ///
  /// - Returns: Whether the row claims any.
  package func claim(of row: Row, into bytes: inout [UInt8]) -> Bool {
    guard includes(row), !components.contains(where: { row.isNull($0.slot) }) else { return false }
    bytes.removeAll(keepingCapacity: true)
    appendComponents(of: row, to: &bytes)
    return true
  }

  /// Removes the entry of a row.
  package func remove(_ row: Row, from batch: inout EntryBatch) {
    guard includes(row) else { return }
    if purpose == .words { return append(words(of: row), of: row, .remove, to: &batch) }
    if hasShortKeys {
      return withShortKey(of: row) { batch.append(.remove, key: $0) }
    }
    batch.append(.remove) { bytes in
      _ = append(row, to: &bytes)
      return []
    }
  }

  /// Replaces the entries of a row's words by those of its next version. Words that both have cost nothing: a change
  /// of a long text leaves most of them.
  package func replaceWords(of old: Row, by new: Row, in batch: inout EntryBatch) {
    let (before, after) = (words(of: old), words(of: new))
    append(before.subtracting(after), of: old, .remove, to: &batch)
    append(after.subtracting(before), of: new, .put, to: &batch)
  }

  /// The words of a row's text, each once; none where the index has no entry of the row.
  private func words(of row: Row) -> Set<String> {
    guard let slot = components.first?.slot, includes(row), !row.isNull(slot) else { return [] }
    return Set(SearchWords(of: row.string(slot)))
  }

  private func append(
    _ words: Set<String>, of row: Row, _ kind: EntryBatch.Kind, to batch: inout EntryBatch
  ) {
    for word in words {
      batch.append(kind) { bytes in
        let start = bytes.count
        KeyEncoding.appendString(word, to: &bytes)
        let rest = cut(&bytes, from: start)
        KeyEncoding.appendRecordKey(row.key, to: &bytes)
        return kind == .remove ? [] : rest
      }
    }
  }

  /// Appends the key of a row's entry.
  ///
  /// - Returns: The value.
  private func append(_ row: Row, to bytes: inout [UInt8]) -> ArraySlice<UInt8> {
    let start = bytes.count
    appendComponents(of: row, to: &bytes)
    let rest = cut(&bytes, from: start)
    KeyEncoding.appendRecordKey(row.key, to: &bytes)
    return rest
  }

  /// Truncates components that are too long.
  ///
  /// - Returns: The bytes that were cut off.
  package func cut(_ bytes: inout [UInt8], from start: Int) -> ArraySlice<UInt8> {
    guard bytes.count - start > longestWhole else { return [] }
    let hash = KeyEncoding.hash(bytes[start...])
    let rest = bytes[(start + longestWhole)...]
    bytes.removeSubrange((start + longestWhole)...)
    withUnsafeBytes(of: hash.bigEndian) { bytes.append(contentsOf: $0) }
    return rest
  }

  /// Whether the components of an entry were cut.
  package func isCut(_ key: UnsafeRawBufferPointer) -> Bool {
    key.count == longestKey
  }
}

extension KeyEncoding {
  /// Appends the value of a slot that is not nil.
  static func append(_ row: Row, _ slot: RowSlot, to bytes: inout [UInt8]) {
    switch slot.kind {
    case .integer, .boolean, .reference, .position: appendInteger(row.integer(slot), to: &bytes)
    case .double, .date: appendDouble(row.double(slot), to: &bytes)
    case .string: appendString(row.string(slot), to: &bytes)
    case .data: row.data(slot).withUnsafeBytes { appendBytes($0, to: &bytes) }
    case .uuid: appendUUID(row.uuid(slot), to: &bytes)
    case .decimal: appendDecimal(row.decimal(slot), to: &bytes)
    case .uri: appendString(row.uri(slot)?.absoluteString ?? "", to: &bytes)
    case .transformable: preconditionFailure("a transformable value has no order")
    }
  }

  /// Appends a UUID by its bytes.
  static func appendUUID(_ value: UUID, to bytes: inout [UInt8]) {
    bytes.append(present)
    withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
  }

  /// A hash that is the same in every process: FNV-1a, 64 bits. Entries are compared in full where it matters, so a
  /// collision costs time only.
  static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}
