// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The shared fixtures, which stay out of the package: a test that needs them is skipped where they are absent.
enum Fixtures {
  static let folder: URL? = {
    let fallback = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../shared/fixtures").standardizedFileURL
    let folder =
      ProcessInfo.processInfo.environment["ROOST_FIXTURES"].map { URL(filePath: $0) } ?? fallback
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  static var arePresent: Bool { folder != nil }

  /// The rows of a table of tab-separated values, without its header and comments.
  static func rows(_ name: String) throws -> [[String]] {
    guard let folder else { return [] }
    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    return lines.dropFirst().map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }
}
