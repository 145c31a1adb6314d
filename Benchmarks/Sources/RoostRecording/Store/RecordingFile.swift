// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Synchronization

/// The file of a recording: JSON, one line per call in the order in which they ended, and a last line that marks the
/// end. It contains the data of the program's store, so only its owner may read it.
package final class RecordingFile: Sendable {
  private struct State {
    let handle: FileHandle
    let path: String
    var calls = 0
    var isClosed = false
    /// The first write error; nothing is written after it, because the recording would have a gap.
    var error: (any Error)?
  }

  private let state: Mutex<State>

  /// Creates the file, which only its owner may read.
  ///
  /// - Throws: ``RecordingError`` when it cannot be written.
  package init(_ url: URL) throws {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    let refusal = RecordingError("The recording \(url.path) cannot be written.")
    guard descriptor >= 0 else { throw refusal }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    // An existing file would otherwise keep its permissions; a pipe or a device keeps them in any case.
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw refusal }
    if information.st_mode & S_IFMT == S_IFREG, fchmod(descriptor, 0o600) != 0 { throw refusal }
    state = Mutex(State(handle: handle, path: url.path))
  }

  /// The reason why the recording is incomplete; nil when everything was written.
  package var failure: RecordingError? {
    state.withLock { state in
      state.error.map { RecordingError("The recording \(state.path) is not whole: \($0)") }
    }
  }

  /// Writes the initial content of the store, before the first call.
  func begin(with content: StoreContent, _ schema: StoreSchema, type: String) throws {
    var codes: [String: Int] = [:]
    for entity in schema.entities {
      if let name = entity.name { codes[name] = schema.code(of: entity) }
    }
    let head = RecordingHead(
      storeType: type, model: RecordedModel(schema.model), entityCodes: codes,
      contentLines: content.changes.count)
    try state.withLock { state in
      try Self.write(head, to: state.handle)
      for changes in content.changes { try Self.write(changes, to: state.handle) }
    }
  }

  /// Writes a call.
  func write(
    _ microseconds: Double, _ rows: Int, isWhole: Bool = true,
    _ request: () throws -> RecordedCall.Request
  ) {
    state.withLock { state in
      guard !state.isClosed, state.error == nil else { return }
      do {
        let call = RecordedCall(
          request: try request(), microseconds: microseconds, rows: rows, isWhole: isWhole)
        try Self.write(call, to: state.handle)
        state.calls += 1
      } catch {
        // The program continues; a replay ends at the end of the recording.
        state.error = error
      }
    }
  }

  /// Writes the end. A write error is reported on the standard error: a program that closes its store does not expect
  /// errors of the recording.
  func close() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      do {
        if state.error == nil {
          let end = RecordedCall(request: .end(calls: state.calls), microseconds: 0, rows: 0)
          try Self.write(end, to: state.handle)
        }
        try state.handle.close()
      } catch {
        state.error = state.error ?? error
      }
    }
    if let failure { FileHandle.standardError.write(Data("\(failure)\n".utf8)) }
  }

  private static func write(_ line: some Encodable, to handle: FileHandle) throws {
    try handle.write(contentsOf: Self.line(line))
  }

  /// Encodes a line of the file.
  static func line(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    // JSON cannot represent infinities.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    var data = try encoder.encode(value)
    data.append(UInt8(ascii: "\n"))
    return data
  }
}

/// The content of a store, as saves that would create it.
struct StoreContent {
  private(set) var changes: [RecordedChanges] = []

  init(of store: any PersistentStore, _ schema: StoreSchema) throws {
    var links: [LinkChange] = []
    for entity in schema.entities where !entity.isAbstract {
      let request = ResolvedFetch(entity: entity, entities: [entity])
      guard case .rows(let rows) = try store.fetch(request).content, !rows.isEmpty else { continue }
      for start in stride(from: 0, to: rows.count, by: 10_000) {
        let part = Array(rows[start..<min(start + 10_000, rows.count)])
        changes.append(try RecordedChanges(StoreChangeSet(inserted: part), in: store.identity))
      }
      for table in schema.linkTables where table.relationship.entity.map(entity.isKindOf) == true {
        let keys = rows.map(\.key)
        let found = try store.destinations(of: table.relationship, forSources: keys)
        for (index, source) in keys.enumerated() {
          for place in found.offsets[index]..<found.offsets[index + 1] {
            let position = found.positions.isEmpty ? nil : found.positions[place]
            links.append(
              LinkChange(
                table: table, source: source, destination: found.keys[place],
                kind: .link(position: position, inversePosition: nil)))
          }
        }
      }
    }
    if !links.isEmpty {
      changes.append(try RecordedChanges(StoreChangeSet(links: links), in: store.identity))
    }
  }
}
