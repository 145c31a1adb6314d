// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostModel
import RoostStore

/// `roost copy`, `roost backup` and `roost restore`.
enum CopyCommand {
  private static let destination = CommonParameters.store(
    "DESTINATION", "Where the copy is made: a place of any kind where there is no store.")
  private static let backupFile = CommonParameters.store(
    "FILE",
    "Where the backup is made: a path, or sqlite:PATH, lmdb:PATH, binary:PATH for another kind.")
  private static let savedFile = CommonParameters.store("FILE", "The backup.")
  private static let restored = CommonParameters.store(
    "STORE", "The store that becomes what the backup is: a path, or a kind and a path.")
  private static let overwrite = CommandFlag(
    "--force", "Overwrites what is there. It must not be in use.", short: "f")

  static let copy = Command(
    "copy", "Copies a store to a new one of any kind, and compares the numbers of records.",
    discussion: """
      The copy is of one moment also when other programs write the store. It has a UUID of its own; records
      keep their numbers.
      """,
    parameters: [CommonParameters.store, destination, CommonParameters.model]
  ) { parsed, console in
    let address = try parsed.required(destination)
    let target = try address.destination()
    let found = try NamedFailure.naming(address.title) {
      try target.type.driver.metadata(of: target)
    }
    if let found, !found.isUnfinishedCopy, !found.entityVersionHashes.isEmpty {
      throw CommandFailure(
        "There is a store at \(address.title) already: a copy overwrites nothing.")
    }
    try StoreSession.reading(parsed) { session in
      try transfer(session, to: target, title: address.title, console)
    }
  }

  static let backup = Command(
    "backup", "Copies a store to a file, also while programs use it.",
    discussion: """
      The backup is a store with the same UUID, so that it has the same object IDs. It is of the same kind; that
      of a PostgreSQL store is a SQLite file unless its name says otherwise. A backup of another kind is made
      record by record, without the history of the store.
      """,
    parameters: [CommonParameters.store, backupFile, overwrite, CommonParameters.model]
  ) { parsed, console in
    let address = try parsed.required(CommonParameters.store)
    let file = try parsed.required(backupFile)
    let source = try address.existing()
    let sameKind = StoreAddress.Kind(source.type)
    let target = try file.destination(sameKind == .postgresql ? .sqlite : sameKind)
    try put(address, source, to: target, file.title, parsed, console)
  }

  static let restore = Command(
    "restore", "Makes a store what it was when it was backed up.",
    discussion: """
      The store gets the UUID of the backup. What is there is overwritten with --force only, and not while it is in
      use. A backup of another kind than the store is copied record by record, into a place beside the store, which
      stays as it is until the copy is complete.
      """,
    parameters: [savedFile, restored, overwrite, CommonParameters.model]
  ) { parsed, console in
    let file = try parsed.required(savedFile)
    let address = try parsed.required(restored)
    let source = try file.existing()
    let target = try address.destination(StoreAddress.Kind(source.type))
    try put(file, source, to: target, address.title, parsed, console)
  }

  /// Replaces a store with a copy of another one.
  private static func put(
    _ address: StoreAddress, _ source: PersistentStoreDescription,
    to target: PersistentStoreDescription, _ title: String, _ parsed: ParsedArguments,
    _ console: CommandConsole
  ) throws {
    // This also reads the destination when it is no store: that throws here, and the file is not overwritten.
    let found = try NamedFailure.naming(title) { try target.type.driver.metadata(of: target) }
    guard found == nil || parsed[overwrite] else {
      throw CommandFailure("There is a store at \(title) already. --force overwrites it.")
    }
    let driver = source.type.driver
    let original = try NamedFailure.naming(address.title) { try driver.metadata(of: source) }
    guard let original else {
      throw PersistenceError(.persistentStoreOpen, "There is no store at \(address.title).")
    }
    let arrow = "\(address.title) -> \(title)"
    if source.type == target.type, StoreAddress.Kind(source.type) != .postgresql {
      try NamedFailure.naming(arrow) { try driver.replace(target, with: source) }
    } else {
      try StoreSession.reading(address, modelPath: parsed[CommonParameters.model]) { session in
        guard found != nil else {
          try transfer(session, to: target, title: title, keepsIdentity: true, console)
          return
        }
        try NamedFailure.naming(title) {
          try StoreReplacementPlace(of: target).replace { place in
            try transfer(
              session, to: place, title: title, keepsIdentity: true,
              afterDifference: "The store at \(title) is unchanged.", console)
          }
        }
      }
    }
    guard let copy = try target.type.driver.metadata(of: target),
      copy.identifier == original.identifier
    else {
      throw CommandFailure("What is at \(title) now is not the copy. Try again.")
    }
    let size = target.files.first.map { ", \(Quantity.bytes($0.size))" } ?? ""
    console.print("\(arrow)\(size), UUID \(copy.identifier)")
  }

  private static func transfer(
    _ session: StoreSession, to target: PersistentStoreDescription, title: String,
    keepsIdentity: Bool = false, afterDifference consequence: String? = nil,
    _ console: CommandConsole
  ) throws {
    let run = StoreTransferRun(
      source: session, destination: target, destinationTitle: title, keepsIdentity: keepsIdentity,
      console: console)
    let outcome = try NamedFailure.naming("\(session.title) -> \(title)") { try run.run() }
    var rows = [["entity", "source", "copy"]]
    rows += outcome.counts.map {
      [$0.entity, Quantity.grouped($0.after), Quantity.grouped($0.copied)]
    }
    for line in Padding.table(rows, right: [1, 2]) { console.print(line) }
    if outcome.wasWritten {
      console.print("Other programs wrote the source meanwhile: the copy is of one moment before.")
    }
    guard outcome.differences.isEmpty || outcome.wasWritten else {
      throw CommandFailure(
        "The numbers of records differ: \(outcome.differences.joined(separator: ", ")). "
          + (consequence ?? "Do not use the copy at \(title)."))
    }
  }
}

extension StoreAddress.Kind {
  /// The kind for a store type; nil for a type that command lines do not have.
  init?(_ type: PersistentStoreType) {
    self.init(rawValue: type.rawValue.lowercased())
  }
}
