// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostModel

/// Arguments and options that several commands have.
enum CommonParameters {
  static let store = store("STORE", StoreAddress.help)

  static func store(_ name: String, _ help: String) -> CommandArgument<StoreAddress> {
    CommandArgument(name, help, completion: StoreAddress.completion) { try StoreAddress($0) }
  }

  static let model = CommandOption(
    "--model", "FILE",
    "The model, \(ModelFile.help); the one that the store keeps unless given.", short: "m",
    completion: .files)

  static let product = CommandOption(
    "--product", "NAME", "Builds a program of the package here and takes its model.")
  static let program = CommandOption(
    "--program", "FILE", "Takes the model of a program that is built already.", completion: .files)
  static let allowsTypeChanges = CommandFlag(
    "--allow-type-changes", "Types may change where no value is lost, as with the program's policy."
  )

  static let fixtureType = CommandOption<FixtureKind>(
    "--type", "TYPE", "With --fixtures: a type of store: sqlite, lmdb or binary.",
    isRepeated: true)

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
    try reading(
      parsed.required(CommonParameters.store), modelPath: parsed[CommonParameters.model], body)
  }

  /// Opens a store, calls a function with it, and closes it. Errors of the store get its name.
  static func reading<Result>(
    _ address: StoreAddress, modelPath: String?, _ body: (StoreSession) throws -> Result
  ) throws -> Result {
    try NamedFailure.naming(address.title) {
      let session = try StoreSession(reading: address, modelPath: modelPath)
      defer { session.close() }
      return try body(session)
    }
  }
}

extension ParsedArguments {
  /// The model that a command line names by a file or store, a product or a program.
  ///
  /// - Throws: ``UsageError`` when it names none or two, and the errors of making the model.
  func model(_ source: CommandArgument<String>) throws -> ManagedObjectModel {
    let (word, product, program) = (
      self[source], self[CommonParameters.product], self[CommonParameters.program]
    )
    guard [word, product, program].count(where: { $0 != nil }) == 1 else {
      throw UsageError("One model is to be given: \(source.syntax.name), --product or --program.")
    }
    if let word { return try ModelSource(word).model() }
    let path = try program ?? product.map { try ProgramModel.build($0) } ?? ""
    return try ModelSource.frozen(ProgramModel().model(ofProgram: path))
  }
}
