// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The available engines that this program can measure.
struct EngineCatalogue {
  /// The requested engines that can be measured.
  private(set) var engines: [any Engine] = []
  /// The reasons why other engines are skipped, a sentence each.
  private(set) var notes: [String] = []

  /// Starts the engines.
  ///
  /// - Parameters:
  ///   - kinds: The requested engines; nil for all available ones.
  ///   - folder: The folder for the engines' files.
  ///   - durability: The durability of saves.
  /// - Throws: When an engine that was requested by name cannot be measured.
  init(_ kinds: [StoreKind]?, folder: WorkFolder, durability: Durability) throws {
    for kind in kinds ?? StoreKind.allCases {
      do {
        engines.append(try Self.start(kind, folder, durability))
      } catch let error as BenchError {
        if kinds != nil {
          shutDown()
          throw error
        }
        notes.append("\(kind.title) is left out: \(error)")
      }
    }
  }

  private static func start(
    _ kind: StoreKind, _ folder: WorkFolder, _ durability: Durability
  ) throws -> any Engine {
    switch kind {
    case .sqlite:
      return try SQLiteEngine(folder: folder.folder("sqlite"), durability: durability)
    case .memory:
      return try MemoryEngine(durability: durability)
    case .lmdb:
      return try LMDBEngine(folder: folder.folder("lmdb"), durability: durability)
    case .postgresql:
      return try PostgreSQLEngine(durability: durability)
    }
  }

  /// Opens the engine of a parent process.
  static func reopen(_ kind: StoreKind, place address: String) throws -> any Engine {
    let place = URL(filePath: address)
    switch kind {
    case .sqlite: return try SQLiteEngine(folder: place, durability: .full)
    case .memory: return try MemoryEngine(durability: .full)
    case .lmdb: return try LMDBEngine(folder: place, durability: .full)
    case .postgresql: return try PostgreSQLEngine(place: address)
    }
  }

  func shutDown() {
    for engine in engines { engine.shutDown() }
  }
}
