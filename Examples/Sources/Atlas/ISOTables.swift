// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The tables of Debian's `iso-codes` package, as their JSON files have them.
struct ISOTables {
  /// ISO 3166-1.
  struct Country: Decodable {
    let alpha2: String
    let alpha3: String
    let numeric: String
    let name: String
    let officialName: String?
    let commonName: String?
    let flag: String
  }

  /// ISO 3166-2. A parent is named by its whole code (`GB-ENG`) or by the part after the country (`NX`).
  struct Subdivision: Decodable {
    let code: String
    let name: String
    let type: String
    let parent: String?
  }

  /// ISO 639-3.
  struct Language: Decodable {
    let alpha3: String
    let alpha2: String?
    let name: String
    let scope: String
    let type: String
  }

  /// ISO 4217.
  struct Currency: Decodable {
    let alpha3: String
    let name: String
    let numeric: String
  }

  /// ISO 15924.
  struct Script: Decodable {
    let alpha4: String
    let name: String
    let numeric: String
  }

  let countries: [Country]
  let subdivisions: [Subdivision]
  let languages: [Language]
  let currencies: [Currency]
  let scripts: [Script]

  /// Reads the tables of a folder.
  init(folder: URL) throws {
    func rows<Row: Decodable>(_ standard: String) throws -> [Row] {
      let data = try Data(contentsOf: folder.appending(path: "iso_\(standard).json"))
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      // Each file is one object whose only key is the number of the standard.
      return try decoder.decode([String: [Row]].self, from: data)[standard] ?? []
    }
    countries = try rows("3166-1")
    subdivisions = try rows("3166-2")
    languages = try rows("639-3")
    currencies = try rows("4217")
    scripts = try rows("15924")
  }

  /// The folder of the tables: from the environment, or where package managers install them.
  static func installed() -> URL? {
    let candidates = [
      ProcessInfo.processInfo.environment["ATLAS_ISO_CODES"],
      "/usr/share/iso-codes/json", "/opt/homebrew/share/iso-codes/json",
      "/usr/local/share/iso-codes/json",
    ]
    return candidates.compactMap { $0 }.map { URL(filePath: $0, directoryHint: .isDirectory) }
      .first { FileManager.default.fileExists(atPath: $0.appending(path: "iso_3166-1.json").path) }
  }
}
