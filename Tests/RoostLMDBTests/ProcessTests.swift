// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostLMDB
import RoostModel
import RoostStore
import Testing

#if os(Linux)
import CLMDB
import Glibc

/// Tests with other processes that use the file, and with missing permissions.
@Suite struct ProcessTests {
  /// A child process that runs during the test.
  private final class Program {
    let process = Process()
    private let output = Pipe()

    init(_ arguments: String...) throws {
      process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "CrashWriter")
      process.arguments = arguments
      process.standardOutput = output
      try process.run()
    }

    deinit {
      kill()
    }

    func waitForWords() {
      _ = output.fileHandleForReading.availableData
    }

    func kill() {
      Glibc.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }

    /// Returns the exit status and the output.
    func end() -> (status: Int32, text: String) {
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
  }

  private func place(_ mode: Int = 0o755) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
    return folder
  }

  @Test("a process that was forked is refused, and its parent goes on (reliability 3.9)")
  func fork() throws {
    for store in ["lmdb", "sqlite"] {
      let end = try Program("fork", store, place().appending(path: "ledger").path).end()
      #expect(end.status == 0, "\(store): \(end.text)")
    }
  }

  @Test(
    "a disk that is full refuses a save as a whole; nothing is lost, and it goes on (reliability 3.6)"
  )
  func full() throws {
    let end = try Program("full", "lmdb", place().appending(path: "ledger").path).end()
    #expect(end.status == 0, "\(end.text)")
  }

  @Test("a reader that was killed keeps no page: its place is cleared when a store is opened (3.8)")
  func killedReader() throws {
    let depot = try Depot()
    depot.store.close()
    func deadReaders() -> Int32 {
      var environment: OpaquePointer?
      mdb_env_create(&environment)
      defer { mdb_env_close(environment) }
      precondition(mdb_env_open(environment, depot.path, UInt32(MDB_NOSUBDIR), 0o600) == 0)
      var dead: Int32 = 0
      mdb_reader_check(environment, &dead)
      return dead
    }
    // A process keeps the file open all the time; otherwise LMDB would reset the reader table.
    let keeper = try Program("hold", "lmdb", depot.path)
    keeper.waitForWords()
    for opensStore in [false, true] {
      let reader = try Program("hold", "lmdb", depot.path)
      reader.waitForWords()
      reader.kill()
      if opensStore { try depot.reopen() }
      depot.store.close()
      #expect(deadReaders() == (opensStore ? 0 : 1))
    }
  }

  @Test("a store that another process has open is not destroyed or replaced (B239, B240)")
  func busyElsewhere() throws {
    let path = try place().appending(path: "ledger").path
    let program = try Program("write", "lmdb", path)
    program.waitForWords()
    let driver = PersistentStoreType.lmdb.driver
    #expect(errorCode { try driver.destroy(.lmdb(at: path)) } == .storeBusy)
    let depot = try Depot()
    #expect(
      errorCode { try driver.replace(.lmdb(at: path), with: depot.description) } == .storeBusy)
    program.kill()
    try driver.destroy(.lmdb(at: path))
    #expect(try Data(contentsOf: URL(filePath: path)).isEmpty)
  }

  @Test(
    "a process that was stopped while it wrote is waited for until the time is over (reliability 3.10)"
  )
  func stoppedWriter() throws {
    let path = try place().appending(path: "ledger").path
    let program = try Program("write", "lmdb", path)
    program.waitForWords()
    var description = PersistentStoreDescription.lmdb(at: path)
    description.timeout = 0.2
    let driver = description.type.driver
    var wasBusy = false
    for _ in 0..<200 where !wasBusy {
      Glibc.kill(program.process.processIdentifier, SIGSTOP)
      // A save spends most of its time in the write transaction, so the process is soon stopped there.
      let code = errorCode {
        guard let metadata = try driver.metadata(of: description) else { return }
        try driver.setMetadata(metadata, of: description)
      }
      #expect(code == nil || code == .storeBusy)
      wasBusy = code == .storeBusy
      Glibc.kill(program.process.processIdentifier, SIGCONT)
      usleep(UInt32.random(in: 0...2_000))
    }
    #expect(wasBusy)
    program.kill()
    let metadata = try #require(try driver.metadata(of: description))
    try driver.setMetadata(metadata, of: description)
  }

  @Test("two processes that make a file grow in turn follow each other (reliability 3.7)")
  func growingInTurn() throws {
    let path = try place().appending(path: "ledger").path
    let programs = try (0..<2).map { _ in try Program("grow", "lmdb", path) }
    for program in programs {
      let end = program.end()
      #expect(end.status == 0, "\(end.text)")
    }
  }

  @Test(
    "without the right to read, write or make a file a store is refused, and read where that is allowed",
    .enabled(if: getuid() == 0))
  func rights() throws {
    let cannotOpen = "\(PersistenceError.Code.persistentStoreOpen.rawValue)\n"
    // A folder in which no file can be created.
    let folder = try place()
    let path = folder.appending(path: "ledger").path
    #expect(try Program("nobody", "lmdb", path).end().text == cannotOpen + cannotOpen)
    // A file that only its owner may read.
    let writer = try Program("write", "lmdb", path)
    writer.waitForWords()
    #expect(try Program("nobody", "lmdb", path).end().text == cannotOpen + cannotOpen)
    writer.kill()
    // A file that all users may read, without a lock file, in a read-only folder.
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    try FileManager.default.removeItem(atPath: path + "-lock")
    let text = try Program("nobody", "lmdb", path).end().text
    #expect(text.hasPrefix(cannotOpen + "opened "), "\(text)")
    #expect(!FileManager.default.fileExists(atPath: path + "-lock"))
  }
}
#endif
