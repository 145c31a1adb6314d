// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ModelLock {
  /// Checks that a model equals the newest entry of the lock file, and that stores of each released version can be
  /// migrated to it.
  ///
  /// ```swift
  /// @Test func model() throws { try ModelLock.check(model, against: lockFile) }
  /// ```
  ///
  /// - Parameters:
  ///   - model: The present model.
  ///   - url: The lock file.
  ///   - labels: Released versions that the program migrates itself, with a mapping model or a stage; they are not
  ///     compared.
  ///   - allowsLosslessTypeChanges: Whether the program opens its stores with that policy.
  /// - Throws: `invalidModel` when the model has faults, differs from the newest version of the file, or equals an
  ///   earlier one again; `inferredMappingModel` when no migration can be inferred from a released version; the
  ///   errors of ``init(contentsOf:)``. The message lists the differences and the remedies.
  public static func check(
    _ model: ManagedObjectModel, against url: URL, except labels: Set<String> = [],
    allowsLosslessTypeChanges: Bool = false
  ) throws {
    let lock = try ModelLock(contentsOf: url)
    let text = try CanonicalModel(model)
    try lock.checkNewest(text, url.lastPathComponent)
    try lock.checkNotRepeated(text)
    try lock.checkPaths(
      to: text, except: labels, allowsLosslessTypeChanges: allowsLosslessTypeChanges)
  }

  private func checkNewest(_ text: CanonicalModel, _ file: String) throws {
    guard let newest = versions.last else {
      throw PersistenceError(
        .invalidModel, "\(file) has no version of the model: write it with ModelLock.write.")
    }
    guard newest.text != text else { return }
    try checkNotRepeated(text)
    let name = newest.label.map { "version \($0)" } ?? "the version under development"
    let differences = Self.differences(from: newest.text, to: text)
    throw PersistenceError(
      .invalidModel,
      "The model differs from \(name) in \(file): \(differences). If the change is meant, write it "
        + "with ModelLock.write; if not, undo it.")
  }

  /// Refuses a model that equals an earlier release. A store identifies its version by the checksum: two equal
  /// versions would be indistinguishable, and migrations between them circular.
  private func checkNotRepeated(_ text: CanonicalModel) throws {
    let released = releasedVersions
    guard let last = released.last, last.versionChecksum != text.versionChecksum,
      let same = released.last(where: { $0.versionChecksum == text.versionChecksum })
    else { return }
    let (old, newest) = (same.label ?? "", last.label ?? "")
    throw PersistenceError(
      .invalidModel,
      "The model is that of version \(old) again, and version \(newest) was released since: stores could not "
        + "tell the two apart. Set the versionHashModifier of an entity that differs between them.")
  }

  private func checkPaths(
    to text: CanonicalModel, except labels: Set<String>, allowsLosslessTypeChanges: Bool
  ) throws {
    let model = try text.model()
    var refusals: [String] = []
    for version in releasedVersions where version.versionChecksum != text.versionChecksum {
      guard let label = version.label, !labels.contains(label) else { continue }
      do {
        _ = try ModelDifference(
          from: version.model(), to: model, allowsLosslessTypeChanges: allowsLosslessTypeChanges)
      } catch let error as PersistenceError where error.code == .inferredMappingModel {
        refusals.append("Version \(label): \(error.errorDescription ?? error.message)")
      }
    }
    guard !refusals.isEmpty else { return }
    throw PersistenceError(
      .inferredMappingModel,
      "Stores of released versions could not be opened with the model. Change it as is said below, or write "
        + "a mapping model and name the version in `except`.\n" + refusals.joined(separator: "\n"))
  }

  /// Returns the differences between two texts, as the rest of a sentence.
  private static func differences(from old: CanonicalModel, to new: CanonicalModel) -> String {
    guard let source = try? old.model(), let destination = try? new.model() else { return "" }
    do {
      let changes = try ModelDifference(from: source, to: destination).changes
      if changes.isEmpty { return "in what concerns no stored data, such as an index" }
      let shown = changes.prefix(20).map(\.description).joined(separator: "; ")
      return changes.count > 20 ? "\(shown); and \(changes.count - 20) more" : shown
    } catch {
      return (error as? PersistenceError)?.errorDescription ?? "\(error)"
    }
  }
}
