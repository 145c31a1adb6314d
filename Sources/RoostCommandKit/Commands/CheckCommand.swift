// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostLMDB
import RoostModel
import RoostSQLite
import RoostStore

/// `roost check`.
enum CheckCommand {
  static let command = Command(
    "check", "Reads everything that a store holds, and looks for damage.",
    discussion: """
      Checked are the structure of a SQLite or LMDB file, the model that the store keeps, every record with
      its required values, references and links that lead nowhere, and unique values that are there twice.
      The program ends with 1 when something is wrong. Nothing is changed.
      """,
    parameters: [CommonParameters.store, CommonParameters.model]
  ) { parsed, console in
    let address = try parsed.required(CommonParameters.store)
    let description = try address.existing()
    var findings = try structure(of: description, address.title)
    findings += try modelDamage(of: description, address.title)
    // Nothing can be said of records in a file whose pages are damaged.
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

  /// What is wrong with the model that a store keeps.
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
