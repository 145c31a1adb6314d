// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A lock file with each released version of a model, so that a build fails before a version ships to which existing
/// stores cannot be migrated.
///
/// The file, `NAME.roostlock`, belongs in the program's repository. Its last entry is the version under development;
/// ``release(_:at:)`` gives it a label and freezes it. An entry is a text with one property per line, so that a diff
/// shows the changes of the model.
///
/// ```swift
/// // In a test of the program:
/// @Test func model() throws { try ModelLock.check(model, against: lockFile) }
/// // After a change of the model that is meant:
/// try ModelLock.write(model, to: lockFile)
/// // When the version ships:
/// try ModelLock.release("2.3", at: lockFile)
/// ```
public struct ModelLock: Sendable {
  /// The versions, the newest last. All but the last one are released.
  public private(set) var versions: [Version]

  /// Reads a lock file.
  ///
  /// - Parameter url: The file.
  /// - Throws: `invalidModel` when there is no such file or it cannot be read, `limitExceeded` when it is too large,
  ///   `corruptStore` when it is not a lock file, or when a released version was edited.
  public init(contentsOf url: URL) throws {
    let bytes = try LockFile.read(url)
    do throws(TextFault) {
      versions = try LockFile.versions(of: bytes)
    } catch {
      throw PersistenceError(
        .corruptStore,
        "The lock file \(url.lastPathComponent) cannot be read: \(error.description). Take it from the last commit.",
        store: url.path)
    }
  }

  init(versions: [Version]) {
    self.versions = versions
  }

  /// The released versions, the newest last.
  public var releasedVersions: [Version] { versions.filter(\.isReleased) }
}

extension ModelLock {
  /// A version of a model in a lock file.
  ///
  /// ```swift
  /// for version in try ModelLock(contentsOf: lockFile).versions {
  ///   print(version.label ?? "under development", version.versionChecksum)
  /// }
  /// ```
  public struct Version: Sendable {
    /// The label of the release; nil for the version under development.
    public let label: String?
    let text: CanonicalModel

    /// Whether the version was released, so that its entry is frozen.
    public var isReleased: Bool { label != nil }

    /// The checksum of the model's version hashes, which identifies the version of a store.
    public var versionChecksum: String { text.versionChecksum }

    /// Returns a mutable model of the version. Its entities have no classes of the program.
    ///
    /// - Throws: `corruptStore` when the text is not a valid model.
    public func model() throws -> ManagedObjectModel { try text.model() }
  }
}

// MARK: - Writing

extension ModelLock {
  /// Writes a model as the version under development, replacing an unreleased entry.
  ///
  /// A model equal to the last release needs no entry of its own.
  ///
  /// - Parameters:
  ///   - model: The present model.
  ///   - url: The file, which is created if necessary.
  /// - Throws: `invalidModel` when the model has faults, or the file cannot be written; `limitExceeded` when it would
  ///   be too large; the errors of ``init(contentsOf:)``. The file is unchanged then.
  public static func write(_ model: ManagedObjectModel, to url: URL) throws {
    let text = try CanonicalModel(model)
    let exists = FileManager.default.fileExists(atPath: url.path)
    var versions = exists ? try ModelLock(contentsOf: url).releasedVersions : []
    if versions.last?.text != text { versions.append(Version(label: nil, text: text)) }
    try LockFile.write(versions, to: url)
  }

  /// Freezes the version under development.
  ///
  /// - Parameters:
  ///   - label: The label of the release, such as the version of the program.
  ///   - url: The file.
  /// - Throws: `invalidModel` when there is no version to release, the label is empty or taken, or the file cannot be
  ///   written; the errors of ``init(contentsOf:)``. The file is unchanged then.
  public static func release(_ label: String, at url: URL) throws {
    var versions = try ModelLock(contentsOf: url).versions
    guard !label.isEmpty, !versions.contains(where: { $0.label == label }) else {
      throw PersistenceError(
        .invalidModel, "The label “\(label)” is empty or taken: choose another one.")
    }
    guard let last = versions.popLast(), !last.isReleased else {
      throw PersistenceError(
        .invalidModel,
        "\(url.lastPathComponent) has no version to release: the model is as it was released last. "
          + "After a change, write it with ModelLock.write first.")
    }
    versions.append(Version(label: label, text: last.text))
    try LockFile.write(versions, to: url)
  }
}
