// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Synchronization

/// The binary stores that are open in this process: a second opening shares its tables.
final class BinaryFiles: Sendable {
  static let shared = BinaryFiles()

  private let places = Mutex<[String: Place]>([:])

  /// One location, and the file that is open there.
  // `file` and `users` are used while `access` is held, `visitors` while the lock on all places is.
  private final class Place: @unchecked Sendable {
    let access = NSLock()
    var file: BinaryFile?
    /// The number of stores that use the file.
    var users = 0
    /// The number of these that may write it.
    var writers = 0
    /// The number of threads that use the place, or wait for it.
    var visitors = 0

    /// The open file, if it is the store's and this process opened it.
    var current: BinaryFile? {
      guard let file, file.isOfThisProcess, file.isCurrent, !file.mayBeReplaced else { return nil }
      return file
    }
  }

  /// Opens a file, or returns the one that is already open. A file that another process has replaced since it was
  /// opened for reading is left to its users, and the new one is opened.
  ///
  /// - Throws: `storeBusy` when another process keeps the file from being read or written, and what reading it throws.
  func take(_ location: BinaryLocation, isReadOnly: Bool, timeout: Double) throws -> BinaryFile {
    try with(location) { place in
      if let known = place.current {
        let isTaken =
          try isReadOnly || place.writers > 0 || known.lockForWriting(timeout: timeout)
        if isTaken {
          place.users += 1
          place.writers += isReadOnly ? 0 : 1
          return known
        }
      }
      let file = try BinaryFile(location, isReadOnly: isReadOnly, timeout: timeout)
      place.file = file
      place.users = 1
      place.writers = isReadOnly ? 0 : 1
      return file
    }
  }

  /// Ends one use of a file, as it was taken. Other processes may read the file again when its last writer is gone.
  func release(_ file: BinaryFile, isReadOnly: Bool) {
    with(file.location) { place in
      guard place.file === file else { return file.close() }
      place.users -= 1
      guard place.users > 0 else {
        place.file = nil
        place.writers = 0
        return file.close()
      }
      guard !isReadOnly else { return }
      place.writers -= 1
      // A forked process shares the lock with the one that opened the file.
      if place.writers == 0, file.isOfThisProcess { file.lockForReading() }
    }
  }

  /// The state of a store that is open here.
  func version(at location: BinaryLocation) -> MemoryVersion? {
    with(location) { $0.current?.tables.version }
  }

  /// The bytes that the file of a store that is open here would have.
  func bytes(at location: BinaryLocation) throws -> [UInt8]? {
    try with(location) { try $0.current?.bytes() }
  }

  /// Calls `body` while this process does not open the file.
  ///
  /// - Throws: `storeBusy` when the store is open and its use is not forced.
  func alone(
    _ location: BinaryLocation, isForced: Bool, _ body: () throws -> Void
  ) throws {
    try with(location) { place in
      guard place.file?.isOfThisProcess != true || isForced else {
        throw PersistenceError(.storeBusy, "The store is open in this process.")
      }
      place.file = nil
      place.users = 0
      place.writers = 0
      try body()
    }
  }

  /// Runs `body` with exclusive access to one location.
  private func with<Result>(
    _ location: BinaryLocation, _ body: (Place) throws -> Result
  ) rethrows -> Result {
    let path = location.path
    let place = places.withLock { places in
      let place = places[path] ?? Place()
      place.visitors += 1
      places[path] = place
      return place
    }
    defer {
      places.withLock { places in
        place.visitors -= 1
        if place.visitors == 0, place.file == nil { places[path] = nil }
      }
    }
    place.access.lock()
    defer { place.access.unlock() }
    return try body(place)
  }
}
