// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostStore

/// The IDs of records without a key. They are derived from the record numbers in the files, so that an interrupted or
/// repeated import finds the records that it has inserted.
struct ImportNumbers {
  private(set) var blocks: [ImportJournal.Block]
  /// Whether the last block may number new records; numbers of a finished import may belong to deleted ones.
  private var isOpen: Bool
  private let count: Int
  private let store: AttachedStore

  /// - Parameters:
  ///   - blocks: The blocks of earlier imports of the same files.
  ///   - isOpen: Whether an import is resumed, so that the last block has numbers for its records.
  init(_ blocks: [ImportJournal.Block], isOpen: Bool, count: Int, store: AttachedStore) {
    self.blocks = blocks
    self.isOpen = isOpen
    self.count = count
    self.store = store
  }

  /// Returns the possible IDs of a record, the newest first.
  func candidates(_ record: Int, _ entity: EntityDescription) -> [ObjectID] {
    blocks.reversed().compactMap { id($0, record, entity) }
  }

  private func id(
    _ block: ImportJournal.Block, _ record: Int, _ entity: EntityDescription
  ) -> ObjectID? {
    guard let code = store.schema.code(of: entity), let number = block.sequence(of: record) else {
      return nil
    }
    return store.objectID(forKey: RecordKey.make(sequence: number, entityCode: code))
  }

  /// Returns the ID of a new record.
  ///
  /// - Throws: The error of the store when it reserves numbers.
  mutating func newID(_ record: Int, _ entity: EntityDescription) throws -> ObjectID? {
    if !isOpen || blocks.last?.sequence(of: record) == nil {
      let numbers = try store.store.reserveSequences(count)
      blocks.append(ImportJournal.Block(count: numbers.count, first: numbers.lowerBound))
      isOpen = true
    }
    return blocks.last.flatMap { id($0, record, entity) }
  }
}
