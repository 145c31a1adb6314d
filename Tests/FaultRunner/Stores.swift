// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostLMDB
import RoostPostgreSQL
import RoostSQLite

/// A store that keeps files, or is kept by a server.
struct StoreKind: Sendable {
  private(set) var name: String
  /// Whether the stores record their transactions, with previous values.
  private(set) var keepsHistory = false
  let type: PersistentStoreType
  /// How long a request waits, in seconds.
  private let timeout: Double
  /// Whether it ends with its folder.
  let isFile: Bool
  /// Whether it is gone with the power.
  private(set) var isLostWithPower = false
  private let make: @Sendable (URL) -> PersistentStoreDescription

  static let all =
    [
      StoreKind(name: "sqlite", type: .sqlite) { .sqlite(at: $0) },
      StoreKind(name: "lmdb", type: .lmdb) { url in
        var description = PersistentStoreDescription.lmdb(at: url)
        // Little room at first: the file grows meanwhile.
        description.options[LMDBOption.initialSize] = .integer(512 << 10)
        return description
      },
    ] + (MessageRelay.shared.isThere ? [postgreSQL] : [])

  /// A file that is written anew with each save.
  private static let binary = StoreKind(name: "binary", type: .binary) { .binary(at: $0) }

  /// A store in the memory of this process. A folder that the power has left is called otherwise.
  static let memory: StoreKind = {
    var kind = StoreKind(name: "memory", type: .inMemory, isFile: false) { url in
      .inMemory(named: url.path(percentEncoded: false))
    }
    kind.isLostWithPower = true
    return kind
  }()

  /// A schema that is called as the folder is. All that is said goes through the relay.
  private static let postgreSQL = StoreKind(
    name: "postgresql", type: .postgresql, timeout: 2, isFile: false
  ) { url in
    let relay = MessageRelay.shared
    let folder = url.deletingLastPathComponent().lastPathComponent
    return .postgresql(
      host: relay.folder, port: relay.port, database: relay.database, user: relay.user,
      schema: folder.replacing("-", with: "_") + "_" + url.lastPathComponent)
  }

  init(
    name: String, type: PersistentStoreType, timeout: Double = 0.05, isFile: Bool = true,
    _ make: @escaping @Sendable (URL) -> PersistentStoreDescription
  ) {
    self.name = name
    self.type = type
    self.timeout = timeout
    self.isFile = isFile
    self.make = make
  }

  /// The kind of a name; with `+history` at its end its stores record their transactions.
  static func named(_ name: String) -> StoreKind? {
    let suffix = "+history"
    guard name.hasSuffix(suffix) else { return (all + [binary]).first { $0.name == name } }
    var kind = named(String(name.dropLast(suffix.count)))
    kind?.name = name
    kind?.keepsHistory = true
    return kind
  }

  /// The store in a folder; requests do not wait long for locks that fail.
  func description(in folder: String, _ file: String = "bank") -> PersistentStoreDescription {
    var description = make(URL(filePath: folder + "/" + file))
    description.timeout = timeout
    if keepsHistory {
      description.options[StoreOption.historyTracking] = .boolean(true)
      description.options[StoreOption.historyLevel] = .string("values")
    }
    return description
  }

  /// Removes what a folder's stores have left elsewhere.
  func remove(_ folder: String) {
    guard !isFile else { return }
    Faults.clear()
    try? type.driver.destroy(description(in: folder))
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
