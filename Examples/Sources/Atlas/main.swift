// SPDX-License-Identifier: Apache-2.0

import Foundation

guard let tables = ISOTables.installed() else {
  print("The ISO tables are not installed: Debian's package is called iso-codes.")
  print("ATLAS_ISO_CODES can name the folder of its JSON files.")
  exit(1)
}

// A kind of store that is not known is told before anything is made.
_ = StoreKind.asked

// Everything happens in a folder of its own, which is gone afterwards.
let folder = FileManager.default.temporaryDirectory.appending(path: "atlas-\(UUID())")
do {
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer {
    if let store = try? Stores.reference(in: folder) { try? store.type.driver.destroy(store) }
    try? FileManager.default.removeItem(at: folder)
  }
  let isLogged = CommandLine.arguments.contains("--log")
  try Tour(tables: tables, folder: folder, isLogged: isLogged).run()
} catch {
  print("\nThe tour ended early: \(error)")
  exit(1)
}
