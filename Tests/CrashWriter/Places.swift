// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import Roost

/// Uses of a store that are forbidden or impossible, in a separate process, because tests must not try them in their
/// own.
enum Places {
  private static func save(_ number: Int64, _ context: ManagedObjectContext, size: Int = 0) throws {
    let parcel = Parcel(context: context)
    parcel.number = number
    if size > 0 {
      let piece = Piece(context: context)
      piece.code = "\(number)"
      piece.content = Data(repeating: 1, count: size)
      piece.parcel = parcel
    }
    try context.save()
  }

  private static func require(_ truth: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard truth else { throw Inspection.Finding(description: otherwise()) }
  }

  /// Checks that a child process, forked from one with an open store, is refused every request, and does not disturb
  /// the parent's store.
  static func fork(_ kind: StoreKind, _ url: URL) throws {
    let container = try kind.open(at: url)
    let context = container.newBackgroundContext()
    try save(1, context)
    // Swift does not import `fork`, for good reasons.
    guard let symbol = dlsym(nil, "fork") else { throw Inspection.Finding(description: "no fork") }
    typealias Fork = @convention(c) () -> Int32
    let child = unsafeBitCast(symbol, to: Fork.self)()
    if child == 0 {
      var codes: [PersistenceError.Code?] = []
      for body in [
        { _ = try context.count(for: Parcel.fetchRequest()) }, { try save(2, context) },
      ] {
        do {
          try body()
          codes.append(nil)
        } catch {
          codes.append((error as? PersistenceError)?.code)
        }
      }
      _exit(codes == [.persistentStoreOperation, .persistentStoreOperation] ? 0 : 9)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    try require(status == 0, "the child of a fork was not refused: \(status)")
    try save(3, context)
    let numbers = try context.fetch(Parcel.fetchRequest()).map(\.number).sorted()
    try require(numbers == [1, 3], "the parent has \(numbers)")
  }

  /// Limits the file size: a save that needs more space fails as a whole, and saves succeed again without the limit.
  static func full(_ kind: StoreKind, _ url: URL) throws {
    let container = try kind.open(at: url)
    let context = container.newBackgroundContext()
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 2 << 20, rlim_max: .max)
    #if os(Linux)
    let resource = __rlimit_resource_t(1)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    try require(setrlimit(resource, &limit) == 0, "no limit can be set")
    var saved: Int64 = 0
    for round in 0..<3 {
      while true {
        do {
          try save(saved + 1, context, size: 40_000)
          saved += 1
        } catch let error as PersistenceError where error.code == .storeFull {
          context.reset()
          break
        }
        try require(saved < 10_000, "the file grew beyond its limit")
      }
      let other = container.newBackgroundContext()
      let numbers = try other.fetch(Parcel.fetchRequest()).map(\.number).sorted()
      try require(numbers == Array(1..<(saved + 1)), "of \(saved) saves there are \(numbers)")
      limit.rlim_cur = rlim_t((4 + 2 * round) << 20)
      try require(setrlimit(resource, &limit) == 0, "the limit cannot be raised")
    }
    Terminal.say("\(saved)")
  }

  /// Saves a lot, as another process does at the same time, so that the file grows while both have it open.
  static func grow(_ kind: StoreKind, _ url: URL) throws {
    let container = try kind.open(at: url)
    let context = container.newBackgroundContext()
    let name = Int64(getpid()) * 1_000
    for round in 1...40 as ClosedRange<Int64> {
      try save(name + round, context, size: 100_000)
      let count = try container.newBackgroundContext().count(for: Parcel.fetchRequest())
      try require(count >= round, "of \(round) saves there are \(count)")
    }
  }

  /// Opens a store as an unprivileged user, for reading and writing and then for reading only.
  static func nobody(_ kind: StoreKind, _ url: URL) {
    setgid(65_534)
    setuid(65_534)
    for isReadOnly in [false, true] {
      do {
        var description = try kind.describe(url)
        description.isReadOnly = isReadOnly
        let container = try kind.open(description)
        let count = try container.newBackgroundContext().count(for: Parcel.fetchRequest())
        Terminal.say("opened \(count)")
      } catch let error as PersistenceError {
        Terminal.say("\(error.code.rawValue)")
      } catch {
        Terminal.say("\(error)")
      }
    }
  }

  /// Reads an LMDB file in a transaction that stays open until the process is killed.
  static func hold(_ path: String) {
    var environment: OpaquePointer?
    var transaction: OpaquePointer?
    mdb_env_create(&environment)
    guard mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o600) == 0,
      mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction) == 0
    else { exit(1) }
    Terminal.say("reading")
    while true { sleep(60) }
  }
}
