// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import Synchronization
import Testing

@testable import RoostStore

@Suite("Hints of the file system")
struct FolderWatchesTests {
  private let folder: String
  private let watches = FolderWatches()

  init() throws {
    folder =
      FileManager.default.temporaryDirectory
      .appending(path: "roost-hints-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func file(_ name: String) throws -> FileHandle {
    let path = "\(folder)/\(name)"
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    return try #require(FileHandle(forWritingAtPath: path))
  }

  private func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// Waits for asynchronous notifications of the system.
  private func expectSoon(_ what: Comment, _ condition: () -> Bool) {
    for _ in 0..<12_000 where !condition() { Thread.sleep(forTimeInterval: 0.005) }
    #expect(condition(), what)
  }

  @Test("writes of the files that are watched are told, and no others (H31)")
  func names() throws {
    defer { remove() }
    let mine = Atomic<Int>(0)
    let both = Atomic<Int>(0)
    let first = watches.begin(folder, ["a"]) { mine.wrappingAdd(1, ordering: .relaxed) }
    let second = watches.begin(folder, ["a", "b"]) { both.wrappingAdd(1, ordering: .relaxed) }
    #expect(watches.counts(of: folder) == (2, 1))
    try file("c").write(contentsOf: Data([1]))
    try file("b").write(contentsOf: Data([1]))
    expectSoon("b is told") { both.load(ordering: .relaxed) > 0 }
    #expect(mine.load(ordering: .relaxed) == 0)
    try file("a").write(contentsOf: Data([1]))
    expectSoon("a is told") { mine.load(ordering: .relaxed) > 0 }
    first.cancel()
    #expect(watches.counts(of: folder) == (1, 1))
    second.cancel()
    // The descriptor exists only while a folder is watched.
    #expect(watches.counts(of: folder) == (0, 0))
  }

  @Test("a folder that is not there has no hints, and leaves nothing behind (H31)")
  func missing() {
    defer { remove() }
    let subscription = watches.begin(folder + "/nowhere", ["a"]) {}
    #expect(watches.counts(of: folder + "/nowhere") == (0, 0))
    subscription.cancel()
  }

  @Test("after a queue of the system that was full everybody is told, and still watched (H34)")
  func overflow() throws {
    defer { remove() }
    let gate = DispatchSemaphore(value: 0)
    let isBlocked = DispatchSemaphore(value: 0)
    let isFirst = Atomic<Bool>(true)
    let blocking = watches.begin(folder, ["blocking"]) {
      guard isFirst.exchange(false, ordering: .relaxed) else { return }
      isBlocked.signal()
      gate.wait()
    }
    _ = try file("quiet")
    let told = Atomic<Int>(0)
    let quiet = watches.begin(folder, ["quiet"]) { told.wrappingAdd(1, ordering: .relaxed) }
    try file("blocking").write(contentsOf: Data([1]))
    isBlocked.wait()
    // Two files in turn, because the system coalesces consecutive equal events.
    let (one, two, last) = (try file("one"), try file("two"), try file("quiet"))
    let limit =
      (try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8))
      .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 16_384
    for _ in 0...(limit / 2 + 10) {
      try one.write(contentsOf: Data([1]))
      try two.write(contentsOf: Data([1]))
    }
    gate.signal()
    expectSoon("who has not been written is told") { told.load(ordering: .relaxed) > 0 }
    let before = told.load(ordering: .relaxed)
    try last.write(contentsOf: Data([1]))
    expectSoon("and is told again") { told.load(ordering: .relaxed) > before }
    withExtendedLifetime((blocking, quiet)) {}
  }

  @Test("a link leads to the folder of the file (H31)")
  func link() throws {
    defer { remove() }
    _ = try file("real")
    let link = folder + "-link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: folder + "/real")
    defer { try? FileManager.default.removeItem(atPath: link) }
    let told = Atomic<Int>(0)
    let hints = FileHints(of: link, suffixes: ["", "-log"], openable: [], hint: .beingWritten)
    let subscription = hints.subscribe { hint in
      #expect(hint == .beingWritten)
      told.wrappingAdd(1, ordering: .relaxed)
    }
    try file("real-log").write(contentsOf: Data([1]))
    expectSoon("it is told") { told.load(ordering: .relaxed) > 0 }
    subscription.cancel()
  }
}
#endif
