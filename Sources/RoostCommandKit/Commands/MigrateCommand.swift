// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostCoordinator
import RoostModel
import RoostStore

/// `roost migrate`.
enum MigrateCommand {
  private static let destination = CommandOption(
    "--to", "MODEL", "The model that the store is brought to. " + ModelSource.help,
    completion: .files)
  private static let isDry = CommandFlag(
    "--dry-run", "Prints what would be done, and changes nothing.")
  private static let allowsLoss = CommandFlag(
    "--allow-loss", "Entities and attributes that the model has no more may lose their data.")
  private static let allowsEarlier = CommandFlag(
    "--allow-earlier", "The store may be brought back to a version that it had before.")
  private static let expands = CommandFlag(
    "--expand", "Keeps the old version usable beside the new one, until --contract (PostgreSQL).")
  private static let contracts = CommandFlag(
    "--contract", "Ends the old version of an expanded store, once no program of it is left.")
  private static let abandons = CommandFlag(
    "--abandon", "Withdraws the new version of an expanded store; the old one goes on.")
  private static let ignoresSessions = CommandFlag(
    "--ignore-sessions",
    "With --contract and --abandon: programs of the version that ends are left to fail.")

  private static let throttle = CommandOption(
    "--throttle", "SHARE",
    "With --expand: old records are written in this share of the time, as 20%, with pauses between."
  ) { try share($0) }
  private static let asksStatus = CommandFlag(
    "--status", "Prints which versions the store is of, and what of a migration is not done yet.")

  static let command = Command(
    "migrate", "Brings a store to another version of its model.",
    discussion: """
      Everything that can be inferred is done in one transaction. A file is copied before its records are
      written anew. Data is lost with --allow-loss only.

      A store on PostgreSQL can serve two versions while programs are replaced by newer ones: --expand
      before the first of them starts, --contract after the last old one has ended. --abandon, instead of
      --contract, takes the new version away again; it needs no --to.
      """,
    parameters: [
      CommonParameters.store, destination, isDry, allowsLoss, allowsEarlier,
      CommonParameters.allowsTypeChanges, expands, throttle, contracts, abandons, ignoresSessions,
      asksStatus, CommonParameters.model,
    ]
  ) { parsed, console in
    let address = try parsed.required(CommonParameters.store)
    try NamedFailure.naming(address.title) { try run(address, parsed, console) }
  }

  private static func run(
    _ address: StoreAddress, _ parsed: ParsedArguments, _ console: CommandConsole
  ) throws {
    if parsed[asksStatus] {
      guard parsed[destination] == nil else {
        throw CommandFailure("--status only looks at the store: leave --to out.")
      }
      let status = try MigrationStatus(of: address.existing(), title: address.title)
      return console.print(status.text)
    }
    let versions = try versions(parsed)
    let named =
      versions == .abandon ? nil : try ModelSource(parsed.required(destination)).model()
    if versions == .abandon, parsed[destination] != nil {
      throw CommandFailure(
        "--abandon goes back to the version that the store was of: leave --to out.")
    }
    var description = try address.existing()
    let found = try StoredModel(of: description, title: address.title)
    let model = try named ?? found.model(from: parsed[CommonParameters.model])
    if found.hasModel {
      let old = try ModelSource.frozen(found.model(from: parsed[CommonParameters.model]))
      // A store that serves two versions keeps the text of its model.
      if versions == .one { description.migration = NamedSource(sourceModels: [old]) }
      // The store stays of the configuration of which it is.
      description.configuration =
        old.configuration(fitting: found.metadata.entityVersionHashes) ?? nil
    }
    description.evolution = .automatic.allowLoss(parsed[allowsLoss])
      .allowLosslessTypeChanges(parsed[CommonParameters.allowsTypeChanges])
      .allowEarlierVersion(parsed[allowsEarlier])
      .ignoreOpenSessions(parsed[ignoresSessions])
    description.evolution.versions = versions
    description.evolution.throttle = parsed[throttle]
    if parsed[throttle] != nil, versions != .expand {
      throw CommandFailure("--throttle is for --expand: any other migration is one transaction.")
    }
    guard let plan = try MigrationPlan(for: description, model: model) else {
      return console.print(
        versions == .abandon
          ? "\(address.title) serves one version."
          : "\(address.title) is of this version already.")
    }
    for line in lines(plan, title: address.title) { console.print(line) }
    if parsed[isDry] { return }
    guard !plan.isLossy || parsed[allowsLoss] else {
      throw CommandFailure("Data would be lost. --allow-loss allows it; nothing was changed.")
    }
    try migrate(description, to: model, address.title, console)
  }

  private static func versions(_ parsed: ParsedArguments) throws -> EvolutionPolicy.Versions {
    var named: [EvolutionPolicy.Versions] = []
    if parsed[expands] { named.append(.expand) }
    if parsed[contracts] { named.append(.contract) }
    if parsed[abandons] { named.append(.abandon) }
    guard named.count < 2 else {
      throw CommandFailure(
        "--expand, --contract and --abandon are steps of one release: name one of them.")
    }
    return named.first ?? .one
  }

  /// The share that a word says: a percentage, or a number up to 1.
  private static func share(_ word: String) throws -> Double {
    let number = word.hasSuffix("%") ? Double(word.dropLast()).map { $0 / 100 } : Double(word)
    guard let number, number > 0, number <= 1 else {
      throw CommandFailure("a share of the time is wanted, as 20%, at most 100%")
    }
    return number
  }

  /// The plan as a table, with the changes before it.
  private static func lines(_ plan: MigrationPlan, title: String) -> [String] {
    var lines = ["\(title)  \(plan.source.prefix(8)) -> \(plan.destination.prefix(8))"]
    var rows = [["", "step", "kind", "records"]]
    for (number, step) in plan.steps.enumerated() {
      rows.append([
        String(number + 1), step.title,
        [step.kind.rawValue, step.lock?.words].compactMap { $0 }.joined(separator: ", "),
        step.rows > 0 ? Quantity.grouped(step.rows) : "-",
      ])
    }
    lines += Padding.table(rows, right: [3])
    if plan.steps.isEmpty {
      lines = [lines[0], "Nothing but the version of the model is written."]
    }
    lines.append(plan.estimate.description)
    for loss in plan.losses where loss.count > 0 {
      lines.append("LOSES \(Quantity.of(loss.count, "value")): \(loss.name)")
    }
    return lines
  }

  private static func migrate(
    _ description: PersistentStoreDescription, to model: ManagedObjectModel, _ title: String,
    _ console: CommandConsole
  ) throws {
    let coordinator = try PersistentStoreCoordinator(managedObjectModel: model)
    coordinator.migrations.observe { progress in
      let share = progress.total > 0 ? " \(progress.completed * 100 / progress.total) %" : ""
      console.showProgress(
        "\(progress.step) of \(progress.stepCount): \(progress.title)\(share)")
    }
    defer { console.showProgress("") }
    let store = try coordinator.addPersistentStore(with: description)
    let checksum = store.metadata.versionChecksum
    try coordinator.detach(store)
    console.print(
      description.evolution.versions == .expand
        ? "\(title) serves version \(checksum) as well now."
        : "\(title) is of version \(checksum) now.")
  }
}

/// The model that a store was written with, for one that does not keep it; what is done follows from the models.
private struct NamedSource: StoreMigration {
  let sourceModels: [ManagedObjectModel]

  func migrate(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel, reporter: MigrationReporter
  ) throws -> Bool {
    false
  }
}
