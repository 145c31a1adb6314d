// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The place of a store: a file that each save replaces as a whole, and a lock file beside it that is locked while
/// the store is open to write.
struct SortedFile: Sendable {
  let path: String
  private var lockPath: String { path + "-lock" }

  /// - Throws: `persistentStoreOpen` for anything but a path of a file.
  init(_ url: URL?) throws {
    guard let url, url.isFileURL else {
      throw PersistenceError(.persistentStoreOpen, "A sorted file needs the URL of its file.")
    }
    path = url.standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw PersistenceError(.persistentStoreOpen, "The path is empty or has a NUL character.")
    }
  }

  /// The inode of the file, which changes with every save. nil when there is no file.
  var identity: UInt64? {
    var status = stat()
    return stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  /// Reads the file; nil when there is none, or an empty one, which a destroyed store leaves behind.
  ///
  /// - Throws: `persistentStoreTypeMismatch` when the path is not a regular file, and the errors of decoding the
  ///   file.
  func contents() throws -> SortedFileContents? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure(.persistentStoreOpen, "looked at")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw PersistenceError(.persistentStoreTypeMismatch, "There is something else than a file.")
    }
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw PersistenceError(
        .persistentStoreOpen, "The file of the store cannot be read.", underlying: error)
    }
    return bytes.isEmpty ? nil : try SortedFileContents(file: bytes)
  }

  /// Excludes other processes, and other stores of this one, from opening the file to write.
  ///
  /// - Returns: A descriptor; closing it ends the lock.
  /// - Throws: `storeBusy` when the lock is still held at the timeout.
  func lock(timeout: TimeInterval) throws -> Int32 {
    let deadline = Date(timeIntervalSinceNow: timeout)
    while true {
      let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw failure(.persistentStoreOpen, "opened") }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        // A process that removed the store meanwhile has removed the file that was locked here.
        var (held, named) = (stat(), stat())
        if fstat(descriptor, &held) == 0, stat(lockPath, &named) == 0, held.st_ino == named.st_ino {
          return descriptor
        }
      }
      close(descriptor)
      guard Date() < deadline else {
        throw PersistenceError(
          .storeBusy, "The store is open already; a sorted file has one user at a time.")
      }
      Thread.sleep(forTimeInterval: 0.005)
    }
  }

  /// Ends a lock.
  static func unlock(_ descriptor: Int32) {
    close(descriptor)
  }

  /// Replaces the file, atomically and durably. The new file is written and flushed before it is renamed, and the
  /// rename is flushed with the folder.
  ///
  /// - Throws: `persistentStoreSave` when the old file stays, `commitOutcomeUnknown` when it is unknown which of the
  ///   two survives a power failure.
  func write(_ bytes: Data) throws {
    let temporary = path + "-new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(.persistentStoreSave, "written") }
    do {
      defer { close(descriptor) }
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
      try file.write(contentsOf: bytes)
      try file.synchronize()
    } catch {
      unlink(temporary)
      throw PersistenceError(
        .persistentStoreSave, "The file of the store cannot be written.", underlying: error)
    }
    guard rename(temporary, path) == 0 else {
      defer { unlink(temporary) }
      throw failure(.persistentStoreSave, "replaced")
    }
    try flushFolder()
  }

  /// Leaves an empty file, which is no store, and removes the files beside it.
  func destroy() throws {
    guard identity != nil else { return }
    try write(Data())
    unlink(lockPath)
  }

  private func flushFolder() throws {
    let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_CLOEXEC)
    defer { if folder >= 0 { close(folder) } }
    guard folder >= 0, fsync(folder) == 0 else { throw failure(.commitOutcomeUnknown, "flushed") }
  }

  private func failure(_ code: PersistenceError.Code, _ what: String) -> PersistenceError {
    PersistenceError(
      code, "The file of the store cannot be \(what).",
      underlying: POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
  }
}
