// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

/// Arguments and options that several commands have.
enum CommonParameters {
  static let store = store("STORE", StoreAddress.help)

  static func store(_ name: String, _ help: String) -> CommandArgument<StoreAddress> {
    CommandArgument(name, help, completion: StoreAddress.completion) { try StoreAddress($0) }
  }

  static let model = CommandOption(
    "--model", "FILE",
    "The model, an .xcdatamodeld, .xcdatamodel, .momd or .mom; the one that the store keeps unless "
      + "given.", short: "m", completion: .files)

  static let json = CommandFlag("--json", "Prints JSON.")
  static let entity = CommandArgument("ENTITY", "The name of the entity.")
  static let condition = CommandArgument(
    "CONDITION",
    "Which records, in the format language of predicates, as 'age > 18'; all unless given.",
    isRequired: false)
}

extension StoreSession {
  /// Opens the store that a command line names, calls a function with it, and closes it.
  static func reading<Result>(
    _ parsed: ParsedArguments, _ body: (StoreSession) throws -> Result
  ) throws -> Result {
    let session = try StoreSession(
      reading: parsed.required(CommonParameters.store), modelPath: parsed[CommonParameters.model])
    defer { session.close() }
    return try body(session)
  }
}
