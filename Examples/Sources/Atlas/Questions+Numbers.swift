// SPDX-License-Identifier: Apache-2.0

import Roost

/// Questions whose answers are numbers: the stores count, sum and group; no object is made.
extension Questions {
  func askForNumbers() throws {
    try ask("How much does ISO know?", "count(for:), five times") {
      let counts = [
        ("countries", try context.count(for: Country.fetchRequest())),
        ("parts", try context.count(for: Subdivision.fetchRequest())),
        ("languages", try context.count(for: Language.fetchRequest())),
        ("currencies", try context.count(for: Currency.fetchRequest())),
        ("scripts", try context.count(for: Script.fetchRequest())),
      ]
      return counts.map { Terminal.number($0.1) + " " + $0.0 }.joined(separator: ", ")
    }
    try ask("How do languages fare?", "grouped by vitality, with a count") {
      let groups = try count(Language.fetchRequest(), by: "vitality")
      return Terminal.list(
        groups.map { "\(name(ofVitality: $0.key)) \(Terminal.number($0.count))" })
    }
    try ask("What are the parts of countries called?", "grouped by kind, having more than 200") {
      let request = Subdivision.fetchRequest()
      request.havingPredicate = try FetchPredicate("total > 200")
      let groups = try count(request, by: "kind")
      return Terminal.list(groups.map { "\($0.key) \(Terminal.number($0.count))" })
    }
    try ask("Who is divided into most parts?", "grouped by country.name, with a count") {
      let groups = try count(Subdivision.fetchRequest(), by: "country.name")
      return Terminal.list(groups.map { "\($0.key) \($0.count)" }, atMost: 5)
    }
    try ask("Between which numbers are the scripts?", "min and max of numeric") {
      let request = Script.fetchRequest()
      request.resultType = .dictionary
      request.propertiesToFetch = [
        .expression("lowest", .min("numeric")), .expression("highest", .max("numeric")),
      ]
      let row = try context.fetchDictionaries(request).first
      return "\(row?["lowest"] ?? 0) to \(row?["highest"] ?? 0)"
    }
  }
}
