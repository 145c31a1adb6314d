// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel

/// A file that is written under a temporary name, and renamed when it is complete.
package final class OutputFile {
  private static let bufferSize = 1 << 18

  private let url: URL
  private let draft: URL
  private let file: FileHandle
  /// The permissions of the file that is replaced; nil if there is none.
  private let mode: mode_t?
  private var buffer: [UInt8] = []
  private var isDone = false

  /// Starts a file, which replaces an existing one. A symbolic link is kept, and its target is replaced.
  ///
  /// - Throws: `invalidRequest` for something other than a regular file, such as a folder or device, and for a
  ///   dangling link; `persistentStoreOperation` when the folder cannot be written.
  package init(_ url: URL) throws {
    (self.url, mode) = try Self.place(url)
    draft = Self.sibling(of: self.url, "part")
    // Readable only by the owner, while it is written and if the file is new.
    let descriptor = open(
      draft.path(percentEncoded: false), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(url, Self.systemError) }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    buffer.reserveCapacity(Self.bufferSize)
  }

  /// Returns the resolved URL of the file, and its permissions.
  private static func place(_ url: URL) throws -> (url: URL, mode: mode_t?) {
    let path = url.path(percentEncoded: false)
    var info = stat()
    guard lstat(path, &info) == 0 else { return (url, nil) }
    var url = url
    if info.st_mode & S_IFMT == S_IFLNK {
      guard let resolved = realpath(path, nil) else {
        throw PersistenceError(
          .invalidRequest, "\(path) is a link without a destination.", underlying: systemError
        ).remedied(by: "Remove the link, or name another file.")
      }
      defer { free(resolved) }
      url = URL(filePath: String(cString: resolved))
      guard stat(resolved, &info) == 0 else { throw failure(url, systemError) }
    }
    guard info.st_mode & S_IFMT == S_IFREG else {
      throw PersistenceError(.invalidRequest, "\(path) is no regular file.")
        .remedied(by: "Name a file that is new or may be replaced.")
    }
    return (url, info.st_mode & 0o7777)
  }

  private static func sibling(of url: URL, _ kind: String) -> URL {
    url.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).\(kind)")
  }

  private static var systemError: POSIXError {
    POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }

  deinit {
    guard !isDone else { return }
    try? file.close()
    try? FileManager.default.removeItem(at: draft)
  }

  /// Appends the bytes that a closure produces.
  package func write(_ body: (inout [UInt8]) throws -> Void) throws {
    try body(&buffer)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  private func flush() throws {
    do {
      try file.write(contentsOf: buffer)
    } catch {
      throw Self.failure(url, error)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Renames all files to their final names, or none if an error occurs.
  package static func finish(_ files: [OutputFile]) throws {
    for file in files { try file.complete() }
    var done: [(file: OutputFile, backup: URL?)] = []
    do {
      for file in files { done.append((file, try file.takePlace())) }
    } catch {
      for (file, backup) in done.reversed() { file.giveBack(backup) }
      throw error
    }
    for (file, backup) in done {
      file.isDone = true
      // A backup that cannot be removed is only another hard link to the old file.
      if let backup { try? FileManager.default.removeItem(at: backup) }
    }
  }

  /// Flushes the remaining bytes, synchronised to the disk.
  private func complete() throws {
    try flush()
    do {
      if let mode, fchmod(file.fileDescriptor, mode) != 0 { throw Self.systemError }
      try file.synchronize()
      try file.close()
    } catch {
      throw Self.failure(url, error)
    }
  }

  /// Renames the file to its final name.
  ///
  /// - Returns: A backup link to the file that was replaced; nil if there was none.
  private func takePlace() throws -> URL? {
    let path = url.path(percentEncoded: false)
    var backup: URL?
    if mode != nil {
      let other = Self.sibling(of: url, "old")
      if link(path, other.path(percentEncoded: false)) == 0 { backup = other }
    }
    guard rename(draft.path(percentEncoded: false), path) == 0 else {
      let error = Self.systemError
      if let backup { try? FileManager.default.removeItem(at: backup) }
      throw Self.failure(url, error)
    }
    return backup
  }

  /// Restores the file that was replaced.
  private func giveBack(_ backup: URL?) {
    isDone = true
    let path = url.path(percentEncoded: false)
    if let backup {
      _ = rename(backup.path(percentEncoded: false), path)
    } else if mode == nil {
      _ = unlink(path)
    }
  }

  static func failure(_ url: URL, _ error: any Error) -> PersistenceError {
    PersistenceError(
      .persistentStoreOperation, "The file \(url.relativePath) cannot be written.",
      underlying: error
    ).remedied(by: "Look at the folder's permissions and the space that is left.")
  }
}
