// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostKeyValue
import RoostModel
import RoostStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where the file of a binary store is.
struct BinaryLocation {
  let path: String

  /// The location that a URL names, links followed: the file itself is replaced by each save.
  ///
  /// - Throws: `persistentStoreOpen` for anything but a path of a file.
  init(_ url: URL?) throws {
    guard let url, url.isFileURL else {
      throw PersistenceError(.persistentStoreOpen, "A binary store needs the URL of its file.")
    }
    let plain = url.path(percentEncoded: false)
    guard !plain.isEmpty, !plain.utf8.contains(0) else {
      throw PersistenceError(.persistentStoreOpen, "The path is empty or has a NUL character.")
    }
    path = url.standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
  }

  var name: String { (path as NSString).lastPathComponent }

  private var folder: String {
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }

  /// The prefix of the names of temporary files. A hash stands for the whole name of the file, whatever its length, so
  /// that stores with similar names have other files.
  private var temporaryPrefix: String {
    let hash = Array(name.utf8).withUnsafeBytes { Checksum.sum($0, seed: 0) }
    return ".roost-" + String(hash, radix: 16) + "-"
  }

  /// Returns an unused path beside the file.
  func temporaryPath() -> String { "\(folder)/\(temporaryPrefix)\(UUID().uuidString)" }

  /// Removes the temporary files of killed saves. A save holds the lock on its file as long as it lives.
  func removeAbandonedFiles() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(temporaryPrefix) {
      guard UUID(uuidString: String(name.dropFirst(temporaryPrefix.count))) != nil else { continue }
      let path = "\(folder)/\(name)"
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try? DurableFiles.remove(path) }
    }
  }

  /// The bytes of the file; nil when there is none, or nothing in it.
  ///
  /// - Throws: `persistentStoreTypeMismatch` for something else than a file.
  func bytes() throws -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw Self.failure("opened")
    }
    defer { close(descriptor) }
    let bytes = try Self.bytes(of: descriptor)
    return bytes.isEmpty ? nil : bytes
  }

  /// The bytes of an open file.
  static func bytes(of descriptor: Int32) throws -> [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("looked at") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw PersistenceError(
        .persistentStoreTypeMismatch, "There is something else than a file.")
    }
    var bytes: [UInt8] = []
    let size = Int(status.st_size)
    while bytes.count < size {
      var portion = [UInt8](repeating: 0, count: size - bytes.count)
      let count = pread(descriptor, &portion, portion.count, off_t(bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("read") }
      if count == 0 { break }
      bytes.append(contentsOf: portion.prefix(count))
    }
    return bytes
  }

  /// Whether there is something at the path.
  var exists: Bool { access(path, F_OK) == 0 }

  /// Whether an open descriptor refers to the file at the path.
  func isPlace(of descriptor: Int32) -> Bool {
    var (open, named) = (stat(), stat())
    return fstat(descriptor, &open) == 0 && stat(path, &named) == 0
      && open.st_ino == named.st_ino && open.st_dev == named.st_dev
  }

  static func failure(_ what: String) -> PersistenceError {
    let code = POSIXErrorCode(rawValue: errno) ?? .EIO
    return PersistenceError(
      .persistentStoreOpen, "The file of the store cannot be \(what).",
      underlying: POSIXError(code))
  }
}
