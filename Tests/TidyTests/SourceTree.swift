// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The hand-written files of the repository.
enum SourceTree {
  /// The package's root, found from the place of this file.
  static var root: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  private static let folders = [
    "Sources", "Backends", "Plugins", "Tests", "Documentation", "Examples", "Benchmarks", "Scripts",
    ".ci", ".github",
  ]
  private static let kinds: Set<String> = ["swift", "h", "c", "md", "yml", "yaml", "modulemap", ""]

  /// All of them, read once.
  static let files: [SourceFile] = read()

  private static func read() -> [SourceFile] {
    let base = root.path(percentEncoded: false)
    let prefix = base.hasSuffix("/") ? base : base + "/"
    let top = (try? FileManager.default.contentsOfDirectory(atPath: prefix)) ?? []
    var paths = top.filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") || $0 == "Makefile" }
    for folder in folders {
      guard let walk = FileManager.default.enumerator(atPath: prefix + folder) else { continue }
      while let path = walk.nextObject() as? String {
        if path.hasPrefix(".build") || path.hasSuffix("/.build") {
          walk.skipDescendants()
          continue
        }
        paths.append(folder + "/" + path)
      }
    }
    return paths.sorted().compactMap { path in
      guard kinds.contains((path as NSString).pathExtension),
        let data = FileManager.default.contents(atPath: prefix + path)
      else { return nil }
      return SourceFile(path: path, text: String(decoding: data, as: UTF8.self))
    }
  }
}
