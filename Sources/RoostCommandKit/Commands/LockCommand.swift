// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostMigration
import RoostModel
import RoostStore

/// `roost lock`.
enum LockCommand {
  private static let source = CommandArgument(
    "MODEL", ModelSource.help, isRequired: false, completion: .files)
  private static let release = CommandOption(
    "--release", "LABEL", "Freezes the version as that of a release, such as 2.3.")
  private static let file = CommandOption(
    "--file", "FILE", "The lock file; Models/NAME.roostlock unless given.", completion: .files)
  private static let fixtures = CommandOption(
    "--fixtures", "FOLDER", "Makes a small store of each release, for tests that migrate them.",
    completion: .files)

  static let command = Command(
    "lock", "Writes into a lock file what a model is now.",
    discussion: """
      The file belongs into the repository of the program. A version that is not released is replaced; that of a
      release never changes. “roost check MODEL --against FILE” compares a model with it.

      With --fixtures the folder gets a store of each release and type, as 2.3.sqlite, with a few made-up objects
      of every entity. Stores that are there are left as they are: no newer program can make again what an old
      one has written. The version under development has none. Types are sqlite, lmdb and binary, all of them
      unless --type names some; stores on a server or in memory are no files, and have none.
      “roost check MODEL --against FILE --fixtures FOLDER” migrates copies of them.
      """,
    parameters: [
      source, release, file, fixtures, CommonParameters.fixtureType, CommonParameters.product,
      CommonParameters.program,
    ]
  ) { parsed, console in
    let kinds = parsed.all(CommonParameters.fixtureType)
    if !kinds.isEmpty, parsed[fixtures] == nil {
      throw UsageError("--type needs --fixtures FOLDER.")
    }
    let model = try parsed.model(source)
    let url = URL(filePath: try parsed[file] ?? standardFile(parsed))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    if let label = parsed[release], let lock = try? ModelLock(contentsOf: url),
      lock.versions.contains(where: { $0.label == label })
    {
      throw PersistenceError(
        .invalidValue, "The lock file has a release “\(label)” already; nothing was written.")
    }
    try ModelLock.write(model, to: url)
    if let label = parsed[release] { try ModelLock.release(label, at: url) }
    let versions = try ModelLock(contentsOf: url).versions
    console.print(url.relativePath)
    let rows = versions.map { [$0.label ?? "under development", $0.versionChecksum] }
    for line in Padding.table(rows) { console.print("  " + line) }
    if let folder = parsed[fixtures] {
      let types = (kinds.isEmpty ? FixtureKind.allCases : kinds).map(\.type)
      try makeFixtures(of: model, in: folder, from: url, types, console)
    }
  }

  private static func makeFixtures(
    of model: ManagedObjectModel, in folder: String, from lock: URL,
    _ types: [PersistentStoreType], _ console: CommandConsole
  ) throws {
    let made = try ModelLock.makeFixtures(
      of: model, in: URL(filePath: folder), from: lock, types: types)
    console.print(folder)
    if made.isEmpty { console.print("  No version is released, and so there is nothing to make.") }
    let rows = made.map { fixture in
      [fixture.url.lastPathComponent, fixture.isNew ? "made" : "is there, and was left as it is"]
    }
    for (line, fixture) in zip(Padding.table(rows), made) {
      console.print("  " + line)
      for (entity, reason) in fixture.missingEntities.sorted(by: { $0.key < $1.key }) {
        console.print("    No objects of \(entity): \(reason)")
      }
    }
  }

  /// `Models/HR.roostlock` for `HR.xcdatamodeld` and for the product `HR`.
  private static func standardFile(_ parsed: ParsedArguments) throws(UsageError) -> String {
    let name =
      parsed[source] ?? parsed[CommonParameters.program] ?? parsed[CommonParameters.product]
    guard let name, !name.contains("://") else { throw UsageError("--file FILE is missing.") }
    let path = name.hasSuffix("/") ? String(name.dropLast()) : name
    let base = URL(filePath: path).deletingPathExtension().lastPathComponent
    return "Models/\(base).roostlock"
  }
}
