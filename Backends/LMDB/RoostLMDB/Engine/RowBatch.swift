// SPDX-License-Identifier: Apache-2.0

import CLMDB
import RoostKeyValue
import RoostModel

/// A batch of records as a chunk of rows: the judged slots are read into rows that are reused, and a row is made only
/// when it is kept.
final class RowBatch: RowSource {
  /// The number of records of a batch.
  static let capacity = 64

  // Plain memory without exclusivity checks: it belongs to one caller and is accessed for each record.
  private let keys = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
  private let records = UnsafeMutablePointer<UnsafeRawBufferPointer?>.allocate(capacity: capacity)
  @exclusivity(unchecked) private(set) var count = 0
  private let storages = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: capacity)
  /// The addresses of `rows`, so that no reference is counted for a record that is only judged.
  private let addresses = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: capacity)
  /// The rows that are filled, at the places of their records; of one layout as long as the batch is used for one
  /// entity.
  private let rows = UnsafeMutablePointer<Row?>.allocate(capacity: capacity)
  /// The layouts of these rows.
  private let layouts = UnsafeMutablePointer<ObjectIdentifier?>.allocate(capacity: capacity)
  @exclusivity(unchecked) private var need = RowNeed.keptRows
  @exclusivity(unchecked) private var formats: RecordFormats?
  @exclusivity(unchecked) private var snapshot: LMDBSnapshot?
  @exclusivity(unchecked) private var checkedRecords: CheckedRecords?
  @exclusivity(unchecked) private var known: [KnownFormat] = []
  /// The position of each record's format in the known formats.
  private let formatPositions = UnsafeMutablePointer<Int>.allocate(capacity: capacity)

  /// The decoding plan for the records of one format; a class, so that a record costs one reference to it.
  private final class KnownFormat {
    let entityCode: Int
    let number: Int
    let codec: RecordCodec
    let layout: RowLayout
    /// The layout as a number, to compare.
    let layoutID: ObjectIdentifier
    let judged: RecordSelection
    let kept: RecordSelection

    /// Whether a record, if it is whole, has this format.
    @inline(__always)
    func isOf(_ record: UnsafeRawBufferPointer, _ key: Int64) -> Bool {
      RecordKey.entityCode(of: key) == entityCode && RecordCodec.formatNumber(of: record) == number
    }

    init(_ codec: RecordCodec, entityCode: Int, number: Int, need: RowNeed) {
      self.codec = codec
      layout = codec.layout
      layoutID = ObjectIdentifier(codec.layout)
      self.entityCode = entityCode
      self.number = number
      judged = codec.selection(of: need.judged)
      kept = codec.selection(of: need.kept)
    }
  }

  init() {
    rows.initialize(repeating: nil, count: RowBatch.capacity)
    layouts.initialize(repeating: nil, count: RowBatch.capacity)
    addresses.initialize(repeating: nil, count: RowBatch.capacity)
  }

  deinit {
    rows.deinitialize(count: RowBatch.capacity)
    rows.deallocate()
    layouts.deallocate()
    storages.deallocate()
    addresses.deallocate()
    records.deallocate()
    keys.deallocate()
    formatPositions.deallocate()
  }

  /// Begins to read rows of a snapshot, which outlives the batch.
  func begin(_ snapshot: LMDBSnapshot, _ formats: RecordFormats, need: RowNeed) {
    self.snapshot = snapshot
    checkedRecords = snapshot.checkedRecords
    if formats !== self.formats || need != self.need {
      known = []
      // Rows of another need may have been given away, and are not to be filled again.
      for index in 0..<RowBatch.capacity { setRow(nil, nil, at: index) }
    }
    self.formats = formats
    self.need = need
    count = 0
  }

  /// Releases the snapshot.
  func end() {
    snapshot = nil
    checkedRecords = nil
  }

  /// Empties the batch.
  func removeAll() {
    count = 0
  }

  var isFull: Bool { count == RowBatch.capacity }

  /// Adds a record, or that there is none.
  @inline(__always)
  func append(_ key: Int64, _ record: UnsafeRawBufferPointer?) {
    keys[count] = key
    records[count] = record
    count += 1
  }

  /// Calls `body` with the rows.
  ///
  /// - Throws: `corruptStore` when a judged record is damaged.
  func withChunk<Result>(_ body: (RowChunk) throws -> Result) throws -> Result {
    let readsAll = need.judged == .all
    let isJudged = need.isJudged
    let checkedRecords = checkedRecords
    prefetch()
    // Most batches have records of one format: it is found once, and `known` retains it, so no reference is counted.
    var position = 0
    var current = known.first.map { Unmanaged.passUnretained($0) }
    for index in 0..<count {
      guard let record = records[index] else {
        storages[index] = nil
        continue
      }
      let key = keys[index]
      if !(current?._withUnsafeGuaranteedRef { $0.isOf(record, key) } ?? false) {
        position = try formatPosition(of: record, key)
        current = Unmanaged.passUnretained(known[position])
      }
      formatPositions[index] = position
      try current?._withUnsafeGuaranteedRef { format in
        if readsAll {
          let row = try naming(key) {
            try check(record, key, format.codec, checkedRecords)
            return try format.codec.decode(record, key: key, isChecked: true)
          }
          setRow(row, format.layoutID, at: index)
        } else {
          try fill(index, with: record, format, checkedRecords, isJudged: isJudged)
        }
      }
      storages[index] = addresses[index]
    }
    let storages = UnsafeBufferPointer(start: storages, count: count)
    return try withExtendedLifetime(self) {
      try body(RowChunk(storages, source: readsAll ? nil : self))
    }
  }

  /// Prefetches the memory that will be read: the processor then loads it for all records at once, and not for one
  /// after the other.
  @inline(__always)
  private func prefetch() {
    // Of a record in an unknown format, the beginning is read in any case; a record to be verified is read as a
    // whole.
    let isChecked = count > 0 && checkedRecords?.contains(keys[0]) ?? false
    let wanted =
      isChecked && need.isJudged ? known.first?.judged.byteCount ?? 1 : Self.mostPrefetched
    for index in 0..<count {
      guard let record = records[index], let start = record.baseAddress else { continue }
      let byteCount = min(wanted, record.count, Self.mostPrefetched)
      var offset = 0
      while offset < byteCount {
        roost_prefetch(start + offset)
        offset &+= 64
      }
      if byteCount > 0 { roost_prefetch(start + (byteCount &- 1)) }
    }
  }

  /// The most bytes of a record that are prefetched.
  private static let mostPrefetched = 512

  /// Reads the judged slots of a record into the row at its place; the row is reused if it has the same layout.
  @inline(__always)
  private func fill(
    _ index: Int, with record: UnsafeRawBufferPointer, _ format: KnownFormat,
    _ checkedRecords: CheckedRecords?, isJudged: Bool
  ) throws {
    if layouts[index] != format.layoutID {
      setRow(Row(layout: format.layout, key: 0, version: 0), format.layoutID, at: index)
    }
    guard let address = addresses[index] else { return }
    let key = keys[index]
    try Unmanaged<RowStorage>.fromOpaque(address)._withUnsafeGuaranteedRef { storage in
      guard isJudged else {
        return storage.withUnsafeMutablePointerToHeader { $0.pointee.key = key }
      }
      try naming(key) {
        try check(record, key, format.codec, checkedRecords)
        try format.codec.fill(
          Row(storage: storage), from: record, key: key, selection: format.judged)
      }
    }
  }

  private func setRow(_ row: Row?, _ layout: ObjectIdentifier?, at index: Int) {
    rows[index] = row
    layouts[index] = layout
    addresses[index] = row.map {
      UnsafeRawPointer(Unmanaged.passUnretained($0.storage).toOpaque())
    }
  }

  /// Finds a record whole, now or earlier.
  ///
  /// - Throws: `corruptStore` when it is not.
  @inline(__always)
  private func check(
    _ record: UnsafeRawBufferPointer, _ key: Int64, _ codec: RecordCodec,
    _ checkedRecords: CheckedRecords?
  ) throws {
    if let checkedRecords, checkedRecords.contains(key) { return }
    try codec.check(record, key: key)
    checkedRecords?.insert(key, record)
  }

  func row(at index: Int) throws -> Row {
    guard let record = records[index] else { preconditionFailure("a row that is kept is there") }
    let format = known[formatPositions[index]]
    let key = keys[index]
    return try naming(key) {
      if !need.isJudged { try check(record, key, format.codec, checkedRecords) }
      return try format.codec.decode(record, key: key, selection: format.kept, isChecked: true)
    }
  }

  // MARK: - Formats

  @inline(__always)
  private func formatPosition(of record: UnsafeRawBufferPointer, _ key: Int64) throws -> Int {
    let code = RecordKey.entityCode(of: key)
    if let number = RecordCodec.formatNumber(of: record) {
      for position in known.indices
      where known[position].entityCode == code && known[position].number == number {
        return position
      }
      if let codec = try codec(ofEntityCode: code, format: number) {
        known.append(KnownFormat(codec, entityCode: code, number: number, need: need))
        return known.count - 1
      }
    }
    throw corrupt(key)
  }

  private func codec(ofEntityCode code: Int, format number: Int) throws -> RecordCodec? {
    if let codec = formats?.codec(ofEntityCode: code, format: number) { return codec }
    // Another process may have written in a format that was not there when the model was adopted.
    formats = try snapshot?.reloadFormats()
    return formats?.codec(ofEntityCode: code, format: number)
  }

  private func corrupt(_ key: Int64) -> PersistenceError {
    PersistenceError(
      .corruptStore, "The record \(RecordKey.sequence(of: key)) is damaged.",
      entityName: formats?.layout(ofEntityCode: RecordKey.entityCode(of: key))?.entity.name,
      objectIDs: (formats?.objectID(forKey: key)).map { [$0] } ?? [])
  }

  /// Adds the object ID of a damaged record to its error.
  @inline(__always)
  private func naming<Result>(_ key: Int64, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PersistenceError where error.code == .corruptStore {
      throw corrupt(key)
    }
  }
}
