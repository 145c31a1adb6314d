// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQLite
import RoostStore
import Testing

/// Tests with stores that Apple's Core Data wrote, copied before they are used.
@Suite("Core Data's own files", .enabled(if: CoreDataFiles.arePresent, "no fixtures"))
struct CoreDataFileTests {
  @Test("a store of Core Data's is refused by that name, and is left as it is (I7, B241)")
  func refused() throws {
    for file in try CoreDataFiles.copies() {
      let before = try Data(contentsOf: file)
      for isReadOnly in [false, true] {
        var description = PersistentStoreDescription.sqlite(at: file)
        description.isReadOnly = isReadOnly
        let error = #expect(throws: PersistenceError.self) {
          try description.type.driver.open(description)
        }
        #expect(error?.code == .persistentStoreTypeMismatch)
        #expect(error?.message.contains("Core Data") == true, "\(error as Any)")
      }
      #expect(try Data(contentsOf: file) == before, "\(file.lastPathComponent)")
    }
  }
}

/// The stores among the fixtures.
enum CoreDataFiles {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["ROOST_FIXTURES"] {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    return URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../shared/fixtures/", directoryHint: .isDirectory
    ).standardizedFileURL
  }()

  static var arePresent: Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "stores").path)
  }

  /// Copies all stores without a WAL to a new folder.
  static func copies() throws -> [URL] {
    let source = folder.appending(path: "stores")
    let names = FileManager.default.enumerator(atPath: source.path)?.compactMap { $0 as? String }
    let place = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID())")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    var copies: [URL] = []
    for name in (names ?? []).sorted() {
      let file = source.appending(path: name)
      let handle = try? FileHandle(forReadingFrom: file)
      guard let start = try? handle?.read(upToCount: 16), start == Data("SQLite format 3\0".utf8),
        !FileManager.default.fileExists(atPath: file.path + "-wal")
      else { continue }
      let copy = place.appending(path: "\(copies.count)-\(file.lastPathComponent)")
      try FileManager.default.copyItem(at: file, to: copy)
      copies.append(copy)
    }
    return copies
  }
}
