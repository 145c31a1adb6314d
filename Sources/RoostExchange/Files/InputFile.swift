// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A file that is read, and what is known of it.
struct InputFile {
  let url: URL
  let format: ExchangeFormat
  /// The entity of lines that name none.
  let entity: String?

  var name: String { url.lastPathComponent }

  /// The files of a place: the file itself, or those of a folder that have a known ending, sorted by name.
  ///
  /// - Parameters:
  ///   - format: The format; nil for what the ending says.
  ///   - entity: The entity of lines that name none; nil for the one that the file is named after.
  /// - Throws: `invalidRequest` when nothing is there, or the ending says nothing.
  static func files(
    at url: URL, format: ExchangeFormat?, entity: String?, model: ManagedObjectModel
  ) throws -> [InputFile] {
    var isFolder = ObjCBool(false)
    let path = url.path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw PersistenceError(.invalidRequest, "There is no file at \(path).")
        .remedied(by: "Name a file or a folder that is there.")
    }
    guard isFolder.boolValue else {
      return [try InputFile(url, format: format, entity: entity, model)]
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { name in
      !name.hasPrefix(".") && ExchangeFormat.named(by: URL(filePath: name).pathExtension) != nil
    }
    guard !names.isEmpty else {
      throw PersistenceError(.invalidRequest, "The folder \(path) has no files to import.")
        .remedied(by: "Put files there whose names end with .jsonl, .csv or .tsv.")
    }
    return try names.sorted(by: UTF8Order.isLess).map {
      try InputFile(url.appending(path: $0), format: format, entity: entity, model)
    }
  }

  private init(
    _ url: URL, format: ExchangeFormat?, entity: String?, _ model: ManagedObjectModel
  ) throws {
    guard let format = format ?? ExchangeFormat.named(by: url.pathExtension) else {
      throw PersistenceError(
        .invalidRequest, "The name of \(url.lastPathComponent) says no format."
      ).remedied(by: "Give the format, or a name that ends with .jsonl, .csv or .tsv.")
    }
    self.url = url
    self.format = format
    let base = url.deletingPathExtension().lastPathComponent
    self.entity = entity ?? (model.entitiesByName[base] == nil ? nil : base)
  }
}
