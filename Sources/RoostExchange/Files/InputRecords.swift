// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The position of a record among all imported files.
struct InputPosition: Sendable {
  var file = 0
  /// The byte offset of its start.
  var offset = 0
  /// The line number of its start, from 1.
  var line = 1
  /// The number of records before it.
  var number = 0
}

/// The bytes of a record, and its position.
struct InputRecord {
  let position: InputPosition
  let bytes: [UInt8]
}

/// The contents of a record: the names and values of one JSON object.
struct RecordFields {
  var entity: String?
  var id: String?
  var members: [JSONNode.Member]
  /// Whether all values are strings, as in CSV.
  let isText: Bool
}

/// Iterates over the records of files, one file after another, and computes a digest of what was read.
struct InputRecords {
  let files: [InputFile]
  private let mapping: [String: String]
  /// The position of the next record; blank lines before it were not skipped yet.
  private(set) var position = InputPosition()
  /// The digest of everything before the position.
  private(set) var digest = SHA256()
  private var reader: LineReader?
  private var columns: CSVColumns?

  /// - Parameters:
  ///   - files: The files.
  ///   - mapping: Property names by the names in the files.
  ///   - keys: The key properties by entity. Like the mapping, they are part of the digest: with other options, the
  ///     import is a different one.
  init(_ files: [InputFile], mapping: [String: String], keys: [String: [String]] = [:]) {
    self.files = files
    self.mapping = mapping
    for (name, property) in mapping.sorted(by: { UTF8Order.isLess($0.key, $1.key) }) {
      digest.update("column \(name)\0\(property)\0".utf8)
    }
    for (entity, names) in keys.sorted(by: { UTF8Order.isLess($0.key, $1.key) }) {
      let names = names.sorted(by: UTF8Order.isLess).joined(separator: "\0")
      digest.update("key \(entity)\0\(names)\0\0".utf8)
    }
  }

  /// The column names of the current file; nil for a format without columns.
  var columnNames: [String]? { columns?.names }

  /// Moves to a record that was found before.
  mutating func move(to position: InputPosition, digest: SHA256) throws {
    reader = nil
    columns = nil
    self.position = position
    self.digest = digest
    guard position.file < files.count else { return }
    let file = files[position.file]
    if file.format.delimiter != nil, position.offset > 0 {
      // The first line defines the columns; it is part of the digest already.
      var header = InputRecords([file], mapping: mapping)
      try header.begin()
      columns = header.columns
    }
    if position.offset > 0 { reader = try LineReader(file.url, offset: position.offset) }
  }

  func place(of position: InputPosition) -> RecordPlace {
    RecordPlace(file: files[min(position.file, files.count - 1)].name, line: position.line)
  }

  /// Returns the next record; nil at the end of the last file.
  mutating func next() throws -> InputRecord? {
    while position.file < files.count {
      if reader == nil { try begin() }
      let format = files[position.file].format
      var start = position
      var bytes: [UInt8] = []
      var isOpen = false
      while true {
        let count = bytes.count
        guard try passLine(&bytes) else { break }
        // Only the new line is scanned, so that a record of many lines is not scanned again for each.
        if format.delimiter != nil, CSVText.isOpen(bytes[min(count, bytes.count)...]) {
          isOpen.toggle()
        }
        if isOpen { continue }
        if Self.isBlank(bytes, format) {
          bytes.removeAll(keepingCapacity: true)
          start = position
          continue
        }
        position.number += 1
        return InputRecord(position: start, bytes: bytes)
      }
      guard bytes.isEmpty else {
        throw ExchangeFault(
          "a quotation mark is not closed before the end of the file",
          remedy: "Close it; a quotation mark within a cell is written twice."
        ).error(at: place(of: start))
      }
      reader = nil
      columns = nil
      position = InputPosition(file: position.file + 1, number: position.number)
    }
    return nil
  }

  /// Returns the contents of a record.
  func fields(of record: InputRecord) throws(ExchangeFault) -> RecordFields {
    let members: [JSONNode.Member]
    if let delimiter = files[record.position.file].format.delimiter {
      let cells = try CSVText.parse(record.bytes[...], delimiter: delimiter)
      members = try columns?.members(cells) ?? []
    } else {
      guard case .object(let found) = try JSONParser.parse(record.bytes[...]) else {
        throw ExchangeFault("a line has to be a JSON object")
      }
      members = found.compactMap { member in
        guard let name = mapping[member.name] else { return member }
        return name.isEmpty ? nil : JSONNode.Member(name, member.node)
      }
    }
    var fields = RecordFields(
      members: [], isText: files[record.position.file].format.delimiter != nil)
    for member in members {
      switch (member.name, member.node) {
      case ("@entity", .text(let name)): fields.entity = name
      case ("@id", .text(let id)): fields.id = id
      case ("@id", .null), ("@entity", .null): continue
      case ("@id", _), ("@entity", _):
        throw ExchangeFault("“\(member.name)” is a text", key: member.name)
      default: fields.members.append(member)
      }
    }
    return fields
  }

  /// Opens the file at the position, and reads the header of CSV.
  private mutating func begin() throws {
    let file = files[position.file]
    var reader = try LineReader(file.url, offset: 0)
    digest.update(
      "\(file.name)\0\(file.format.delimiter ?? 0)\0\(file.entity ?? "")\0".utf8)
    if let delimiter = file.format.delimiter {
      var bytes: [UInt8] = []
      let start = position
      var isOpen = false
      while true {
        let count = bytes.count
        guard try reader.append(to: &bytes) else { break }
        if CSVText.isOpen(bytes[count...]) { isOpen.toggle() }
        guard isOpen else { break }
        position.line += 1
      }
      digest.update(bytes)
      position.line += 1
      do throws(ExchangeFault) {
        let header = try CSVText.parse(Self.withoutMark(bytes), delimiter: delimiter)
        columns = try CSVColumns(header, mapping: mapping)
      } catch {
        throw error.error(at: place(of: start))
      }
    }
    position.offset = reader.offset
    self.reader = reader
  }

  private mutating func passLine(_ bytes: inout [UInt8]) throws -> Bool {
    let count = bytes.count
    guard let wasRead = try reader?.append(to: &bytes), wasRead else { return false }
    digest.update(bytes[count...])
    position.offset = reader?.offset ?? 0
    position.line += 1
    if position.line == 2, count == 0, files[position.file].format.delimiter == nil {
      bytes = Array(Self.withoutMark(bytes))
    }
    return true
  }

  /// Whether a line has no record. In CSV white space is a cell, so only an empty line has none.
  private static func isBlank(_ bytes: [UInt8], _ format: ExchangeFormat) -> Bool {
    guard format.delimiter != nil else {
      return bytes.allSatisfy { $0 == 32 || 9...13 ~= $0 }
    }
    return bytes.allSatisfy { $0 == 10 || $0 == 13 }
  }

  /// Returns the bytes without a UTF-8 byte order mark.
  private static func withoutMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
  }
}
