// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostMigration
import RoostStore

/// The report of `migrate --status`: the versions of a store, and the unfinished parts of its migration.
struct MigrationStatus {
  private let title: String
  private let metadata: StoreMetadata
  private let second: SecondVersion?
  private let backup: String?

  /// Reads the store's metadata; nothing is written.
  init(of description: PersistentStoreDescription, title: String) throws {
    self.title = title
    var description = description
    description.isReadOnly = true
    let store = try description.type.driver.open(description)
    defer { store.close() }
    metadata = store.metadata
    second = store.evolution?.expansion?.secondVersion
    backup =
      metadata.formerVersions?.last
      .flatMap { StoreBackup(description: description, checksum: $0).present }
  }

  /// The report.
  var text: String {
    var facts = [["version", metadata.versionChecksum.isEmpty ? "none" : metadata.versionChecksum]]
    for former in (metadata.formerVersions ?? []).reversed() { facts.append(["before", former]) }
    if let second {
      let checksum = second.metadata.versionChecksum
      facts.append(
        second.isComplete
          ? ["also serves", checksum] : ["is being expanded to", "\(checksum), not complete yet"])
    }
    if let stage = StageStatus(metadata) { facts.append(["stage", words(stage)]) }
    if let steps = metadata.deferredSteps, !steps.isEmpty {
      let kinds = steps.map(\.kind.words).joined(separator: ", ")
      facts.append(["left for later", "\(Quantity.of(steps.count, "step")): \(kinds)"])
    }
    if let backup { facts.append(["copy", backup]) }
    return ([title] + Padding.table(facts).map { "  " + $0 }).joined(separator: "\n")
  }

  private func words(_ stage: StageStatus) -> String {
    let handler =
      stage.isAfter ? "its second handler has begun" : "its first handler has begun"
    return "\(stage.current) -> \(stage.next), \(handler)"
  }
}

extension DeferredStep.Kind {
  fileprivate var words: String {
    switch self {
    case .column: "remove a column"
    case .table: "remove a table"
    case .records: "remove the records of an entity"
    case .index: "build an index"
    }
  }
}
