// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore

/// Where a store's file is.
struct LMDBLocation: Hashable, Sendable {
  /// The absolute path without links: the lock file stands beside it.
  let path: String

  /// The location that a URL names.
  ///
  /// - Throws: `persistentStoreOpen` for anything but a path of a file.
  init(_ url: URL?) throws {
    guard let url else {
      throw PersistenceError(.persistentStoreOpen, "An LMDB store needs the URL of its file.")
    }
    guard url.isFileURL else {
      throw PersistenceError(
        .persistentStoreOpen, "An LMDB store needs the URL of a file, not of another scheme.")
    }
    let plain = url.path(percentEncoded: false)
    guard !plain.isEmpty, !plain.utf8.contains(0) else {
      throw PersistenceError(.persistentStoreOpen, "The path is empty or has a NUL character.")
    }
    path = StoreFilePath.resolved(plain)
  }

  /// The file with LMDB's locks and its reader table.
  var lockPath: String { path + "-lock" }

  /// The folder of the file.
  var folder: String {
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }

  /// Returns an unused path beside the file.
  func temporaryPath() -> String {
    "\(folder)/\(temporaryPrefix)\(UUID().uuidString)"
  }

  private var temporaryPrefix: String {
    ".\((path as NSString).lastPathComponent.prefix(100)).roost-"
  }

  /// Removes the folders of processes that were killed while they created the file. The caller excludes others.
  func removeAbandonedFolders() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(temporaryPrefix) {
      // Another name that begins alike is not one of these folders.
      guard UUID(uuidString: String(name.dropFirst(temporaryPrefix.count))) != nil else { continue }
      let path = "\(folder)/\(name)"
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
      else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// Returns the status of the file; nil when there is none.
  ///
  /// - Throws: The system's error when the status cannot be read: an unreadable file is not a missing one, in whose
  ///   place another may be created.
  func status() throws -> FileStatus? {
    var status = stat()
    guard stat(path, &status) != 0 else { return FileStatus(status) }
    guard errno == ENOENT || errno == ENOTDIR else { throw LMDBError.system("look at the file") }
    return nil
  }

  /// Returns the identity and the size of the file at the path; nil when there is none. It is called for every save:
  /// unlike ``status()`` it does not make the save's flush write more.
  func place() -> (identity: FileIdentity, size: Int)? {
    var place = roost_place()
    guard roost_find(path, &place) != 0 else { return nil }
    return (FileIdentity(device: place.device, inode: place.inode), Int(place.size))
  }

  /// Calls `body` with the descriptor of a file or folder; a file that is created is readable only by its owner.
  static func withDescriptor<Result>(
    _ path: String, _ flags: Int32, _ body: (Int32) throws -> Result
  ) throws -> Result {
    let descriptor = open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LMDBError.system("open the file or folder") }
    defer { close(descriptor) }
    return try body(descriptor)
  }

  /// Calls `body` while other processes are kept from creating files in the folder.
  func withFolderLocked<Result>(
    timeout: TimeInterval, _ body: () throws -> Result
  ) throws -> Result {
    try LMDBLocation.withDescriptor(folder, O_RDONLY) { descriptor in
      // Closing it ends the lock.
      try FileLock.take(descriptor, LOCK_EX, timeout: timeout)
      return try body()
    }
  }
}

/// The identity of a file, its size, and the time of its last change.
struct FileStatus: Equatable {
  let identity: FileIdentity
  let size: Int
  let isRegular: Bool
  /// The number of names that the file has.
  let linkCount: Int
  private let seconds: Int
  private let nanoseconds: Int

  init(_ status: stat) {
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
    identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    size = Int(status.st_size)
    isRegular = status.st_mode & S_IFMT == S_IFREG
    linkCount = Int(status.st_nlink)
  }

  /// The status of an open file.
  init(of descriptor: Int32) throws {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw LMDBError.system("look at the file") }
    self.init(status)
  }
}

/// A file, however its path is spelled.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
}

/// `flock` locks, which end with the descriptor: they say who uses a file, and do not interfere with LMDB's own
/// locks.
enum FileLock {
  /// Takes a shared or exclusive lock.
  ///
  /// - Parameters:
  ///   - cancellation: Ends the wait.
  ///   - reason: The error message when the lock is still held at the timeout.
  /// - Throws: `storeBusy` at the timeout; `userCancelled`.
  static func take(
    _ descriptor: Int32, _ kind: Int32, timeout: TimeInterval,
    _ cancellation: RequestCancellation? = nil,
    orSay reason: String = "The store is open elsewhere."
  ) throws {
    let deadline = Deadline(after: timeout)
    while flock(descriptor, kind | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        // The file system has no locks: only LMDB's own remain.
        if errno == ENOLCK || errno == EOPNOTSUPP { return }
        throw LMDBError.system("lock the file")
      }
      guard !deadline.isOver else {
        throw PersistenceError(.storeBusy, reason)
      }
      try cancellation.check()
      Thread.sleep(forTimeInterval: Double.random(in: 0.000_5...0.005))
    }
  }
}
