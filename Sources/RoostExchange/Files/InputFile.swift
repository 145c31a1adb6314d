// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// An input file with its format and default entity.
struct InputFile {
  let url: URL
  let format: ExchangeFormat
  /// The entity of lines without an entity name.
  let entity: String?

  var name: String { url.lastPathComponent }

  /// Returns the files at a URL: the file itself, or those of a folder with a known extension, sorted by name.
  ///
  /// - Parameters:
  ///   - format: The format; nil to use the extension.
  ///   - entity: The entity of lines without an entity name; nil to use the file name.
  /// - Throws: `invalidRequest` when nothing exists at the URL, or the extension is unknown.
  static func files(
    at url: URL, format: ExchangeFormat?, entity: String?, model: ManagedObjectModel
  ) throws -> [InputFile] {
    try paths(at: url).map { try InputFile($0, format: format, entity: entity, model) }
  }

  /// Returns the URLs of the files at a URL: the file itself, or those of a folder with a known extension, sorted by
  /// name.
  ///
  /// - Throws: `invalidRequest` when nothing exists at the URL, or no file of a folder has a known extension.
  static func paths(at url: URL) throws -> [URL] {
    var isFolder = ObjCBool(false)
    let path = url.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw PersistenceError(.invalidRequest, "There is no file at \(path).")
        .remedied(by: "Name a file or a folder that is there.")
    }
    guard isFolder.boolValue else { return [url] }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { name in
      !name.hasPrefix(".") && ExchangeFormat.named(by: URL(filePath: name).pathExtension) != nil
    }
    guard !names.isEmpty else {
      throw PersistenceError(.invalidRequest, "The folder \(path) has no files to import.")
        .remedied(by: "Put files there whose names end with .jsonl, .csv or .tsv.")
    }
    return names.sorted(by: UTF8Order.isLess).map { url.appending(path: $0) }
  }

  private init(
    _ url: URL, format: ExchangeFormat?, entity: String?, _ model: ManagedObjectModel
  ) throws {
    guard let format = format ?? ExchangeFormat.named(by: url.pathExtension) else {
      throw PersistenceError(
        .invalidRequest, "The name of \(url.lastPathComponent) does not say its format."
      ).remedied(by: "Give the format, or a name that ends with .jsonl, .csv or .tsv.")
    }
    self.url = url
    self.format = format
    let base = url.deletingPathExtension().lastPathComponent
    self.entity = entity ?? (model.entitiesByName[base] == nil ? nil : base)
  }
}
