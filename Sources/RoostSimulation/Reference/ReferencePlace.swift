// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostStore
import Synchronization

/// The content of a ``ReferenceStore``: one value, replaced as a whole by each commit.
final class ReferencePlace: Sendable {
  /// The whole content.
  struct Content: Sendable {
    var metadata: StoreMetadata
    var nextSequence: Int64 = 1
    var commitCount = 0
    var records: [Int64: ReferenceRecord] = [:]
    /// The links of each table, by the table's name.
    var links: [String: [ReferenceLink: ReferenceLink.Positions]] = [:]
    /// The references to other stores; the number of a reference is its position, from 1 on.
    var foreign: [ForeignReference] = []
  }

  private let state: Mutex<Content>

  init(_ metadata: StoreMetadata) {
    state = Mutex(Content(metadata: metadata))
  }

  /// The current content.
  var content: Content { state.withLock { $0 } }

  /// Changes the content atomically.
  func change<Result: Sendable>(
    _ body: (inout Content) throws -> Result
  ) rethrows -> Result {
    try state.withLock { content in try body(&content) }
  }

  // MARK: - Users

  private struct WeakSession {
    weak var session: ReferenceSession?
  }

  private let sessions = Mutex<[WeakSession]>([])

  /// Registers a store that uses the place until its session ends.
  func use(_ session: ReferenceSession) {
    sessions.withLock { sessions in
      sessions.removeAll { $0.session == nil }
      sessions.append(WeakSession(session: session))
    }
  }

  /// Whether a store uses the place.
  var isInUse: Bool {
    sessions.withLock { $0.contains { $0.session?.isOpen == true } }
  }

  // MARK: - Places by name

  private static let places = Mutex<[String: ReferencePlace]>([:])

  /// Returns the place at a URL, which is created when needed. A place without a URL is private.
  static func place(at url: URL?, type: String) -> ReferencePlace {
    guard let url else { return ReferencePlace(StoreMetadata(storeType: type)) }
    return places.withLock { places in
      if let known = places[url.absoluteString] { return known }
      let place = ReferencePlace(StoreMetadata(storeType: type))
      places[url.absoluteString] = place
      return place
    }
  }

  /// The place at a URL; nil when there is none.
  static func existingPlace(at url: URL?) -> ReferencePlace? {
    guard let url else { return nil }
    return places.withLock { $0[url.absoluteString] }
  }

  /// Puts a place at a URL, or removes the existing one.
  static func put(_ place: ReferencePlace?, at url: URL?) {
    guard let url else { return }
    places.withLock { $0[url.absoluteString] = place }
  }
}

/// A stored record: values by the names of their slots, so that it outlives the model that wrote it.
struct ReferenceRecord: Sendable {
  var version: Int64
  var values: [String: Value]

  init(_ row: Row) {
    version = row.version
    values = [:]
    for slot in row.layout.storedSlots where !row.isNull(slot) {
      values[row.layout.names[slot.index]] = row.value(at: slot)
    }
  }

  /// The record as a row of a model's layout; nil when the model has no entity for it. Throws when a value is of
  /// another type than the model's attribute.
  func row(key: Int64, in schema: StoreSchema) throws -> Row? {
    guard let layout = schema.layout(ofKey: key) else { return nil }
    let row = Row(layout: layout, key: key, version: version)
    for slot in layout.storedSlots {
      if let value = values[layout.names[slot.index]] { try row.setValue(value, at: slot) }
    }
    return row
  }
}

/// One link of a to-many relationship without a to-one side.
struct ReferenceLink: Sendable, Hashable {
  var source: Int64
  var destination: Int64

  /// The positions of the link among those of its source, and of its destination.
  struct Positions: Sendable {
    var forward: Int64?
    var backward: Int64?
  }
}
