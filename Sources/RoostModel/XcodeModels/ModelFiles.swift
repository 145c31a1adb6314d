// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The files of a model: an `.xcdatamodeld` with all versions, an `.xcdatamodel` with one, their compiled forms
/// `.momd` and `.mom`, or a single file.
package struct ModelFiles: Sendable {
  /// The names of the versions in natural order: `Model`, `Model 2`, `Model 10`.
  package let versionNames: [String]
  private let files: [String: URL]
  /// The name of each file in errors.
  private let labels: [String: String]
  /// The `.xcdatamodeld`; nil for a model of one version.
  private let folder: URL?

  /// Finds the files of a model.
  ///
  /// - Throws: `invalidModel` when there is no model.
  package init(at url: URL) throws(PersistenceError) {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw PersistenceError(.invalidModel, "There is no model at \(url.path).")
    }
    let name = url.deletingPathExtension().lastPathComponent
    switch url.pathExtension {
    case "omo":
      throw PersistenceError(
        .invalidModel,
        "\(url.lastPathComponent) is the compiler's second form of a model: read the .mom beside it."
      )
    case "momd" where isFolder.boolValue:
      try self.init(versionsIn: url, suffix: ".mom", contents: "")
    case "xcdatamodeld" where isFolder.boolValue:
      try self.init(versionsIn: url, suffix: ".xcdatamodel", contents: "/contents")
    case _ where isFolder.boolValue:
      let contents = url.appending(path: "contents", directoryHint: .notDirectory)
      self.init(files: [name: contents], labels: [name: "\(url.lastPathComponent)/contents"])
    default:
      self.init(files: [name: url], labels: [name: url.lastPathComponent])
    }
  }

  private init(files: [String: URL], labels: [String: String], folder: URL? = nil) {
    self.files = files
    self.labels = labels
    self.folder = folder
    versionNames = files.keys.sorted {
      $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending
    }
  }

  /// - Parameters:
  ///   - suffix: The suffix of version names.
  ///   - contents: The relative path of a version's file.
  private init(
    versionsIn folder: URL, suffix: String, contents: String
  ) throws(PersistenceError) {
    var files: [String: URL] = [:]
    var labels: [String: String] = [:]
    let found: [String]
    do {
      found = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    } catch {
      throw PersistenceError(
        .invalidModel, "The folder \(folder.path) cannot be read.", underlying: error)
    }
    for file in found where file.hasSuffix(suffix) {
      let name = String(file.dropLast(suffix.count))
      files[name] = folder.appending(path: file + contents, directoryHint: .notDirectory)
      labels[name] = "\(folder.lastPathComponent)/\(file)\(contents)"
    }
    guard !files.isEmpty else {
      throw PersistenceError(
        .invalidModel, "\(folder.lastPathComponent) contains no \(suffix).")
    }
    self.init(files: files, labels: labels, folder: folder)
  }

  /// Returns the name of the current version.
  ///
  /// - Throws: `invalidModel` when no version is named, or when the named one is not in the folder.
  package func currentVersionName() throws(PersistenceError) -> String {
    guard let folder else { return versionNames[0] }
    if folder.pathExtension == "momd" {
      return try CompiledVersions.current(in: folder, among: versionNames)
    }
    return try Self.currentVersion(in: folder, among: versionNames)
  }

  /// Returns the version that `.xccurrentversion` names; without such a file there must be only one version. Xcode
  /// also writes files that name none: then it is the only version, or the one named like the folder.
  private static func currentVersion(
    in folder: URL, among names: [String]
  ) throws(PersistenceError) -> String {
    let label = "\(folder.lastPathComponent)/.xccurrentversion"
    let file = folder.appending(path: ".xccurrentversion", directoryHint: .notDirectory)
    guard FileManager.default.fileExists(atPath: file.path) else {
      guard names.count == 1 else {
        throw severalVersions(names, because: "\(label) is missing")
      }
      return names[0]
    }
    let text = try ModelText(contentsOf: file, name: label)
    let root = try ModelElement.parse(text)
    let list = root.children.first { $0.name == "dict" }?.children ?? []
    let place = list.firstIndex { $0.name == "key" && $0.text == "_XCCurrentVersionName" }
    guard let place else {
      let folderName = folder.deletingPathExtension().lastPathComponent
      if names.count == 1 { return names[0] }
      guard names.contains(folderName) else {
        throw severalVersions(names, because: "\(label) names none")
      }
      return folderName
    }
    guard place + 1 < list.count, list[place + 1].name == "string" else {
      throw text.error("_XCCurrentVersionName has no value.", at: root.offset)
    }
    let value = list[place + 1]
    // The name is looked up among the folder's content, so that no path can lead out of it.
    guard value.text.hasSuffix(".xcdatamodel"),
      names.contains(String(value.text.dropLast(".xcdatamodel".count)))
    else { throw text.error("There is no version “\(value.text)”.", at: value.offset) }
    return String(value.text.dropLast(".xcdatamodel".count))
  }

  /// Refuses models of Xcode 3, which had two binary files, `elements` and `layout`, instead of `contents`.
  private static func refuseXcode3(_ contents: URL, _ label: String) throws(PersistenceError) {
    let elements = contents.deletingLastPathComponent().appending(
      path: "elements", directoryHint: .notDirectory)
    guard contents.lastPathComponent == "contents",
      !FileManager.default.fileExists(atPath: contents.path),
      FileManager.default.fileExists(atPath: elements.path)
    else { return }
    throw PersistenceError(
      .invalidModel,
      "\(label) is missing: the model is of Xcode 3. Save it once with Xcode 4 or later.")
  }

  static func severalVersions(_ names: [String], because reason: String) -> PersistenceError {
    PersistenceError(
      .invalidModel,
      "The current version is not known: \(reason), and there are \(names.count) versions: "
        + names.joined(separator: ", ") + ". Name one with init(contentsOf:version:).")
  }

  /// Reads a version.
  ///
  /// - Parameters:
  ///   - name: The version; nil for the current one.
  ///   - model: An empty model to fill.
  ///   - parser: Parses predicates and expressions.
  /// - Throws: `invalidModel` with file, line and column, or when there is no such version.
  package func read(
    _ name: String?, into model: ManagedObjectModel, parser: ModelTextParser
  ) throws(PersistenceError) {
    let current = try name == nil ? currentVersionName() : nil
    let name = name ?? current ?? ""
    guard let file = files[name], let label = labels[name] else {
      throw PersistenceError(
        .invalidModel,
        "There is no version “\(name)”, only \(versionNames.joined(separator: ", ")).")
    }
    if file.pathExtension == "mom" {
      var reader = try CompiledModelReader(
        try ModelText(contentsOf: file, name: label).bytes, name: label, into: model,
        parser: parser)
      return try reader.read()
    }
    try Self.refuseXcode3(file, label)
    let text = try ModelText(contentsOf: file, name: label)
    guard !text.bytes.starts(with: Array("bplist".utf8)) else {
      throw PersistenceError(
        .invalidModel, "\(label) is compiled, or of a version of Xcode before 4: it is no XML.")
    }
    var reader = try XcodeModelReader(text, into: model, parser: parser)
    try reader.read()
  }
}
