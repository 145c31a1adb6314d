// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostModel
import RoostQuery

/// A file that describes a model, in one version or several: a model of Xcode's, a lock file, or the text that a
/// program has printed of its model.
struct ModelFile {
  let url: URL
  /// The label of a version of a lock file, as in `HR.roostlock@2.3`; nil for the newest.
  let label: String?

  static let help = "an .xcdatamodeld, .xcdatamodel, .momd, .mom or .roostlock"
  private static let lockSuffix = ".roostlock"
  private static let suffixes = ["xcdatamodeld", "xcdatamodel", "momd", "mom", "roostmodel"]

  init(_ path: String) {
    if let end = path.range(of: Self.lockSuffix + "@") {
      url = URL(filePath: String(path[..<path.index(before: end.upperBound)]))
      label = String(path[end.upperBound...])
    } else {
      url = URL(filePath: path)
      label = nil
    }
  }

  /// Whether the file has the validation rules of its model: the models in stores and lock files have none.
  var hasValidationRules: Bool { !isLock && !isText }

  private var isLock: Bool { url.lastPathComponent.hasSuffix(Self.lockSuffix) }

  /// Whether the name is that of a file with a model, and not of a store.
  var isNamedLikeModel: Bool {
    isLock || Self.suffixes.contains(url.pathExtension.lowercased())
      || url.lastPathComponent == "contents" || isText
  }

  /// The current version.
  ///
  /// - Throws: `invalidModel`, which names the place of the error, `corruptStore` for a damaged lock file or text.
  func model() throws -> ManagedObjectModel {
    if isLock { return try lockedVersion().model() }
    if isText { return try CanonicalModel(bytes: [UInt8](Data(contentsOf: url))).model() }
    return try ManagedObjectModel(contentsOf: url)
  }

  /// Returns the version with which a store was written; the current one when none matches.
  ///
  /// - Throws: As ``model()``.
  func model(fitting hashes: [String: Data]) throws -> ManagedObjectModel {
    let current = try model()
    guard !Self.fits(current, hashes), label == nil, !isText else { return current }
    if isLock {
      for version in try ModelLock(contentsOf: url).versions.reversed() {
        let model = try version.model()
        if Self.fits(model, hashes) { return model }
      }
      return current
    }
    for name in try ManagedObjectModel.versionNames(at: url) {
      let model = try ManagedObjectModel(contentsOf: url, version: name)
      if Self.fits(model, hashes) { return model }
    }
    return current
  }

  /// A Swift expression that makes the model.
  var swiftCode: String {
    let place = "URL(filePath: \(SwiftText.quoted(url.relativePath)))"
    guard isLock else {
      return isText
        ? "<#the model of \(url.lastPathComponent)#>" : "ManagedObjectModel(contentsOf: \(place))"
    }
    let version =
      label.map { "versions.first { $0.label == \(SwiftText.quoted($0)) }" } ?? "versions.last"
    return "#require(ModelLock(contentsOf: \(place)).\(version)).model()"
  }

  private func lockedVersion() throws -> ModelLock.Version {
    let lock = try ModelLock(contentsOf: url)
    guard let label else {
      if let newest = lock.versions.last { return newest }
      throw PersistenceError(.invalidModel, "\(url.lastPathComponent) has no version of a model.")
    }
    if let version = lock.versions.first(where: { $0.label == label }) { return version }
    let labels = lock.versions.compactMap(\.label)
    throw PersistenceError(
      .invalidModel,
      "\(url.lastPathComponent) has no version “\(label)”, only \(labels.joined(separator: ", ")).")
  }

  /// Whether the file begins like the text of a model.
  private var isText: Bool {
    guard !isLock, let file = FileHandle(forReadingAtPath: url.path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 1))?.first == UInt8(ascii: "{")
  }

  private static func fits(_ model: ManagedObjectModel, _ hashes: [String: Data]) -> Bool {
    model.configuration(fitting: hashes) != nil
  }
}

extension ManagedObjectModel {
  /// Returns the configuration whose entities have some version hashes; nil when none matches. The inner nil stands
  /// for all entities.
  func configuration(fitting hashes: [String: Data]) -> String?? {
    let names: [String?] = [nil] + configurations.map { $0 }
    for name in names
    where isConfiguration(withName: name, compatibleWithStoreMetadata: hashes)
      && entityVersionHashes(forConfigurationName: name) == hashes
    {
      return .some(name)
    }
    return nil
  }
}
