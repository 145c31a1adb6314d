// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostModel

/// An error as the program prints it: what failed and where, the remedy, and the errors that it combines.
struct ErrorReport {
  private let error: PersistenceError
  /// The name of the store on the command line; nil for an error of none.
  private let title: String?

  /// - Returns: nil for an error that is neither of Roost nor of one of its stores.
  init?(_ error: any Error) {
    switch error {
    case let failure as NamedFailure: (self.error, title) = (failure.error, failure.title)
    case let error as PersistenceError: (self.error, title) = (error, nil)
    default: return nil
    }
  }

  /// The lines of the report.
  var text: String {
    var lines = [message]
    let remedy = remedy
    if !remedy.isEmpty, !message.contains(remedy) { lines.append(remedy) }
    for part in error.underlyingErrors.prefix(20) where part.message != error.message {
      lines.append("- " + Self.words(CommandProgram.describe(part)))
    }
    if let cause { lines.append("- " + cause) }
    return lines.joined(separator: "\n")
  }

  private var message: String {
    let message = Self.words(CommandProgram.describe(error))
    guard let title, !message.contains(title) else { return message }
    return "\(title): \(message)"
  }

  /// The text of the engine or the operating system, where the message leaves the reason to it.
  private var cause: String? {
    guard let underlying = error.underlying, !(underlying is PersistenceError) else { return nil }
    guard Self.engineCodes.contains(error.code) || CommandProgram.isSystemError(underlying) else {
      return nil
    }
    let text = CommandProgram.describe(underlying)
    return error.message.contains(text) ? nil : text
  }

  /// The error's own remedy, or what the user of the command can do.
  private var remedy: String {
    let standard = PersistenceError(error.code, "").remedy
    guard error.remedy == standard else { return error.remedy }
    if error.code == .persistentStoreOpen, title?.hasPrefix("postgres") == true {
      return "See that the server runs and that the user may log in; PGPASSWORD has the password."
    }
    return Self.remedies[error.code] ?? standard
  }

  /// The codes of errors whose message only says that an engine failed.
  private static let engineCodes: Set<PersistenceError.Code> = [
    .persistentStoreSave, .persistentStoreOperation, .migrationManagerSourceStore,
    .migrationManagerDestinationStore,
  ]

  /// The remedies for the user of the command, where the usual one is for the code of a program.
  private static let remedies: [PersistenceError.Code: String] = [
    .persistentStoreTypeMismatch:
      "Name a store with its kind, as sqlite:PATH, lmdb:PATH or binary:PATH.",
    .persistentStoreOpen: "Name a store that is there, and see that it may be read.",
    .persistentStoreTimeout: "Try again when the store is less busy.",
    .persistentStoreSave: "See that the disk has room and that the store may be written.",
    .persistentStoreOperation: "See that the store can be reached, and that it may be read.",
    .persistentStoreIncompatibleVersionHash:
      "Leave --model out, or bring the store to the model: roost migrate STORE --to MODEL.",
    .readOnlyStore: "See that the file and its folder may be written.",
    .corruptStore:
      "“roost check” lists what is damaged, and “roost restore” puts a backup in the place of a store.",
    .storeBusy: "Try again, or end the programs that use the store.",
    .noStore: "Name a store that has the entity, and may be written.",
    .saveInDoubt: "Open the store together with the one that decides, with the program.",
    .migrationManagerSourceStore: "See that the store is there and may be read.",
    .migrationManagerDestinationStore: "See that the disk has room and the place may be written.",
    .migrationMissingSourceModel: "Give the model that the store was written with by --model FILE.",
    .migrationMissingMappingModel: "Open the store with the program, which has the mapping model.",
    .unknownEntity: "“roost inspect” lists the entities of a store.",
    .unknownKey: "“roost inspect” lists the properties of each entity.",
    .invalidModel: "Mend the model, or name another one.",
  ]

  /// A message in the words of the command, where it names a function of the library.
  private static func words(_ message: String) -> String {
    message.replacing("ModelLock.write", with: "“roost lock”")
  }
}
