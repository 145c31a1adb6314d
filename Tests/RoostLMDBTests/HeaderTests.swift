// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostLMDB

/// Tests of the two meta pages at the beginning of a file, which LMDB uses alternately.
@Suite struct HeaderTests {
  private struct Page {
    var transaction: UInt64
    var lastPage: UInt64
    var mapSize: UInt64 = 1 << 20
  }

  private static let pageSize = 4_096

  /// Reads the header of a file with these pages and this size.
  private func header(_ pages: [Page], size: Int) throws -> LMDBHeader {
    var bytes = [UInt8](repeating: 0, count: pages.count * Self.pageSize)
    for (index, page) in pages.enumerated() {
      func put<T: FixedWidthInteger>(_ number: T, at offset: Int) {
        withUnsafeBytes(of: number) { number in
          for (place, byte) in number.enumerated() {
            bytes[index * Self.pageSize + offset + place] = byte
          }
        }
      }
      put(UInt16(0x08), at: 10)
      put(UInt32(0xBEEF_C0DE), at: 16)
      put(UInt32(1), at: 20)
      put(page.mapSize, at: 32)
      put(UInt32(Self.pageSize), at: 40)
      put(page.lastPage, at: 136)
      put(page.transaction, at: 144)
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID().uuidString)")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    return try LMDBHeader(of: handle.fileDescriptor, size: size)
  }

  @Test("the page that was written last counts, whichever of the two it is (reliability 3.11)")
  func latest() throws {
    let (old, new) = (
      Page(transaction: 7, lastPage: 3), Page(transaction: 8, lastPage: 9, mapSize: 2 << 20)
    )
    for pages in [[old, new], [new, old]] {
      let header = try header(pages, size: 1 << 20)
      #expect(header.neededSize == 10 * Self.pageSize)
      #expect(header.mapSize == 2 << 20)
    }
  }

  @Test("a file that is shorter than it says is damaged, by as little as a byte (reliability 3.11)")
  func short() throws {
    let pages = [Page(transaction: 4, lastPage: 9), Page(transaction: 3, lastPage: 20)]
    #expect(try header(pages, size: 10 * Self.pageSize).neededSize == 10 * Self.pageSize)
    #expect(errorCode { _ = try header(pages, size: 10 * Self.pageSize - 1) } == .corruptStore)
  }

  @Test("a number of a transaction that no file can have reached is damage (reliability 3.11)")
  func largeNumbers() throws {
    func code(_ transaction: UInt64) -> PersistenceError.Code? {
      errorCode {
        _ = try header(
          [Page(transaction: transaction, lastPage: 2), Page(transaction: 1, lastPage: 2)],
          size: 1 << 20)
      }
    }
    #expect(code(1 << 62) == nil)
    #expect(code(1 << 62 + 1) == .corruptStore)
    #expect(code(.max) == .corruptStore)
  }
}
