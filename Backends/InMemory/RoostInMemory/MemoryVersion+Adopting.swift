// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostModel
import RoostStore

extension MemoryVersion {
  /// Whether the rows have the layouts of a schema.
  func hasLayouts(of schema: StoreSchema) -> Bool {
    schema.entities.allSatisfy { entity in
      guard let code = schema.code(of: entity), let layout = layout(ofEntityCode: code) else {
        return true
      }
      return layout === entity.layout
    }
  }

  /// The same records in the layouts of a model, when they were written with another instance of it.
  ///
  /// - Parameter isMixed: Whether some of the rows have the layouts of the model already.
  /// - Complexity: A copy of every row, except for the same model.
  func adopting(_ schema: StoreSchema, isMixed: Bool = false) throws -> MemoryVersion {
    guard isMixed || !hasLayouts(of: schema) else { return replacing(records, of: schema) }
    var converted = records
    for entity in schema.entities {
      guard let code = schema.code(of: entity), let layout = layout(ofEntityCode: code),
        isMixed || layout !== entity.layout
      else { continue }
      var conversions = LayoutConversions(to: entity.layout)
      var changes: [RecordChange] = []
      try scanRecords(ofEntityCode: code) { chunk in
        for index in 0..<chunk.count {
          try chunk.withRow(index) { row in
            changes.append(RecordChange(key: row.key, row: try conversions.converted(row)))
          }
        }
        return true
      }
      converted[code] = RecordMap().applying(changes)
    }
    return replacing(converted, of: schema)
  }

  /// Returns the state after the batch of a model migration; nil when the batch is empty.
  ///
  /// - Parameters:
  ///   - change: The source and the destination version.
  ///   - work: Gets this state in the layouts of the source, and fills the batch with rows in those of the
  ///     destination.
  func evolving(
    by change: SchemaChange, _ work: EvolutionWork
  ) throws -> MemoryVersion? {
    // The rows may belong to another instance of the model with the same layouts.
    let source = try adopting(change.source)
    var batch = WriteBatch()
    try work.write(source, &batch) { _ in }
    guard !batch.isEmpty else { return nil }
    // The batch has only the records that are rewritten.
    let result = try source.applying(batch).adopting(change.destination, isMixed: true)
    try work.verify(source, result)
    return result
  }

  private func layout(ofEntityCode code: Int) -> RowLayout? {
    var layout: RowLayout?
    try? scanRecords(ofEntityCode: code) { chunk in
      layout = try chunk[0]?.layout
      return false
    }
    return layout
  }
}

/// Converts rows of any known layout to one layout.
private struct LayoutConversions {
  private let target: RowLayout
  private var last: (layout: RowLayout, conversion: LayoutConversion)?

  init(to target: RowLayout) {
    self.target = target
  }

  mutating func converted(_ row: Row) throws -> Row {
    let layout = row.layout
    guard layout !== target else { return row }
    if let last, last.layout === layout { return last.conversion.converted(row) }
    let conversion = try LayoutConversion(from: layout, to: target)
    last = (layout, conversion)
    return conversion.converted(row)
  }
}

/// The mapping of slots from one layout to another, by name.
private struct LayoutConversion {
  private let target: RowLayout
  private let slots: [(from: RowSlot, to: RowSlot)]

  init(from source: RowLayout, to target: RowLayout) throws {
    self.target = target
    slots = try zip(target.names, target.slots).compactMap { name, slot in
      guard let from = source.slot(named: name) else { return nil }
      guard from.kind == slot.kind else {
        throw PersistenceError(
          .persistentStoreIncompatibleSchema,
          "The records of \(target.entity.name ?? "") were written with another model.",
          entityName: target.entity.name, key: name)
      }
      return (from, slot)
    }
  }

  func converted(_ row: Row) -> Row {
    let result = Row(layout: target, key: row.key, version: row.version)
    for (from, to) in slots { result.copyValue(at: from, of: row, to: to) }
    return result
  }
}
