// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A copy of the package with all mutants in it.
///
/// Unchanged files are not written again, so that the next build compiles only changed ones.
struct MutatedTree {
  /// The folder of the package.
  let root: URL
  /// The folder of the copy.
  let tree: URL
  let lists: [MutantList]

  /// The parts of the package that the build and the tests need.
  private static let parts = [
    "Package.swift", "README.md", "Sources", "Backends", "Tests", "Scripts", "Documentation",
    "Examples", "Makefile",
  ]

  /// Returns the texts of the files with mutants, with the mutants inserted.
  ///
  /// - Throws: ``ListError`` when a list does not fit the sources.
  func mutatedTexts() throws -> [String: String] {
    let mutants = Dictionary(grouping: lists.flatMap(\.mutants), by: \.file)
    var texts: [String: String] = [:]
    var reasons: [String] = []
    for (path, own) in mutants {
      guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else {
        reasons.append("\(own[0].name): there is no \(path)")
        continue
      }
      do {
        texts[path] = try Switches.text(with: own, in: text)
      } catch let error as ListError {
        reasons += error.reasons
      }
    }
    guard reasons.isEmpty else { throw ListError(reasons: reasons.sorted()) }
    return texts
  }

  /// Creates or updates the copy.
  func write() throws {
    let mutated = try mutatedTexts()
    var wanted: Set<String> = []
    for path in try paths() {
      let url = root.appending(path: path)
      let data = try mutated[path].map { Data($0.utf8) } ?? Data(contentsOf: url)
      try put(data, path, isExecutable: FileManager.default.isExecutableFile(atPath: url.path()))
      wanted.insert(path)
    }
    for list in lists {
      let path = list.folder + "/MutantSwitches.swift"
      try put(Data(Switches.source(target: list.target).utf8), path, isExecutable: false)
      wanted.insert(path)
    }
    for path in try Self.files(in: tree) where !wanted.contains(path) {
      try FileManager.default.removeItem(at: tree.appending(path: path))
    }
  }

  private func paths() throws -> [String] {
    try Self.parts.flatMap { part in
      let url = root.appending(path: part)
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path(), isDirectory: &isFolder) else {
        return [String]()
      }
      return isFolder.boolValue ? try Self.files(in: url).map { "\(part)/\($0)" } : [part]
    }
  }

  /// Returns the files below a folder, without build products.
  private static func files(in folder: URL) throws -> [String] {
    guard let walk = FileManager.default.enumerator(atPath: folder.path()) else { return [] }
    var files: [String] = []
    while let path = walk.nextObject() as? String {
      if path == ".build" || path.hasSuffix("/.build") {
        walk.skipDescendants()
        continue
      }
      var isFolder: ObjCBool = false
      let place = folder.appending(path: path).path()
      guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder) else { continue }
      if !isFolder.boolValue { files.append(path) }
    }
    return files
  }

  private func put(_ data: Data, _ path: String, isExecutable: Bool) throws {
    let url = tree.appending(path: path)
    if let old = try? Data(contentsOf: url), old == data { return }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
    if isExecutable {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path())
    }
  }
}
