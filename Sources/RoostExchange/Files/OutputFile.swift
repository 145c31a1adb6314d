// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel

/// A file that is there when all of it was written: until then it has another name.
package final class OutputFile {
  private static let bufferSize = 1 << 18

  private let url: URL
  private let draft: URL
  private let file: FileHandle
  /// The permissions of the file that is replaced; nil where there is none.
  private let mode: mode_t?
  private var buffer: [UInt8] = []
  private var isDone = false

  /// Begins a file, which replaces one that is there. A link stays, and the file that it leads to is replaced.
  ///
  /// - Throws: `invalidRequest` for what is no file, as a folder or device, and for a link that leads nowhere;
  ///   `persistentStoreOperation` when the folder cannot be written.
  package init(_ url: URL) throws {
    (self.url, mode) = try Self.place(url)
    draft = Self.sibling(of: self.url, "part")
    // Records are nobody else's business while they are written, nor in a file that is new.
    let descriptor = open(
      draft.path(percentEncoded: false), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(url, Self.systemError) }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    buffer.reserveCapacity(Self.bufferSize)
  }

  /// The place of the file itself, and its permissions.
  private static func place(_ url: URL) throws -> (url: URL, mode: mode_t?) {
    let path = url.path(percentEncoded: false)
    var info = stat()
    guard lstat(path, &info) == 0 else { return (url, nil) }
    var url = url
    if info.st_mode & S_IFMT == S_IFLNK {
      guard let resolved = realpath(path, nil) else {
        throw PersistenceError(
          .invalidRequest, "\(path) is a link that leads nowhere.", underlying: systemError
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

  /// Lets a function add bytes.
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

  /// Gives files their names: all of them, or none after an error.
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
      // One that stays is only a second name of what was there.
      if let backup { try? FileManager.default.removeItem(at: backup) }
    }
  }

  /// Writes what is left, to the disk.
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

  /// Gives the file its name.
  ///
  /// - Returns: Another name of what was there; nil for nothing.
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

  /// Puts back what was there.
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
      .persistentStoreOperation, "The file \(url.lastPathComponent) cannot be written.",
      underlying: error
    ).remedied(by: "Look at the folder's permissions and the space that is left.")
  }
}
