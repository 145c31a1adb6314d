// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads `VersionInfo.plist`, which describes the versions in a `.momd`.
enum CompiledVersions {
  private static let key = "NSManagedObjectModel_CurrentVersionName"

  /// Returns the current version: the one that the file names; without a name, the only one.
  ///
  /// - Throws: `invalidModel` when none is named and there are several, or when the named one does not exist.
  static func current(
    in folder: URL, among names: [String]
  ) throws(PersistenceError) -> String {
    let label = "\(folder.lastPathComponent)/VersionInfo.plist"
    let file = folder.appending(path: "VersionInfo.plist", directoryHint: .notDirectory)
    let isThere = FileManager.default.fileExists(atPath: file.path)
    guard let name = isThere ? try name(in: file, label) : nil else {
      if names.count == 1 { return names[0] }
      throw ModelFiles.severalVersions(
        names, because: isThere ? "\(label) names none" : "\(label) is missing")
    }
    // The name is looked up among the folder's content, so that no path can lead out of it.
    guard names.contains(name) else {
      throw PersistenceError(.invalidModel, "\(label): there is no version “\(name)”.")
    }
    return name
  }

  private static func name(in file: URL, _ label: String) throws(PersistenceError) -> String? {
    let text = try ModelText(contentsOf: file, name: label)
    guard text.bytes.starts(with: Array("bplist".utf8)) else {
      let list = try ModelElement.parse(text).children.first { $0.name == "dict" }?.children ?? []
      guard let place = list.firstIndex(where: { $0.name == "key" && $0.text == key }),
        place + 1 < list.count, list[place + 1].name == "string"
      else { return nil }
      return list[place + 1].text
    }
    var list = try BinaryPropertyList(text.bytes, name: label)
    guard case .dictionary(let keys, let values) = try list.node(list.root) else { return nil }
    for (name, value) in zip(keys, values) where try list.node(name) == .string(key) {
      if case .string(let version) = try list.node(value) { return version }
    }
    return nil
  }
}
