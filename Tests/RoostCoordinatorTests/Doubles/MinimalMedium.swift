// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// The storage of a ``MinimalStore``: it outlives the store, as a file would.
final class MinimalMedium: Sendable {
  struct Link: Hashable {
    var table: String
    var source: Int64
    var destination: Int64
  }

  struct Positions {
    var position: Int64?
    var inversePosition: Int64?
  }

  struct Content {
    var metadata: StoreMetadata
    var rows: [Int64: Row] = [:]
    var links: [Link: Positions] = [:]
    var lastSequence: Int64 = 0
  }

  let content: Mutex<Content>

  init(type: String) {
    content = Mutex(Content(metadata: StoreMetadata(storeType: type)))
  }

  func copy() -> MinimalMedium {
    let copied = content.withLock { $0 }
    let medium = MinimalMedium(type: copied.metadata.storeType)
    medium.content.withLock { $0 = copied }
    return medium
  }
}

/// The media of one test by location, and the failures that tests inject.
final class MinimalDriver: PersistentStoreDriver {
  let typeName: String
  let media = Mutex<[String: MinimalMedium]>([:])
  let stores = Mutex<[MinimalStore]>([])
  /// Thrown by the next `prepare`.
  let prepareFailure = Mutex<PersistenceError?>(nil)
  /// Whether stores that are opened from now on refuse their first commit.
  let failsCommits = Mutex(false)
  /// Runs before the next store is opened.
  let duringOpen = Mutex(Interlude())

  struct Interlude {
    var body: (@Sendable () -> Void)?
  }

  init(typeName: String = "Minimal") {
    self.typeName = typeName
  }

  var type: PersistentStoreType { PersistentStoreType(rawValue: typeName, driver: self) }

  private func place(_ description: PersistentStoreDescription) -> String? {
    description.url?.path
  }

  func open(_ description: PersistentStoreDescription) throws -> any PersistentStore {
    let during = duringOpen.withLock { interlude in
      defer { interlude.body = nil }
      return interlude.body
    }
    during?()
    let medium: MinimalMedium
    if let place = place(description) {
      medium = media.withLock { media in
        if let known = media[place] { return known }
        let new = MinimalMedium(type: typeName)
        media[place] = new
        return new
      }
    } else {
      medium = MinimalMedium(type: typeName)
    }
    let failure = prepareFailure.withLock { failure in
      defer { failure = nil }
      return failure
    }
    let store = MinimalStore(
      medium: medium, description: description, type: typeName, prepareFailure: failure)
    if failsCommits.withLock({ $0 }) {
      store.script.withLock { $0.commitFailure = PersistenceError(.storeFull, "Full.") }
    }
    stores.withLock { $0.append(store) }
    return store
  }

  func metadata(of description: PersistentStoreDescription) throws -> StoreMetadata? {
    guard let place = place(description) else { return nil }
    return media.withLock { $0[place] }?.content.withLock { $0.metadata }
  }

  func setMetadata(
    _ metadata: StoreMetadata, of description: PersistentStoreDescription
  ) throws {
    guard let place = place(description), let medium = media.withLock({ $0[place] }) else {
      throw PersistenceError(.persistentStoreOpen, "There is no store.")
    }
    medium.content.withLock { $0.metadata = metadata }
  }

  func destroy(_ description: PersistentStoreDescription) throws {
    guard let place = place(description) else { return }
    media.withLock { $0[place] = nil }
  }

  func replace(
    _ destination: PersistentStoreDescription, with source: PersistentStoreDescription
  ) throws {
    guard let from = place(source), let to = place(destination),
      let medium = media.withLock({ $0[from] })
    else { throw PersistenceError(.persistentStoreOpen, "There is no store.") }
    media.withLock { $0[to] = medium.copy() }
  }
}
