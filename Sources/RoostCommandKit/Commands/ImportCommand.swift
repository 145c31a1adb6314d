// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostCoordinator
import RoostExchange
import RoostModel
import RoostObjects
import RoostStore

/// `roost import` and `roost seed`.
enum ImportCommand {
  private static let files = CommandArgument(
    "FILE", "Files or folders, which are read as one.", isRepeated: true, completion: .files)
  private static let folder = CommandArgument(
    "FOLDER", "The folder with the files, or one file.", completion: .files)
  private static let entity = CommandOption(
    "--entity", "ENTITY",
    "The entity of lines that name none; the one a file is named after unless given.")
  private static let insert = CommandFlag(
    "--insert", "Refuses lines whose unique key a record has.")
  private static let upsert = CommandFlag(
    "--upsert", "Changes the record that has the unique key of a line, which is usual.")
  private static let map = CommandOption(
    "--map", "COLUMN=PROPERTY", "What a column is called in the model; COLUMN= leaves it out.",
    isRepeated: true
  ) { word in
    guard let place = word.firstIndex(of: "="), place > word.startIndex else {
      throw UsageError("takes COLUMN=PROPERTY, not “\(word)”")
    }
    return [String(word[..<place]), String(word[word.index(after: place)...])]
  }
  private static let key = CommandOption(
    "--key", "ENTITY=LIST", "The constraint that tells records apart, as Person=country,number.",
    isRepeated: true
  ) { word in
    let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw UsageError("takes ENTITY=ATTRIBUTES, not “\(word)”") }
    return [parts[0]] + parts[1].split(separator: ",").map { String($0).trimmed }
  }
  private static let skip = CommandFlag(
    "--skip-missing", "Leaves out destinations that are neither in the files nor in the store.")
  private static let trial = CommandFlag(
    "--dry-run", "Reads and validates everything, and writes nothing.")
  private static let resume = CommandFlag(
    "--resume", "Goes on where an interrupted import stopped, which is usual.")
  private static let anew = CommandFlag(
    "--anew",
    "Begins with the first record, also of a file that was changed since it was interrupted.")
  private static let version = CommandOption(
    "--seed-version", "NUMBER",
    "The version of the seeds; a store takes each once. 1 unless given.",
    in: 1...Int.max)
  private static let label = CommandOption(
    "--name", "NAME",
    "The name under which the store remembers how far the import is; that of the file unless given."
  )
  private static let name = CommandOption(
    "--name", "NAME", "The name under which the store remembers the version; seeds unless given.")

  static let command = Command(
    "import", "Reads JSON lines or CSV into a store.",
    discussion: """
      A line changes the record that has its unique key, or makes one, so that a file can be imported again.
      Each batch is validated and saved by itself. After an interruption, the same command goes on where it
      stopped. Columns of CSV are properties, and team.name is the unique key of a destination.
      """,
    parameters: [
      CommonParameters.store, files, ExchangeParameters.json, ExchangeParameters.csv,
      ExchangeParameters.delimiter, entity, insert, upsert, map, key, skip, trial, resume, anew,
      label,
      ExchangeParameters.batch, CommonParameters.model,
    ],
    exclusive: [["--json", "--csv"], ["--insert", "--upsert"], ["--resume", "--anew"]]
  ) { parsed, console in
    guard !parsed.all(files).isEmpty else { throw UsageError("FILE is missing.") }
    try StoreSession.writing(parsed) { session in
      var options = ImportOptions(
        format: try ExchangeParameters.format(parsed),
        entity: try parsed[entity].map { try session.entity(named: $0).name ?? "" })
      options.existing = parsed[insert] ? .refuse : .update
      options.missing = parsed[skip] ? .skip : .refuse
      options.isDryRun = parsed[trial]
      options.startsAnew = parsed[anew]
      options.name = parsed[label]
      options.batchSize = parsed[ExchangeParameters.batch] ?? options.batchSize
      for pair in parsed.all(map) { options.columns[pair[0]] = pair[1] }
      for words in parsed.all(key) {
        options.keys[try session.entity(named: words[0]).name ?? ""] = Array(words.dropFirst())
      }
      defer { console.showProgress("") }
      let run = try ImportRun(
        from: parsed.all(files).map { URL(filePath: $0) }, options, in: session.coordinator)
      while try run.context.performAndWait({ try run.step() }) {
        ExchangeParameters.show(run.progress, session.title, console)
      }
      console.print(
        (parsed[trial] ? "would be: " : "") + ExchangeParameters.text(run.report))
    }
  }

  static let seed = Command(
    "seed", "Gives a store the records of a folder that it begins with, once for each version.",
    discussion: """
      The files are JSON lines or CSV, named after their entities or naming them. Every record must have a
      unique key, by which it is recognised when a later version is applied. With --model the store is made when
      there is none.
      """,
    parameters: [CommonParameters.store, folder, name, version, CommonParameters.model]
  ) { parsed, console in
    let address = try parsed.required(CommonParameters.store)
    let seeds = Seeds(
      folder: URL(filePath: try parsed.required(folder)), name: parsed[name] ?? "seeds",
      version: parsed[version] ?? 1)
    // Before the store is asked for its version: one that has it would not notice a wrong folder.
    try seeds.requireFiles()
    let made = try NamedFailure.naming(address.title) {
      try makeStore(at: address, modelPath: parsed[CommonParameters.model])
    }
    do {
      try StoreSession.writing(parsed) { session in
        let report = try SeedRun(seeds: seeds, coordinator: session.coordinator).run()
        console.print(
          report.map(ExchangeParameters.text)
            ?? "The store has version \(seeds.version) of “\(seeds.name)”, or a later one.")
      }
    } catch {
      made?.discardStore()
      throw error
    }
  }

  /// Makes a store of a model where there is none.
  ///
  /// - Returns: The store that was made; nil when there is one, or no model is given.
  private static func makeStore(
    at address: StoreAddress, modelPath: String?
  ) throws -> PersistentStoreDescription? {
    guard let modelPath else { return nil }
    let description = try address.destination()
    guard try description.type.driver.metadata(of: description) == nil else { return nil }
    let coordinator = try PersistentStoreCoordinator(
      managedObjectModel: ModelFile(modelPath).model())
    try coordinator.detach(coordinator.addPersistentStore(with: description))
    return description
  }
}
