// SPDX-License-Identifier: Apache-2.0

import Foundation
import PrivatePostgreSQL
import Roost
import RoostPostgreSQL
import Synchronization
import Testing

@Suite("Crashes of the server", .enabled(if: Servers.canBeStarted), .serialized)
struct ServerCrashTests {
  /// The number of server crashes, from `ROOST_SERVER_KILLS`; 50 by default.
  private static let kills =
    ProcessInfo.processInfo.environment["ROOST_SERVER_KILLS"].flatMap(Int.init) ?? 50

  /// The outcomes that the saving threads know.
  private struct Diary {
    var acknowledged: Set<String> = []
    var refused: Set<String> = []
    var unknown: Set<String> = []
    var isOver = false
  }

  @Test(
    "no acknowledged save is lost, and none is torn, however often the server ends (reliability 3.1)"
  )
  func kill() throws {
    let server = try PrivatePostgreSQL()
    defer { server.stop() }
    let notebook = try Notebook(Servers.description(on: server, timeout: 20))
    let diary = Mutex(Diary())
    let writers = DispatchGroup()
    for writer in 0..<3 {
      writers.enter()
      Thread {
        Self.write(writer, notebook, diary)
        writers.leave()
      }.start()
    }
    for round in 0..<Self.kills {
      usleep(UInt32.random(in: 0...60_000))
      if round % 10 == 9 { try server.kill() } else { try server.restart() }
    }
    diary.withLock { $0.isOver = true }
    writers.wait()
    let left = Set(try notebook.codes())
    let (acknowledged, refused, unknown) = diary.withLock {
      ($0.acknowledged, $0.refused, $0.unknown)
    }
    print(
      "\(Self.kills) ends of the server, \(acknowledged.count) acknowledged saves, "
        + "\(refused.count) refused, \(unknown.count) unknown")
    #expect(acknowledged.count > Self.kills)
    for save in acknowledged {
      #expect(left.contains(save + "a") && left.contains(save + "b"), "\(save) is lost")
    }
    for save in refused {
      #expect(!left.contains(save + "a") && !left.contains(save + "b"), "\(save) is there")
    }
    for save in unknown {
      #expect(left.contains(save + "a") == left.contains(save + "b"), "\(save) is torn")
    }
    #expect(left.count == left.intersection(all(acknowledged.union(unknown))).count)
    try notebook.close()
  }

  private func all(_ saves: Set<String>) -> Set<String> {
    Set(saves.flatMap { [$0 + "a", $0 + "b"] })
  }

  /// Saves pair after pair of notes, and records the outcome of each save.
  private static func write(_ writer: Int, _ notebook: Notebook, _ diary: borrowing Mutex<Diary>) {
    var number = 0
    while !diary.withLock({ $0.isOver }) {
      number += 1
      let save = "\(writer)-\(number)-"
      do {
        try notebook.write(save + "a", save + "b")
        diary.withLock { _ = $0.acknowledged.insert(save) }
      } catch let error as PersistenceError where error.code == .commitOutcomeUnknown {
        diary.withLock { _ = $0.unknown.insert(save) }
      } catch {
        // Nothing reached the server, or it is known that nothing was written.
        diary.withLock { _ = $0.refused.insert(save) }
      }
    }
  }
}
