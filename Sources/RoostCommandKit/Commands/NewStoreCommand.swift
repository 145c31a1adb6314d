// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine

/// `roost new-store`.
enum NewStoreCommand {
  private static let name = CommandArgument(
    "NAME", "The name of the package and its module, as PlainFile.")
  private static let folder = CommandOption(
    "--folder", "DIR", "Where the package is made; a folder NAME here unless given.",
    completion: .files)
  private static let roost = CommandOption(
    "--roost", "PATH", "Where the package of Roost is, from the new one; ../Roost unless given.",
    completion: .files)

  static let command = Command(
    "new-store",
    "Writes a package with a store of one's own, and the tests of the conformance kit.",
    discussion: """
      The package is complete: its store keeps a sorted file that each save replaces, and “swift test” runs the
      conformance kit on it. It stands on the key-value family: replace the file by your engine, part by part,
      and the kit says what is missing. Nothing is overwritten.
      """,
    parameters: [name, folder, roost]
  ) { parsed, console in
    let name = try parsed.required(name)
    let template = try StoreTemplate(name: name, roostPath: parsed[roost] ?? "../Roost")
    let place = URL(filePath: parsed[folder] ?? name, directoryHint: .isDirectory)
    let manager = FileManager.default
    let path = place.path(percentEncoded: false)
    if manager.fileExists(atPath: path),
      try !NewPath(path).isFolder || !manager.contentsOfDirectory(atPath: path).isEmpty
    {
      throw CommandFailure(
        "There is something in \(place.relativePath) already; nothing was written.")
    }
    do {
      for (path, text) in template.files {
        let file = place.appending(path: path)
        try manager.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .withoutOverwriting)
      }
    } catch {
      throw CommandFailure(
        "\(place.relativePath) cannot be written: \(CommandProgram.reason(of: error))")
    }
    console.print(place.relativePath)
    for (path, _) in template.files { console.print("  " + path) }
    console.print("Run the conformance kit on it: swift test --package-path \(place.relativePath)")
  }
}
