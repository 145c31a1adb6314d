// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The text of a lock file: the versions with their models, and for each released one a seal, which is a digest of
/// its label and its text, and detects edits.
enum LockFile {
  private static let format: Int64 = 1
  private static let largestSize = 64 << 20

  /// Reads the bytes of a file.
  static func read(_ url: URL) throws(PersistenceError) -> [UInt8] {
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: url)
      defer { try? handle.close() }
      // One byte more than allowed, so that a growing or endless file is detected.
      data = try handle.read(upToCount: largestSize + 1) ?? Data()
    } catch {
      throw PersistenceError(
        .invalidModel,
        "The lock file \(url.lastPathComponent) cannot be read. If there is none yet, write it with ModelLock.write.",
        store: url.path, underlying: error)
    }
    guard data.count <= largestSize else {
      throw PersistenceError(
        .limitExceeded, "The lock file is larger than \(largestSize >> 20) MB.", store: url.path)
    }
    return Array(data)
  }

  /// Writes a file atomically.
  static func write(_ versions: [ModelLock.Version], to url: URL) throws {
    var nodes: [TextNode] = []
    for version in versions {
      nodes.append(
        .object([
          "label": version.label.map(TextNode.text), "seal": seal(of: version).map(TextNode.text),
          "model": try TextNodeParser.parse(version.text.bytes),
        ]))
    }
    let bytes = TextNode.object(["format": .number(format), "versions": .list(nodes)]).bytes
    guard bytes.count <= largestSize, (try? Self.versions(of: bytes)) != nil else {
      throw PersistenceError(
        .limitExceeded,
        "The lock file would have more than can be read again: remove versions of which there are no stores any more.",
        store: url.path)
    }
    do {
      try Data(bytes).write(to: url, options: .atomic)
    } catch {
      throw PersistenceError(
        .invalidModel, "The lock file \(url.lastPathComponent) cannot be written.",
        store: url.path, underlying: error)
    }
  }

  private static func seal(of version: ModelLock.Version) -> String? {
    guard let label = version.label else { return nil }
    var digest = SHA256()
    digest.update(label.utf8)
    digest.update([0])
    digest.update(version.text.bytes)
    return digest.finish().base64EncodedString()
  }

  /// Parses the versions in a file.
  static func versions(of bytes: [UInt8]) throws(TextFault) -> [ModelLock.Version] {
    let root = try TextFields(try TextNodeParser.parse(bytes), "file")
    let found = try root.number("format")
    guard found == Int(format) else {
      throw TextFault("it is of format \(found), which this version of Roost does not know")
    }
    var versions: [ModelLock.Version] = []
    var labels: Set<String> = []
    for node in try root.list("versions") {
      let fields = try TextFields(node, "version")
      let version = try version(of: fields)
      guard versions.last?.isReleased ?? true else {
        throw TextFault("a version that is not released is not the last one")
      }
      if let label = version.label, !labels.insert(label).inserted {
        throw TextFault("two versions have the label “\(label.prefix(200))”")
      }
      versions.append(version)
    }
    return versions
  }

  private static func version(of fields: TextFields) throws(TextFault) -> ModelLock.Version {
    let label = try fields.text(ifPresent: "label")
    let name = label.map { "version “\($0.prefix(200))”" } ?? "the version under development"
    guard let node = fields["model"] else { throw TextFault("\(name) has no model") }
    let text: CanonicalModel
    do throws(PersistenceError) {
      text = try CanonicalModel(bytes: node.bytes)
    } catch {
      throw TextFault("\(name) was edited or damaged: \(error.message)")
    }
    let version = ModelLock.Version(label: label, text: text)
    guard seal(of: version) == (try fields.text(ifPresent: "seal")) else {
      throw TextFault("\(name) was edited after its release, or its seal was")
    }
    return version
  }
}
