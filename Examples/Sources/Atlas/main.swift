// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine

let store = CommandOption<StoreKind>("--store", "NAME", "The kind of store that keeps the codes.")
let log = CommandFlag("--log", "Prints every statement.")

let atlas = Command(
  "atlas", "Goes through the ISO tables, and asks them.", parameters: [store, log]
) { parsed, _ in
  guard let tables = ISOTables.installed() else {
    throw CommandFailure(
      """
      The ISO tables are not installed: Debian's package is called iso-codes.
      ATLAS_ISO_CODES can name the folder of its JSON files.
      """)
  }
  // All files are in a folder of their own, which is removed afterwards.
  let folder = FileManager.default.temporaryDirectory.appending(path: "atlas-\(UUID())")
  let (kind, isLogged) = (parsed[store], parsed[log])
  // The command runs where the program began.
  try MainActor.assumeIsolated {
    StoreKind.asked = kind
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      if let store = try? Stores.reference(in: folder) { try? store.type.driver.destroy(store) }
      try? FileManager.default.removeItem(at: folder)
    }
    do {
      try Tour(tables: tables, folder: folder, isLogged: isLogged).run()
    } catch {
      throw CommandFailure("The tour ended early: \(error)")
    }
  }
}

exit(CommandProgram(atlas).run(Array(CommandLine.arguments.dropFirst()), .standard))
