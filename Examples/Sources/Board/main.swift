// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Roost
import RoostCommandLine

let file = CommandOption<String>(
  "--file", "FILE", "The store; without it one is made, and a second process writes to it.")
let changes = CommandOption<Int>(
  "--write", "COUNT", "Writes so many changes to the store instead of showing it.", in: 1...100_000)

let board = Command(
  "board", "Shows departures, while another process changes them.", parameters: [file, changes]
) { parsed, _ in
  if let path = parsed[file] {
    let container = try Station.open(URL(filePath: path))
    if let count = parsed[changes] {
      try Dispatcher(container: container).work(changes: count)
    } else {
      try waiting { try await Board(container: container).show() }
    }
    return
  }
  try demonstrate(changes: parsed[changes] ?? 40)
}

/// Shows the board of a new store, and has a second process write to it until the end of the day.
@Sendable func demonstrate(changes: Int) throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: "board-\(UUID())")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let store = folder.appending(path: "station.sqlite")
  let container = try Station.open(store)
  let writer = Process()
  writer.executableURL = URL(filePath: CommandLine.arguments[0])
  writer.arguments = ["--file", store.path, "--write", "\(changes)"]
  try writer.run()
  try waiting {
    try await Board(container: container).show { $0.first?.minute == 0 }
  }
  writer.waitUntilExit()
  guard writer.terminationStatus == 0 else {
    throw CommandFailure("The process that writes ended with \(writer.terminationStatus).")
  }
}

/// Runs asynchronous work and waits for it: a command has its own thread.
@Sendable func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
  let done = DispatchSemaphore(value: 0)
  // Written before the signal and read after it.
  nonisolated(unsafe) var failure: (any Error)?
  Task.detached {
    do { try await body() } catch { failure = error }
    done.signal()
  }
  done.wait()
  if let failure { throw failure }
}

exit(CommandProgram(board).run(Array(CommandLine.arguments.dropFirst()), .standard))
