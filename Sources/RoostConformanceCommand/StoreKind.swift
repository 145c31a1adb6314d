// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

/// A kind of store that the command knows.
enum StoreKind: String, CaseIterable, Sendable {
  case sqlite = "SQLite"
  case lmdb = "LMDB"
  case inMemory = "InMemory"
  case binary = "Binary"
  case postgresql = "PostgreSQL"
  /// The store that answers are compared with.
  case reference = "Reference"

  /// Whether a harness has this name.
  func isNamed(_ name: String) -> Bool { rawValue.lowercased() == name.lowercased() }

  /// An option whose value is one of the kinds, however it is capitalised.
  static func option(
    _ name: String, _ help: String, isRepeated: Bool = false
  ) -> CommandOption<StoreKind> {
    let names = allCases.map(\.rawValue)
    return CommandOption(
      name, "NAME", "\(help): \(names.joined(separator: ", ")).", isRepeated: isRepeated,
      completion: .words(names)
    ) { word in
      guard let kind = allCases.first(where: { $0.isNamed(word) }) else {
        throw UsageError("takes \(names.joined(separator: ", ")), not “\(word)”")
      }
      return kind
    }
  }
}
