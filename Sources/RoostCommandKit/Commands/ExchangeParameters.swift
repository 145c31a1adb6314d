// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostExchange
import RoostModel

/// Parameters shared by `roost export`, `roost import` and `roost seed`.
enum ExchangeParameters {
  static let json = CommandFlag("--json", "JSON lines: an object in each line.")
  static let csv = CommandFlag("--csv", "Comma-separated values, a file for each entity.")
  static let delimiter = CommandOption(
    "--delimiter", "CHARACTER",
    "What separates the values of CSV, as ';' or tab; a comma unless given."
  ) { word -> Unicode.Scalar in
    if word == "tab" || word == "\\t" { return "\t" }
    guard word.unicodeScalars.count == 1, let scalar = word.unicodeScalars.first, scalar.isASCII,
      !"\"\r\n".unicodeScalars.contains(scalar)
    else { throw UsageError("takes one ASCII character or “tab”, not “\(word)”") }
    return scalar
  }
  static let batch = CommandOption(
    "--batch", "COUNT", "How many records are read and written at a time; 500 unless given.",
    in: 1...1_000_000)

  /// The format that a command line names; nil for none.
  static func format(_ parsed: ParsedArguments) throws(UsageError) -> ExchangeFormat? {
    if let delimiter = parsed[delimiter] {
      guard !parsed[json] else { throw UsageError("--delimiter is for CSV.") }
      return .csv(delimiter: delimiter)
    }
    if parsed[json] { return .jsonLines }
    return parsed[csv] ? .csv : nil
  }

  /// Shows how far something is.
  static func show(_ progress: ExchangeProgress, _ title: String, _ console: CommandConsole) {
    let verb =
      switch progress.phase {
      case .scanning: "scanned"
      case .writing: "written"
      case .linking: "linked"
      }
    let (done, total) = (Quantity.grouped(progress.completed), Quantity.grouped(progress.total))
    console.showProgress("\(title): \(done) of \(total) \(verb)")
  }

  /// Summarises an import in one line.
  static func text(_ report: ImportReport) -> String {
    var parts = [
      "\(Quantity.grouped(report.inserted)) inserted",
      "\(Quantity.grouped(report.updated)) updated",
      "\(Quantity.grouped(report.unchanged)) unchanged",
    ]
    if report.skipped > 0 { parts.append("\(Quantity.grouped(report.skipped)) skipped") }
    if report.skippedReferences > 0 {
      parts.append("\(Quantity.grouped(report.skippedReferences)) destinations skipped")
    }
    var text = parts.joined(separator: ", ")
    if report.resumedAfter > 0 {
      text += "; went on after \(Quantity.grouped(report.resumedAfter)) records"
    }
    return text
  }
}

extension StoreSession {
  /// Opens the store that a command line names for writing, calls a function with it, and closes it.
  static func writing<Result>(
    _ parsed: ParsedArguments, _ body: (StoreSession) throws -> Result
  ) throws -> Result {
    let address = try parsed.required(CommonParameters.store)
    return try NamedFailure.naming(address.title) {
      let session = try StoreSession(writing: address, modelPath: parsed[CommonParameters.model])
      defer { session.close() }
      return try body(session)
    }
  }
}
