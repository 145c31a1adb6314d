// SPDX-License-Identifier: Apache-2.0

import Roost

/// Makes objects of the ISO tables and relates them.
struct Importer {
  let tables: ISOTables
  let context: ManagedObjectContext

  private var countries: [String: Country] = [:]
  private var subdivisions: [String: Subdivision] = [:]

  init(tables: ISOTables, context: ManagedObjectContext) {
    self.tables = tables
    self.context = context
  }

  /// Makes everything and saves it at once: all of it is in the file afterwards, or nothing.
  mutating func run() throws -> Int {
    importCountries()
    importSubdivisions()
    relateParents()
    importCurrencies()
    importLanguages()
    importScripts()
    let count = context.insertedObjects.count
    try context.save()
    return count
  }

  private mutating func importCountries() {
    var bar = ProgressBar("Countries", total: tables.countries.count)
    for row in tables.countries {
      let country = Country(context: context)
      country.code = row.alpha2
      country.alpha3 = row.alpha3
      country.numeric = Int16(row.numeric) ?? 0
      country.name = row.commonName ?? row.name
      country.officialName = row.officialName
      country.flag = row.flag
      countries[row.alpha2] = country
      bar.advance()
    }
    bar.finish()
  }

  private mutating func importSubdivisions() {
    var bar = ProgressBar("Subdivisions", total: tables.subdivisions.count)
    for row in tables.subdivisions {
      let subdivision = Subdivision(context: context)
      subdivision.code = row.code
      subdivision.name = row.name
      subdivision.kind = row.type
      // One side is enough: the country's set follows.
      if let country = countries[String(row.code.prefix { $0 != "-" })] {
        subdivision.country = country
      }
      subdivisions[row.code] = subdivision
      bar.advance()
    }
    bar.finish()
  }

  /// A parent may come after its children in the table, so this is a second pass.
  private func relateParents() {
    for row in tables.subdivisions {
      guard let parent = row.parent, let child = subdivisions[row.code] else { continue }
      let country = row.code.prefix { $0 != "-" }
      child.parent = subdivisions[parent] ?? subdivisions["\(country)-\(parent)"]
    }
  }

  private func importCurrencies() {
    var bar = ProgressBar("Currencies", total: tables.currencies.count)
    for row in tables.currencies {
      let currency = Currency(context: context)
      currency.code = row.alpha3
      currency.name = row.name
      currency.numeric = Int16(row.numeric) ?? 0
      currency.country = countries[String(row.alpha3.prefix(2))]
      bar.advance()
    }
    bar.finish()
  }

  private func importLanguages() {
    var bar = ProgressBar("Languages", total: tables.languages.count)
    for row in tables.languages {
      let language = Language(context: context)
      language.code = row.alpha3
      language.shortCode = row.alpha2
      language.name = row.name
      language.scope = Language.Scope(rawValue: row.scope) ?? .special
      language.vitality = Language.Vitality(rawValue: row.type) ?? .special
      bar.advance()
    }
    bar.finish()
  }

  private func importScripts() {
    var bar = ProgressBar("Scripts", total: tables.scripts.count)
    for row in tables.scripts {
      let script = Script(context: context)
      script.code = row.alpha4
      script.name = row.name
      script.numeric = Int16(row.numeric) ?? 0
      bar.advance()
    }
    bar.finish()
  }
}
