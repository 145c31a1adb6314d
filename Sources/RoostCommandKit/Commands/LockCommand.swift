// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostModel

/// `roost lock`.
enum LockCommand {
  private static let source = CommandArgument(
    "MODEL", ModelSource.help, isRequired: false, completion: .files)
  private static let release = CommandOption(
    "--release", "LABEL", "Freezes the version as that of a release, such as 2.3.")
  private static let file = CommandOption(
    "--file", "FILE", "The lock file; Models/NAME.roostlock unless given.", completion: .files)

  static let command = Command(
    "lock", "Writes into a lock file what a model is now.",
    discussion: """
      The file belongs into the repository of the program. A version that is not released is replaced; that of a
      release never changes. “roost check MODEL --against FILE” compares a model with it.
      """,
    parameters: [
      source, release, file, CommonParameters.product, CommonParameters.program,
    ]
  ) { parsed, console in
    let model = try parsed.model(source)
    let url = URL(filePath: try parsed[file] ?? standardFile(parsed))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    if let label = parsed[release], let lock = try? ModelLock(contentsOf: url),
      lock.versions.contains(where: { $0.label == label })
    {
      throw PersistenceError(
        .invalidValue, "The lock file has a release “\(label)” already; nothing was written.")
    }
    try ModelLock.write(model, to: url)
    if let label = parsed[release] { try ModelLock.release(label, at: url) }
    let versions = try ModelLock(contentsOf: url).versions
    console.print(url.relativePath)
    let rows = versions.map { [$0.label ?? "under development", $0.versionChecksum] }
    for line in Padding.table(rows) { console.print("  " + line) }
  }

  /// `Models/HR.roostlock` for `HR.xcdatamodeld` and for the product `HR`.
  private static func standardFile(_ parsed: ParsedArguments) throws(UsageError) -> String {
    let name =
      parsed[source] ?? parsed[CommonParameters.program] ?? parsed[CommonParameters.product]
    guard let name, !name.contains("://") else { throw UsageError("--file FILE is missing.") }
    let path = name.hasSuffix("/") ? String(name.dropLast()) : name
    let base = URL(filePath: path).deletingPathExtension().lastPathComponent
    return "Models/\(base).roostlock"
  }
}
