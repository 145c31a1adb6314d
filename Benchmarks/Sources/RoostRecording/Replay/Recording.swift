// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Roost
import Synchronization

/// Replays the recorded requests of a program on another store.
///
/// ```swift
/// let report = try Recording.replay(URL(filePath: "hr.roostrec"), on: .sqlite(at: "replayed.sqlite"))
/// ```
public enum Recording {
  /// Fills a store with the content of the recorded one, and makes the recorded calls, one after the other.
  ///
  /// - Parameters:
  ///   - file: A recording that ``PersistentStoreDescription/recorded(to:)`` wrote.
  ///   - description: An empty store, of any type.
  ///   - isCancelled: Called before each call; when it returns `true`, the replay ends there, and its report says so.
  /// - Throws: ``RecordingError`` for a file that is not a recording, uses names that its model does not have, or was
  ///   cut off before its first call; and any error of the store.
  public static func replay(
    _ file: URL, on description: PersistentStoreDescription,
    isCancelled: () -> Bool = { false }
  ) throws -> ReplayReport {
    let reader = try RecordingReader(file)
    guard let head = try reader.next(RecordingHead.self) else {
      throw RecordingError("\(file.path) is empty, or was cut off in its first line.")
    }
    guard head.format == RecordingHead.currentFormat else {
      throw RecordingError("\(file.path) has the format \(head.format), which is unknown.")
    }
    guard head.contentLines >= 0 else {
      throw RecordingError("\(file.path) has \(head.contentLines) lines of content.")
    }
    let target = Mutex<ForwardingStore?>(nil)
    let coordinator = try PersistentStoreCoordinator(
      managedObjectModel: head.model.makeModel())
    let attached = try coordinator.addPersistentStore(
      with: description.forwarded { base in
        let store = ForwardingStore(base)
        target.withLock { $0 = store }
        return store
      })
    defer { try? coordinator.remove(attached) }
    guard let store = target.withLock({ $0 }), let schema = store.schema else {
      throw RecordingError("The store was not prepared.")
    }
    var replay = Replay(store: store, names: ReplayNames(head, schema: schema, store: store))
    replay.report.recordedStoreType = head.storeType
    for number in 0..<head.contentLines {
      if isCancelled() { break }
      guard let content = try reader.next(RecordedChanges.self) else {
        throw RecordingError(
          "\(file.path) was cut off: \(number) of \(head.contentLines) lines of content are there.")
      }
      try replay.fill(content)
    }
    while !isCancelled() {
      guard let call = try reader.next(RecordedCall.self) else { return replay.report }
      try replay.play(call)
    }
    replay.report.isInterrupted = true
    return replay.report
  }
}
