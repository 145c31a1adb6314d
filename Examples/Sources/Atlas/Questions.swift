// SPDX-License-Identifier: Apache-2.0

import Roost

/// A dozen questions that a person would ask, in the ways in which a program can ask them.
struct Questions {
  let context: ManagedObjectContext

  func askAll() throws {
    try askWithTypes()
    try askWithFormats()
    try askForNumbers()
    try explain()
  }

  /// Prints a question, how it was asked, the answer, and what the answer cost.
  func ask(_ question: String, _ how: String, answer: () throws -> String) throws {
    let before = context.counters
    let text = try answer()
    let after = context.counters
    let trips = after.roundTrips - before.roundTrips
    Terminal.line()
    Terminal.line(question)
    Terminal.row("  asked", how, width: 9)
    Terminal.row("  answer", text, width: 9)
    Terminal.row("  cost", "\(trips) round trip\(trips == 1 ? "" : "s")", width: 9)
  }

  // MARK: - Typed conditions

  private func askWithTypes() throws {
    try ask(
      "Which countries are called new?", "Country.where { $0.name.hasPrefix(\"New \") }"
    ) {
      let found = try context.fetch(
        Country.where { $0.name.hasPrefix("New ") }.sorted(by: \.name))
      return Terminal.list(found.map { $0.flag + " " + $0.name })
    }
    try ask(
      "Which languages did people make up?", "Language.where { $0.vitality == .constructed }"
    ) {
      let request = Language.where { $0.vitality == .constructed }.sorted(by: \.name)
      return Terminal.list(try context.fetch(request).map(\.name))
    }
    try ask(
      "Which currencies have Switzerland, Norway and Iceland?",
      "Currency.where { $0.country.code.in([\"CH\", \"NO\", \"IS\"]) }"
    ) {
      let found = try context.fetch(
        Currency.where { $0.country.code.in(["CH", "NO", "IS"]) }.sorted(by: \.code))
      return Terminal.list(found.map { "\($0.name) (\($0.code))" })
    }
    try ask(
      "What is called Georgia or Luxembourg, country or not?",
      "Place.where { $0.name == \"Georgia\" || $0.name == \"Luxembourg\" }, an abstract entity"
    ) {
      let found = try context.fetch(
        Place.where { $0.name == "Georgia" || $0.name == "Luxembourg" }.sorted(by: \.code))
      return Terminal.list(found.map { "\(type(of: $0)) \($0.code)" })
    }
  }

  // MARK: - Format strings

  private func askWithFormats() throws {
    try ask(
      "Where are there cantons?", "ANY subdivisions.kind == \"Canton\""
    ) {
      let request = Country.fetchRequest()
      request.predicate = try FetchPredicate("ANY subdivisions.kind == %@", "Canton")
      request.sortDescriptors = [SortOrdering("name")]
      return Terminal.list(try context.fetch(request).map(\.name))
    }
    try ask("Which countries have no parts at all?", "subdivisions.@count == 0") {
      let request = Country.fetchRequest()
      request.predicate = try FetchPredicate("subdivisions.@count == 0")
      request.sortDescriptors = [SortOrdering("name")]
      return Terminal.list(try context.fetch(request).map(\.name), atMost: 5)
    }
    try ask(
      "Which countries have ten regions or more that are divided themselves?",
      "SUBQUERY(subdivisions, $s, $s.children.@count > 0).@count >= 10"
    ) {
      let request = Country.fetchRequest()
      request.predicate = try FetchPredicate(
        "SUBQUERY(subdivisions, $s, $s.children.@count > 0).@count >= %d", 10)
      request.sortDescriptors = [SortOrdering("name")]
      return Terminal.list(try context.fetch(request).map(\.name))
    }
    try ask("Which parts are named like their whole?", "name == country.name") {
      let request = Subdivision.fetchRequest()
      request.predicate = try FetchPredicate("name == country.name")
      request.sortDescriptors = [SortOrdering("code")]
      return Terminal.list(try context.fetch(request).map { "\($0.name) (\($0.code))" })
    }
    try ask(
      "Which kingdoms are there?", "officialName CONTAINS[cd] \"KINGDOM\", the first five"
    ) {
      let request = Country.fetchRequest()
      request.predicate = try FetchPredicate("officialName CONTAINS[cd] %@", "KINGDOM")
      request.sortDescriptors = [SortOrdering("officialName")]
      request.fetchLimit = 5
      return Terminal.list(try context.fetch(request).compactMap(\.officialName))
    }
    try ask(
      "Which languages have doubled vowels at both ends?", "name MATCHES \"([aeiou])\\\\1.*\""
    ) {
      let request = Language.fetchRequest()
      request.predicate = try FetchPredicate("name MATCHES[c] %@", "([aeiou])\\1.*")
      request.sortDescriptors = [SortOrdering("name")]
      return Terminal.list(try context.fetch(request).map(\.name))
    }
  }
}

// MARK: - Plans

extension Questions {
  /// What the stores would do for two of the requests: the first runs in the store, the second leaves something.
  func explain() throws {
    let pushed = Country.where { $0.subdivisions.any { $0.kind == "Canton" } }.sorted(by: \.name)
    let left = Language.where { $0.name.matches("([aeiou])\\1.*", .caseInsensitive) }
    Terminal.section("How two of these are answered")
    for request in [try context.explain(pushed), try context.explain(left)] {
      Terminal.block(request)
      Terminal.line()
    }
  }
}
