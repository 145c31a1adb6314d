// SPDX-License-Identifier: Apache-2.0

import FaultShim
import Foundation

/// The recorded operations on the files of a folder, in order.
struct DiskRecord {
  enum Operation {
    /// A file, new or existing, got a number.
    case create(file: UInt64, path: String, wasThere: Bool)
    case write(file: UInt64, offset: Int, bytes: [UInt8], isDurable: Bool)
    case truncate(file: UInt64, size: Int)
    case sync(file: UInt64)
    case rename(String, String)
    case remove(String)
    case makeFolder(String)
    case syncFolder
    case mark(Int64)
  }

  let folder: String
  /// The files that existed at the beginning.
  let initial: [String: [UInt8]]
  private(set) var operations: [Operation] = []

  /// Records the operations of a body on the files of a folder.
  ///
  /// - Parameter body: Receives a function that marks the acknowledgement of a save.
  init(of folder: String, _ body: ((Int64) -> Void) throws -> Void) throws {
    self.folder = folder
    var initial: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where !name.hasSuffix("-shm") && !name.hasSuffix("-lock") {
      let file = URL(filePath: folder + "/" + name)
      guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        continue
      }
      initial[name] = Array(try Data(contentsOf: file))
    }
    self.initial = initial
    fault_record_begin()
    defer { fault_record_end() }
    try body { fault_record_mark(UInt64($0)) }
    fault_record_end()
    operations = read()
  }

  /// Stops recording flushes, as if the store made none.
  static func forgetFlushes() { fault_record_forget_flushes() }

  private func read() -> [Operation] {
    var size = 0
    guard let start = fault_record_bytes(&size) else { return [] }
    let bytes = UnsafeRawBufferPointer(start: start, count: size)
    var operations: [Operation] = []
    var offset = 0
    while offset < size {
      let record = bytes.loadUnaligned(fromByteOffset: offset, as: fault_record.self)
      offset += MemoryLayout<fault_record>.size
      let content = bytes[offset..<offset + Int(record.size)]
      offset += (Int(record.size) + 7) & ~7
      if let operation = operation(record, content) { operations.append(operation) }
    }
    return operations
  }

  private func operation(
    _ record: fault_record, _ bytes: Slice<UnsafeRawBufferPointer>
  ) -> Operation? {
    func name(_ bytes: some Sequence<UInt8>) -> String {
      String(String(decoding: Array(bytes), as: UTF8.self).dropFirst(folder.count + 1))
    }
    switch Int(record.kind) {
    case RECORD_CREATE:
      return .create(file: record.file, path: name(bytes), wasThere: record.is_durable != 0)
    case RECORD_WRITE:
      return .write(
        file: record.file, offset: Int(record.offset), bytes: Array(bytes),
        isDurable: record.is_durable != 0)
    case RECORD_TRUNCATE: return .truncate(file: record.file, size: Int(record.offset))
    case RECORD_SYNC: return .sync(file: record.file)
    case RECORD_RENAME:
      let parts = bytes.split(separator: 0, maxSplits: 1)
      return .rename(name(parts[0]), name(parts[1]))
    case RECORD_REMOVE: return .remove(name(bytes))
    case RECORD_MAKE_FOLDER: return .makeFolder(name(bytes))
    case RECORD_SYNC_FOLDER: return .syncFolder
    case RECORD_MARK: return .mark(Int64(record.offset))
    default: return nil
    }
  }
}
