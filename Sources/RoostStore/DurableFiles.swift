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

/// Changes of files and folders outside of an open store. They survive a power failure only after
/// ``synchronizeFolder(of:)``.
package enum DurableFiles {
  /// An operation on a file or its folder, for tests of the order.
  package enum Step: Equatable, Sendable {
    case remove(String)
    case move(String)
    case empty(String)
    case make(String)
    case synchronizeFile(String)
    case synchronizeFolder
  }

  /// Receives each step in tests; nil in programs.
  @TaskLocal package static var recorder: (@Sendable (Step) -> Void)?

  /// Records a step.
  package static func note(_ step: (_ name: String) -> Step, _ path: String) {
    recorder?(step((path as NSString).lastPathComponent))
  }

  /// Removes a file; a missing file is not an error.
  ///
  /// - Throws: `persistentStoreOperation`.
  package static func remove(_ path: String) throws {
    guard unlink(path) == 0 else {
      if errno == ENOENT { return }
      throw failure("removed")
    }
    note(Step.remove, path)
  }

  /// Renames a file, and replaces a file that has the new name.
  ///
  /// - Throws: `persistentStoreOperation`.
  package static func move(_ path: String, to destination: String) throws {
    guard rename(path, destination) == 0 else { throw failure("renamed") }
    note(Step.move, destination)
  }

  /// Truncates a file to zero bytes, durably.
  ///
  /// - Parameter descriptor: Any open descriptor of the file. Closing another one could release POSIX locks.
  /// - Throws: `persistentStoreOperation`.
  package static func empty(_ path: String, _ descriptor: Int32) throws {
    guard truncate(path, 0) == 0 else { throw failure("emptied") }
    note(Step.empty, path)
    guard fsync(descriptor) == 0 else { throw failure("flushed") }
    note(Step.synchronizeFile, path)
  }

  /// Creates an empty file with permissions for its owner only, unless there is one.
  package static func make(_ path: String) {
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    close(descriptor)
    note(Step.make, path)
  }

  /// Flushes what any process has written to a file; a missing file is not an error.
  ///
  /// The file is opened and closed again, which releases POSIX locks of this process on it.
  ///
  /// - Throws: `persistentStoreOperation`.
  package static func synchronize(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw failure("flushed")
    }
    defer { close(descriptor) }
    guard flush(descriptor) else { throw failure("flushed") }
    note(Step.synchronizeFile, path)
  }

  private static func flush(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    // `fsync` may leave data in the drive's cache, which a loss of power erases.
    fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0
    #else
    fsync(descriptor) == 0
    #endif
  }

  /// Flushes the folder of a file, which makes creations, renames and removals in it durable.
  ///
  /// - Throws: `persistentStoreOperation`.
  package static func synchronizeFolder(of path: String) throws {
    let folder = (path as NSString).deletingLastPathComponent
    let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("flushed") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("flushed") }
    recorder?(.synchronizeFolder)
  }

  private static func failure(_ what: String) -> PersistenceError {
    let code = POSIXErrorCode(rawValue: errno) ?? .EIO
    return PersistenceError(
      .persistentStoreOperation, "A file of the store, or its folder, cannot be \(what).",
      underlying: POSIXError(code))
  }
}
