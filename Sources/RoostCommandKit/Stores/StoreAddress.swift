// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostInMemory
import RoostLMDB
import RoostModel
import RoostPostgreSQL
import RoostSQLite
import RoostStore

/// A store as a command line names it: `sqlite:PATH`, `lmdb:PATH`, `binary:PATH`, `postgresql://...`, or a path alone.
struct StoreAddress: Sendable, Equatable {
  /// The kinds of stores that a command line can name.
  enum Kind: String, CaseIterable, Sendable {
    case sqlite, lmdb, binary, postgresql
  }

  /// The kind before the colon; nil for a path alone.
  let kind: Kind?
  /// The path or URI.
  let place: String

  static let completion = ParameterSyntax.Completion.files
  static let help =
    "The store: sqlite:PATH, lmdb:PATH, binary:PATH, a PATH, or a postgresql:// URI."

  init(_ word: String) throws(UsageError) {
    guard !word.isEmpty else { throw UsageError("is empty") }
    if word.hasPrefix("postgresql://") || word.hasPrefix("postgres://") {
      self.init(kind: .postgresql, place: word)
      return
    }
    let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].contains("/"), !parts[0].contains(".") else {
      self.init(kind: nil, place: word)
      return
    }
    let name = parts[0] == "postgres" ? "postgresql" : String(parts[0])
    guard let kind = Kind(rawValue: name) else {
      let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError(
        "is of no kind that there is: “\(name)” is none of \(known). A path with a colon is written "
          + "./\(word)")
    }
    guard !parts[1].isEmpty else { throw UsageError("has no path after “\(name):”") }
    self.init(kind: kind, place: String(parts[1]))
  }

  private init(kind: Kind?, place: String) {
    self.kind = kind
    self.place = place
  }

  /// How messages name it: without users and passwords.
  var title: String {
    guard kind == .postgresql else { return place }
    return (try? PersistentStoreDescription.postgresql(place).url?.absoluteString) ?? "the server"
  }

  /// Describes an existing store.
  ///
  /// - Throws: `persistentStoreOpen` when the file is missing, `persistentStoreTypeMismatch` when it is no store.
  func existing() throws -> PersistentStoreDescription {
    if kind != .postgresql {
      var isFolder = ObjCBool(false)
      guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder) else {
        throw PersistenceError(.persistentStoreOpen, "There is no store at \(place).")
      }
      guard !isFolder.boolValue else { throw folderError }
    }
    guard let kind = try kind ?? Self.kind(ofFile: place) else {
      throw PersistenceError(
        .persistentStoreTypeMismatch, "\(place) is neither a SQLite, an LMDB nor a binary store.")
    }
    return try description(kind)
  }

  /// Describes a store to create or to overwrite.
  ///
  /// - Parameter fallback: The kind if neither the address nor an existing file determines one; nil for none.
  /// - Throws: ``UsageError`` when the kind cannot be determined, `persistentStoreTypeMismatch` for a folder,
  ///   `persistentStoreOpen` when the folder is missing in which the store is to be.
  func destination(_ fallback: Kind? = nil) throws -> PersistentStoreDescription {
    if kind != .postgresql {
      guard !NewPath(place).isFolder else { throw folderError }
      try NewPath(place).requireFolder()
    }
    let known = try kind ?? Self.kind(ofFile: place) ?? Self.kind(ofName: place) ?? fallback
    guard let known else {
      throw UsageError(
        "Of what kind the store \(place) is to be is not said: write sqlite:\(place), "
          + "lmdb:\(place) or binary:\(place).")
    }
    return try description(known)
  }

  private var folderError: PersistenceError {
    PersistenceError(.persistentStoreTypeMismatch, "\(place) is a folder, and a store is a file.")
      .remedied(by: "Name the file in it.")
  }

  private func description(_ kind: Kind) throws -> PersistentStoreDescription {
    let url = URL(filePath: place)
    var description: PersistentStoreDescription =
      switch kind {
      case .sqlite: .sqlite(at: url)
      case .lmdb: .lmdb(at: url)
      case .binary: .binary(at: url)
      case .postgresql: try .postgresql(place)
      }
    // The program determines the retention of the history: a command that writes removes none of it.
    description.options[HistoryLimits.option] = HistoryLimits.unchanged
    return description
  }

  /// Returns the kind of a file by its first bytes; nil for a missing file, or an unknown kind.
  ///
  /// - Throws: `persistentStoreOpen` when the file cannot be read.
  private static func kind(ofFile path: String) throws -> Kind? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let head: [UInt8]
    do {
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? file.close() }
      head = [UInt8](try file.read(upToCount: 24) ?? Data())
    } catch {
      throw PersistenceError(
        .persistentStoreOpen, "\(path) cannot be read: \(CommandProgram.reason(of: error))"
      ).remedied(by: "See that the user may read it.")
    }
    if head.starts(with: "SQLite format 3\0".utf8) { return .sqlite }
    if head.starts(with: "RoostBinaryStore".utf8) { return .binary }
    // A page header of 16 bytes, then LMDB's number in the byte order of the machine.
    let number: [UInt8] = [0xDE, 0xC0, 0xEF, 0xBE]
    if head.count >= 20, head[16..<20].elementsEqual(number) { return .lmdb }
    return nil
  }

  private static func kind(ofName path: String) -> Kind? {
    switch URL(filePath: path).pathExtension.lowercased() {
    case "sqlite", "sqlite3", "db": .sqlite
    case "lmdb", "mdb": .lmdb
    case "binary": .binary
    default: nil
    }
  }
}

extension PersistentStoreDescription {
  /// The files of the store that are there, the main one first, with their sizes; empty for a server's.
  var files: [(name: String, size: Int)] {
    guard let url, url.isFileURL else { return [] }
    let path = url.path(percentEncoded: false)
    return ["", "-wal", "-shm", "-journal", "-lock"].compactMap { suffix in
      guard let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix),
        let size = attributes[.size] as? Int
      else { return nil }
      return (url.lastPathComponent + suffix, size)
    }
  }
}
