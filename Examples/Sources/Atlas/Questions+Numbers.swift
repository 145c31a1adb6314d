// SPDX-License-Identifier: Apache-2.0

import Roost

/// Questions with numeric answers: the stores count, compare and group, and no object is made.
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
    try ask("How do languages fare?", "count of code, grouped by vitality") {
      let groups = try count("Language", by: "vitality")
      return list(
        groups.map { group in
          let vitality = Language.Vitality(rawValue: group.key)
          return "\(vitality.map { "\($0)" } ?? group.key) \(Terminal.number(group.count))"
        })
    }
    try ask("What are the parts of countries called?", "... by kind, having more than 200") {
      let having = try FetchPredicate("total > %d", 200)
      let groups = try count("Subdivision", by: "kind", having: having)
      return list(groups.map { "\($0.key) \(Terminal.number($0.count))" })
    }
    try ask("Who is divided into most parts?", "... by country.name") {
      let groups = try count("Subdivision", by: "country.name")
      return list(groups.map { "\($0.key) \($0.count)" }, atMost: 5)
    }
    try ask("Between which numbers are the scripts?", "min and max of numeric") {
      let request = FetchRequest<[String: Any]>(entityName: "Script")
      request.propertiesToFetch = [
        column("lowest", .minimum, of: "numeric"), column("highest", .maximum, of: "numeric"),
      ]
      let row = try context.fetch(request).first
      return "\(row?["lowest"] ?? "?") to \(row?["highest"] ?? "?")"
    }
  }

  /// Returns the number of objects for each value of a property, the most frequent first.
  private func count(
    _ entityName: String, by property: String, having: FetchPredicate? = nil
  ) throws -> [(key: String, count: Int)] {
    let request = FetchRequest<[String: Any]>(entityName: entityName)
    request.propertiesToFetch = [property, column("total", .count, of: "code")]
    request.propertiesToGroupBy = [property]
    request.havingPredicate = having
    let rows = try context.fetch(request)
    return rows.map { ($0[property] as? String ?? "none", $0["total"] as? Int ?? 0) }
      .sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 }
  }

  private func column(
    _ name: String, _ function: FetchFunction, of property: String
  ) -> ExpressionDescription {
    ExpressionDescription(
      name: name, expression: FetchExpression.function(function, [.keyPath([property])]),
      resultType: .integer64)
  }
}
