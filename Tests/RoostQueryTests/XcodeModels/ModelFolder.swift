// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// A folder for the models of one test, which is removed with it.
final class ModelFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(
      path: "roost-models-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// Writes a file, with the folders above it.
  @discardableResult
  func write(_ text: String, to path: String) throws -> URL {
    try write(Data(text.utf8), to: path)
  }

  @discardableResult
  func write(_ data: Data, to path: String) throws -> URL {
    let file = url.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
    return file
  }

  /// Reads a model of the given XML.
  func model(_ xml: String) throws -> ManagedObjectModel {
    try ManagedObjectModel(contentsOf: try write(xml, to: "Model.xcdatamodel/contents"))
  }

  /// Returns the message with which a model of the given XML is refused.
  func refusal(_ xml: String) throws -> String {
    try refusal(Data(xml.utf8))
  }

  func refusal(_ data: Data) throws -> String {
    let file = try write(data, to: "Model.xcdatamodel/contents")
    do {
      _ = try ManagedObjectModel(contentsOf: file.deletingLastPathComponent())
      return "nothing"
    } catch let error as PersistenceError {
      return error.message
    }
  }
}
