// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostLMDB
import RoostMigration
import RoostModel
import RoostSQLite
import RoostStore

/// `roost check`.
enum CheckCommand {
  private static let subject = CommandArgument(
    "STORE|MODEL",
    "A store; with --against a model (\(ModelFile.help)), or a store for the model that it keeps.",
    isRequired: false, completion: .files)
  private static let lock = CommandOption(
    "--against", "FILE", "Compares a model with a lock file, and reads no records.",
    completion: .files)
  private static let except = CommandOption(
    "--except", "LABEL",
    "With --against: a release whose stores the program migrates with a mapping model or stages.",
    isRepeated: true)
  private static let fixtures = CommandOption(
    "--fixtures", "FOLDER",
    "With --against: migrates copies of the stores of “roost lock --fixtures”.",
    completion: .files)

  static let command = Command(
    "check", "Looks for damage in a store, or compares a model with its lock file.",
    discussion: """
      Of a store are checked the structure of a SQLite or LMDB file, the model that it keeps, every record with
      its required values, references and links that lead nowhere, and unique values that are there twice.
      Of a model: whether it is the version that was locked last, and whether stores of each release can follow
      to it. With --fixtures a copy of each kept store of a release is migrated as far as can be inferred, and
      every object in it is read and validated. The program ends with 1 when something is wrong. Nothing is
      changed.
      """,
    parameters: [
      subject, CommonParameters.model, lock, except, fixtures, CommonParameters.fixtureType,
      CommonParameters.allowsTypeChanges, CommonParameters.product, CommonParameters.program,
    ]
  ) { parsed, console in
    if let lock = parsed[lock] { return try compare(parsed, with: lock, console) }
    let options: [(Bool, String)] = [
      (parsed[CommonParameters.product] != nil, "--product"),
      (parsed[CommonParameters.program] != nil, "--program"),
      (!parsed.all(except).isEmpty, "--except"),
      (parsed[fixtures] != nil, "--fixtures"),
      (!parsed.all(CommonParameters.fixtureType).isEmpty, "--type"),
      (parsed[CommonParameters.allowsTypeChanges], "--allow-type-changes"),
    ]
    if let (_, name) = options.first(where: \.0) {
      throw UsageError("\(name) needs --against FILE.")
    }
    let word = try parsed.required(subject)
    let address: StoreAddress
    do throws(UsageError) {
      address = try StoreAddress(word)
    } catch {
      throw UsageError("STORE \(error).")
    }
    try NamedFailure.naming(address.title) { try checkStore(address, parsed, console) }
  }

  private static func compare(
    _ parsed: ParsedArguments, with lock: String, _ console: CommandConsole
  ) throws {
    if parsed[CommonParameters.model] != nil {
      throw UsageError("--model is for stores; the model is the first word.")
    }
    let kinds = parsed.all(CommonParameters.fixtureType)
    if !kinds.isEmpty, parsed[fixtures] == nil {
      throw UsageError("--type needs --fixtures FOLDER.")
    }
    let model = try parsed.model(subject)
    guard FileManager.default.fileExists(atPath: lock) else {
      throw PersistenceError(.invalidModel, "There is no lock file at \(lock).")
        .remedied(by: "“roost lock MODEL --file \(lock)” writes it.")
    }
    try ModelLock.check(
      model, against: URL(filePath: lock), except: Set(parsed.all(except)),
      allowsLosslessTypeChanges: parsed[CommonParameters.allowsTypeChanges])
    console.print("The model is the one in \(lock), and stores of each release can follow to it.")
    guard let folder = parsed[fixtures] else { return }
    let place = URL(filePath: folder)
    let types = (kinds.isEmpty ? FixtureKind.found(in: place) : kinds).map(\.type)
    try ModelLock.checkFixtures(
      of: model, in: place, against: URL(filePath: lock),
      stores: types.map { type in
        var description = PersistentStoreDescription(type: type)
        description.evolution.allowsLosslessTypeChanges = parsed[CommonParameters.allowsTypeChanges]
        return description
      }, except: [], leavingOut: Set(parsed.all(except)), validates: true)
    console.print("The stores in \(folder) have followed to it, and nothing in them is wrong.")
  }

  private static func checkStore(
    _ address: StoreAddress, _ parsed: ParsedArguments, _ console: CommandConsole
  ) throws {
    let description = try address.existing()
    var findings = try structure(of: description, address.title)
    findings += try modelDamage(of: description, address.title)
    // The records of a file with damaged pages cannot be checked.
    guard findings.isEmpty else { return try report(findings, console) }
    var options: [String: MetadataValue] = [:]
    if StoreAddress.Kind(description.type) == .lmdb {
      options[LMDBOption.checkedSize] = .integer(.max)
    }
    let session = try StoreSession(
      reading: address, modelPath: parsed[CommonParameters.model], options: options)
    defer { session.close() }
    var check = try StoreCheck(session)
    try check.run { console.showProgress("\(address.title): \($0)") }
    console.showProgress("")
    let count = Quantity.of(check.recordCount, "record")
    let links = check.linkCount > 0 ? " and \(Quantity.of(check.linkCount, "link"))" : ""
    console.print("\(address.title): \(count)\(links) read.")
    try report(check.findings, console)
  }

  private static func report(_ findings: [String], _ console: CommandConsole) throws {
    guard !findings.isEmpty else { return console.print("Nothing is wrong.") }
    for finding in findings { console.print("- \(finding)") }
    throw CommandFailure()
  }

  private static func structure(
    of description: PersistentStoreDescription, _ title: String
  ) throws -> [String] {
    guard StoreAddress.Kind(description.type) == .sqlite else { return [] }
    return try SQLiteDriver.structuralDamage(of: description)
  }

  /// Returns the damage of the model that a store keeps.
  private static func modelDamage(
    of description: PersistentStoreDescription, _ title: String
  ) throws -> [String] {
    let found = try StoredModel(of: description, title: title)
    guard let text = found.text else { return [] }
    do throws(PersistenceError) {
      let hashes = try CanonicalModel(bytes: text).entityVersionHashes
      let different = found.metadata.entityVersionHashes.filter { hashes[$0.key] != $0.value }.keys
      guard !different.isEmpty else { return [] }
      let names = different.sorted(by: UTF8Order.isLess).joined(separator: ", ")
      return [
        "The model that the store keeps is another one than its version hashes say: \(names)."
      ]
    } catch {
      return [error.message]
    }
  }
}
