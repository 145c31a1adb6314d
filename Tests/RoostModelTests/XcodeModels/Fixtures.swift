// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import RoostModel

/// Real files that are not part of the package: found through `ROOST_FIXTURES`, otherwise next to the package's
/// folder.
enum Fixtures {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["ROOST_FIXTURES"] {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    return URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../../shared/fixtures/", directoryHint: .isDirectory
    ).standardizedFileURL
  }()

  /// Whether the folder exists; tests that need it are skipped otherwise.
  static var arePresent: Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "hash-vectors.tsv").path)
  }

  /// Returns the rows of a table without its header and comments.
  static func table(_ name: String) throws -> [[String]] {
    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.dropFirst()
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  static func model(_ path: String) throws -> ManagedObjectModel {
    let model = ManagedObjectModel()
    try ModelFiles(at: folder.appending(path: path)).read(nil, into: model, parser: .texts)
    return model
  }

  /// Returns the paths of all Xcode models.
  static func modelPaths() throws -> [String] {
    let models = folder.appending(path: "models")
    let enumerator = FileManager.default.enumerator(atPath: models.path)
    return (enumerator?.compactMap { $0 as? String } ?? [])
      .filter { $0.hasSuffix(".contents") }.map { "models/" + $0 }.sorted()
  }
}

extension ModelTextParser {
  /// A parser that keeps texts unparsed.
  static let texts = ModelTextParser(
    predicate: { UnparsedPredicate($0) }, expression: { UnparsedExpression($0) },
    derivation: { UnparsedExpression($0) },
    request: { Template($0.entity.name ?? "") })
}
