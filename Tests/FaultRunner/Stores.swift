// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostLMDB
import RoostSQLite

/// A store that keeps files.
struct StoreKind: Sendable {
  let name: String
  let type: PersistentStoreType
  private let make: @Sendable (URL) -> PersistentStoreDescription

  static let all = [
    StoreKind(name: "sqlite", type: .sqlite) { .sqlite(at: $0) },
    StoreKind(name: "lmdb", type: .lmdb) { url in
      var description = PersistentStoreDescription.lmdb(at: url)
      // Little room at first: the file grows meanwhile.
      description.options[LMDBOption.initialSize] = .integer(512 << 10)
      return description
    },
  ]

  init(
    name: String, type: PersistentStoreType,
    _ make: @escaping @Sendable (URL) -> PersistentStoreDescription
  ) {
    self.name = name
    self.type = type
    self.make = make
  }

  /// The store in a folder; requests do not wait long for locks that fail.
  func description(in folder: String, _ file: String = "bank") -> PersistentStoreDescription {
    var description = make(URL(filePath: folder + "/" + file))
    description.timeout = 0.05
    return description
  }
}

/// A folder that is there while a body runs, and watched.
enum WatchedFolder {
  static func with<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-faults-\(UUID().uuidString)").path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer {
      Faults.clear()
      Faults.watch("")
      try? FileManager.default.removeItem(atPath: folder)
    }
    Faults.watch(folder)
    return try body(folder)
  }
}

/// Words on the standard output, one line at a time and at once.
enum Terminal {
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
