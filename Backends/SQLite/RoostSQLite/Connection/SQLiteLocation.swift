// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The location of a database.
enum SQLiteLocation: Hashable, Sendable {
  /// A file, by its absolute path without links: the log stands beside it.
  case file(String)
  /// Memory that lives as long as its one connection; as in Core Data, its path is `/dev/null`.
  case memory

  /// Creates the location of a URL.
  ///
  /// - Throws: `persistentStoreOpen` for any URL but the path of a file.
  init(_ url: URL?) throws {
    guard let url else {
      throw PersistenceError(.persistentStoreOpen, "A SQLite store needs the URL of its file.")
    }
    guard url.isFileURL else {
      throw PersistenceError(
        .persistentStoreOpen, "A SQLite store needs the URL of a file, not of another scheme.")
    }
    let path = url.path(percentEncoded: false)
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw PersistenceError(.persistentStoreOpen, "The path is empty or has a NUL character.")
    }
    if path == "/dev/null" {
      self = .memory
    } else {
      self = .file(StoreFilePath.resolved(path))
    }
  }

  /// The name for `sqlite3_open_v2` without `SQLITE_OPEN_URI`: no character has a special meaning. An absolute path
  /// cannot be taken for `:memory:` or a temporary file.
  var openName: String {
    switch self {
    case .file(let path): path.hasPrefix("/") ? path : "./" + path
    case .memory: ":memory:"
    }
  }

  /// The name for `sqlite3_open_v2` with `SQLITE_OPEN_URI`, for an immutable file.
  var immutableURI: String {
    var text = "file:"
    for byte in openName.utf8 {
      let isPlain =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || (UInt8(ascii: "-")...UInt8(ascii: "9")).contains(byte)
      text += isPlain ? String(UnicodeScalar(byte)) : "%" + hexadecimal(byte)
    }
    return text + "?immutable=1"
  }

  private func hexadecimal(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16, uppercase: true)
    return text.count == 1 ? "0" + text : text
  }

  /// The path of the file; nil for memory.
  var path: String? {
    if case .file(let path) = self { return path }
    return nil
  }

  /// Whether the process has the permission to write the file.
  var mayBeWritten: Bool {
    path.map { access($0, W_OK) == 0 } ?? true
  }

  /// The write-ahead log beside the database.
  var logPath: String? { path.map { $0 + "-wal" } }

  /// The index of the write-ahead log.
  var indexPath: String? { path.map { $0 + "-shm" } }

  /// The files that SQLite keeps beside the database.
  var sideFiles: [String] {
    [logPath, indexPath, path.map { $0 + "-journal" }].compactMap(\.self)
  }
}

// MARK: - The file itself

extension SQLiteLocation {
  /// Returns the device and inode of the file, however its path is spelled; nil when there is none.
  func fileIdentity() -> FileIdentity? {
    guard let path else { return nil }
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// Returns the status of the file; nil when there is none.
  func fileStatus() -> (identity: FileIdentity, size: Int, isRegular: Bool)? {
    guard let path else { return nil }
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    return (identity, Int(status.st_size), status.st_mode & S_IFMT == S_IFREG)
  }

  /// Refuses a folder, a device or a pipe.
  ///
  /// - Throws: `persistentStoreOpen`.
  func requireFile() throws {
    guard let status = fileStatus(), !status.isRegular else { return }
    throw PersistenceError(.persistentStoreOpen, "There is something else than a file.")
  }

  /// Refuses a file that has several names and may be written.
  ///
  /// - Throws: `persistentStoreOpen`.
  func requireOneName() throws {
    guard let path else { return }
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    try StoreFilePath.requireOneName(path, linkCount: Int(status.st_nlink))
  }

  /// Returns the state of the file, which each write changes; nil when there is no file.
  func fileState() -> FileState? {
    guard let path else { return nil }
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return FileState(status)
  }

  /// Whether there is a write-ahead log: the file is open elsewhere, or a process that had it open was killed.
  var hasLog: Bool {
    guard let logPath else { return false }
    return access(logPath, F_OK) == 0
  }

  /// Creates an empty file that only its owner can read; the side files inherit its mode. Does nothing when the file
  /// exists: opening and closing a file that is in use would drop SQLite's locks.
  func makePrivateFile() {
    if let path { DurableFiles.make(path) }
  }
}

/// The identity of a file in the file system.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
}

/// The state of a file: each write changes it.
struct FileState: Equatable, Sendable {
  private let identity: FileIdentity
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  init(_ status: stat) {
    identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    size = Int(status.st_size)
    #if canImport(Darwin)
    let time = status.st_mtimespec
    #else
    let time = status.st_mtim
    #endif
    seconds = Int(time.tv_sec)
    nanoseconds = Int(time.tv_nsec)
  }
}
