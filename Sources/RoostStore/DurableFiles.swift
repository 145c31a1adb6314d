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

/// Changes of files and folders that a store makes while it is not open. Only what ``synchronizeFolder(of:)`` was
/// called for after them survives the loss of power.
package enum DurableFiles {
  /// What was done to a file or its folder, for tests of the order.
  package enum Step: Equatable, Sendable {
    case remove(String)
    case move(String)
    case empty(String)
    case make(String)
    case synchronizeFile(String)
    case synchronizeFolder
  }

  /// Hears of each step; nil in programs.
  @TaskLocal package static var recorder: (@Sendable (Step) -> Void)?

  /// Tells of a step.
  package static func note(_ step: (_ name: String) -> Step, _ path: String) {
    recorder?(step((path as NSString).lastPathComponent))
  }

  /// Removes a file; one that is not there is no error.
  ///
  /// - Throws: `persistentStoreOperation`.
  package static func remove(_ path: String) throws {
    guard unlink(path) == 0 else {
      if errno == ENOENT { return }
      throw failure("removed")
    }
    note(Step.remove, path)
  }

  /// Gives a file another name, in the place of what has it.
  ///
  /// - Throws: `persistentStoreOperation`.
  package static func move(_ path: String, to destination: String) throws {
    guard rename(path, destination) == 0 else { throw failure("renamed") }
    note(Step.move, destination)
  }

  /// Takes everything out of a file, durably.
  ///
  /// - Parameter descriptor: The file, opened in any way: to close another one could end locks.
  /// - Throws: `persistentStoreOperation`.
  package static func empty(_ path: String, _ descriptor: Int32) throws {
    guard truncate(path, 0) == 0 else { throw failure("emptied") }
    note(Step.empty, path)
    guard fsync(descriptor) == 0 else { throw failure("flushed") }
    note(Step.synchronizeFile, path)
  }

  /// Makes an empty file that only its owner can read; does nothing where there is one.
  package static func make(_ path: String) {
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    close(descriptor)
    note(Step.make, path)
  }

  /// Makes durable what was done to the names of a file's folder.
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
