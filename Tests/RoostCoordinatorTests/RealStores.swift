// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostInMemory
import RoostLMDB
import RoostModel
import RoostSQLite
import RoostStore

@testable import RoostCoordinator

/// The kinds of stores that these tests run on, and a temporary folder for the files.
final class RealStores: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case minimal, inMemory, lmdb, sqlite
  }

  let folder = FileManager.default.temporaryDirectory
    .appending(path: "roost-\(UUID().uuidString)", directoryHint: .isDirectory)
  let driver = MinimalDriver()

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func description(
    _ kind: Kind, _ name: String, configuration: String? = nil
  ) -> PersistentStoreDescription {
    var description: PersistentStoreDescription
    switch kind {
    case .minimal:
      description = PersistentStoreDescription(type: driver.type, url: Stack.url(name))
    case .inMemory: description = .inMemory(named: folder.lastPathComponent + name)
    case .lmdb: description = .lmdb(at: folder.appending(path: name))
    case .sqlite: description = .sqlite(at: folder.appending(path: name))
    }
    description.configuration = configuration
    return description
  }
}
