// SPDX-License-Identifier: Apache-2.0

import Roost

/// Changing, refusing and deleting.
struct Changes {
  let context: ManagedObjectContext

  func run() throws {
    try edit()
    try validate()
    try keepUnique()
    try deny()
    try cascade()
  }

  private func country(_ code: String) throws -> Country {
    guard let country = try context.fetch(Country.where { $0.code == code }).first else {
      throw Surprise("There is no country with the code \(code).")
    }
    return country
  }

  private func edit() throws {
    let country = try country("CI")
    country.name = "Ivory Coast"
    Terminal.line("Côte d'Ivoire in English:")
    Terminal.row("  changed", list(country.changedValues()), width: 12)
    Terminal.row("  committed", list(try country.committedValues(forKeys: ["name"])), width: 12)
    try context.save()
    Terminal.row("  saved", "hasChanges is \(context.hasChanges)", width: 12)
  }

  private func list(_ values: [String: Any]) -> String {
    values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
  }

  /// A failed validation reports all errors at once, and writes nothing.
  private func validate() throws {
    let bad = Country(context: context)
    bad.code = "TOO LONG"
    bad.alpha3 = "X"
    bad.numeric = 0
    let note = Note(context: context)
    note.placeCode = "CH"
    note.text = ""
    note.stars = 9
    Terminal.line()
    Terminal.line("A country and a note that are wrong in many ways:")
    do {
      try context.save()
      throw Surprise("A country and a note that are wrong were saved.")
    } catch let error as PersistenceError where error.code == .validationMultipleErrors {
      for failure in error.underlyingErrors {
        let property = "\(failure.entityName ?? "?").\(failure.key ?? "?")"
        Terminal.row("  \(failure.code.rawValue)", "\(property): \(failure.message)", width: 7)
      }
    }
    context.rollback()
  }

  private func keepUnique() throws {
    let second = Country(context: context)
    second.code = "CH"
    second.alpha3 = "CHX"
    second.numeric = 999
    second.name = "Another Switzerland"
    Terminal.line()
    Terminal.line("A second country with the code CH:")
    do {
      try context.save()
      throw Surprise("A second country with the code CH was saved.")
    } catch let error as PersistenceError where error.code == .managedObjectConstraintMerge {
      Terminal.line("  error \(error.code.rawValue): \(error.message)")
    }
    context.rollback()
  }

  /// A country with a currency cannot be deleted: the rule of the relationship is deny.
  private func deny() throws {
    let country = try country("CH")
    context.delete(country)
    Terminal.line()
    Terminal.line("Switzerland without its franc:")
    do {
      try context.save()
      throw Surprise("Switzerland was deleted, although it has a currency.")
    } catch let error as PersistenceError where error.code == .validationRelationshipDeniedDelete {
      Terminal.line("  error \(error.code.rawValue): \(error.message)")
    }
    context.rollback()
  }

  /// Andorra pays in euros, so no currency is in the way; its parishes go with it.
  private func cascade() throws {
    let country = try country("AD")
    let parts = Subdivision.where { $0.code.hasPrefix("AD-") }
    let before = try context.count(for: parts)
    context.delete(country)
    try context.save()
    let after = try context.count(for: parts)
    guard before > 0, after == 0 else { throw Surprise("Of \(before) parishes \(after) are left.") }
    Terminal.line()
    Terminal.line("Andorra is deleted, and its parishes with it: \(before) before, \(after) after.")
  }
}
