// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostExchange
import RoostModel
import RoostObjects

/// `roost export`.
enum ExportCommand {
  private static let entities = CommandArgument(
    "ENTITY", "The entities, with their subentities; all unless given.", isRequired: false,
    isRepeated: true)
  private static let destination = CommandOption(
    "--to", "PLACE", "A file, a folder for CSV of several entities, or - for the standard output.",
    completion: .files)
  private static let without = CommandOption(
    "--without", "PROPERTY", "A property that is left out, as Person.photo.", isRepeated: true)
  private static let overwrite = CommandFlag(
    "--force", "Overwrites a file that is there.", short: "f")

  static let command = Command(
    "export", "Writes records to files as JSON lines or CSV.",
    discussion: """
      The files are of one moment, also while other programs write the store. Relationships name their
      destinations by a unique key, or by an ID that is valid in the files. CSV has attributes and to-one
      relationships; the others are to be left out with --without. “roost import” reads the files.
      """,
    parameters: [
      CommonParameters.store, entities, ExchangeParameters.json, ExchangeParameters.csv,
      ExchangeParameters.delimiter, destination, without, ExchangeParameters.batch, overwrite,
      CommonParameters.model,
    ],
    exclusive: [["--json", "--csv"]]
  ) { parsed, console in
    let place = try parsed.required(destination)
    let format =
      try ExchangeParameters.format(parsed)
      ?? ExchangeFormat.named(by: URL(filePath: place).pathExtension)
    guard let format else {
      throw UsageError("The format is not said: give --json or --csv.")
    }
    if place != "-" { try NewPath(place).requireFolder() }
    try StoreSession.reading(parsed) { session in
      let names = try parsed.all(entities).map { try session.entity(named: $0).name ?? "" }
      var options = ExportOptions(entities: names)
      options.leavingOut = Set(parsed.all(without))
      options.batchSize = parsed[ExchangeParameters.batch] ?? options.batchSize
      guard place == "-" else {
        try checkFree(place, parsed)
        let report = try NamedFailure.naming("\(session.title) -> \(place)") {
          try write(session, to: URL(filePath: place), format, options, console)
        }
        tell(report, place, console)
        return
      }
      try print(session, format, options, console)
    }
  }

  private static func checkFree(_ place: String, _ parsed: ParsedArguments) throws {
    var isFolder = ObjCBool(false)
    guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder), !parsed[overwrite]
    else { return }
    let content =
      isFolder.boolValue ? try FileManager.default.contentsOfDirectory(atPath: place) : [""]
    guard content.isEmpty else {
      throw CommandFailure("There is something at \(place) already. --force overwrites it.")
    }
  }

  private static func write(
    _ session: StoreSession, to url: URL, _ format: ExchangeFormat, _ options: ExportOptions,
    _ console: CommandConsole
  ) throws -> ExportReport {
    defer { console.showProgress("") }
    let run = try ExportRun(to: url, as: format, options, in: session.coordinator)
    while try run.context.performAndWait({ try run.step() }) {
      ExchangeParameters.show(run.progress, url.lastPathComponent, console)
    }
    return run.outcome
  }

  private static func tell(_ report: ExportReport, _ place: String, _ console: CommandConsole) {
    let rows = report.counts.sorted { UTF8Order.isLess($0.key, $1.key) }.map {
      [$0.key, Quantity.grouped($0.value)]
    }
    for line in Padding.table([["entity", "records"]] + rows, right: [1]) { console.print(line) }
    console.print("\(Quantity.grouped(report.recordCount)) records -> \(place)")
  }

  /// Prints the content of an export: one snapshot, or nothing.
  private static func print(
    _ session: StoreSession, _ format: ExchangeFormat, _ options: ExportOptions,
    _ console: CommandConsole
  ) throws {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "roost-\(UUID().uuidString).\(format.pathExtension)")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = try write(session, to: file, format, options, console)
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    // The reader of the output may close the pipe, which ends this process: so the file with the records is removed
    // now.
    try FileManager.default.removeItem(at: file)
    var rest = Data()
    while let chunk = try handle.read(upToCount: 1 << 16), !chunk.isEmpty {
      rest.append(chunk)
      // Complete lines only, so that no character is split: the rest waits for the next chunk.
      guard let end = rest.lastIndex(of: 10) else { continue }
      console.write(String(decoding: rest[...end], as: UTF8.self))
      rest = Data(rest[(end + 1)...])
    }
    if !rest.isEmpty { console.write(String(decoding: rest, as: UTF8.self)) }
  }
}
