// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// A dozen typical questions, in the different ways to express a request.
struct Questions {
  let context: ManagedObjectContext
  /// Receives the answers; nil to print them.
  var listener: ((_ question: String, _ answer: String) -> Void)?

  init(context: ManagedObjectContext) {
    self.context = context
  }

  func askAll() throws {
    try askWithTypes()
    try askWithFormats()
    try askForNumbers()
  }

  /// Prints a question, the request, the answer, and its cost.
  func ask(_ question: String, _ how: String, answer: () throws -> String) throws {
    let before = context.counters
    let text = try answer()
    if let listener { return listener(question, text) }
    let after = context.counters
    let trips = after.roundTrips - before.roundTrips
    Terminal.line()
    Terminal.line(question)
    Terminal.row("  asked", how, width: 9)
    Terminal.row("  answer", text, width: 9)
    Terminal.row("  cost", "\(trips) round trip\(trips == 1 ? "" : "s")", width: 9)
  }

  /// The first few of many items when they are printed; all of them for a listener, which compares them.
  func list(_ items: [String], atMost limit: Int = 8) -> String {
    Terminal.list(items, atMost: listener == nil ? limit : .max)
  }

  // MARK: - Typed conditions

  private func askWithTypes() throws {
    try ask(
      "Which countries are called new?", "Country.where { $0.name.hasPrefix(\"New \") }"
    ) {
      let found = try context.fetch(
        Country.where { $0.name.hasPrefix("New ") }.sorted(by: \.name))
      return list(found.map { $0.flag + " " + $0.name })
    }
    try ask(
      "Which languages did people make up?", "Language.where { $0.vitality == .constructed }"
    ) {
      let request = Language.where { $0.vitality == .constructed }.sorted(by: \.name)
      return list(try context.fetch(request).map(\.name))
    }
    try ask(
      "Which currencies have Switzerland, Norway and Iceland?",
      "Currency.where { $0.country.code.in([...]) }, prefetching the countries"
    ) {
      let found = try context.fetch(
        Currency.where { $0.country.code.in(["CH", "NO", "IS"]) }.sorted(by: \.code)
          .prefetching(\.country))
      return list(found.map { "\($0.name) of \($0.country?.name ?? "?")" })
    }
    try ask("Which countries have the smallest numbers?", "#Predicate { $0.numeric < 16 }") {
      let request = Country.fetchRequest().sorted(by: \.numeric)
      request.predicate = try FetchPredicate(#Predicate<Country> { $0.numeric < 16 })
      return list(try context.fetch(request).map { "\($0.numeric) \($0.name)" })
    }
    try ask(
      "What is called Georgia or Luxembourg, country or not?",
      "Place.where { $0.name == \"Georgia\" || $0.name == \"Luxembourg\" }, an abstract entity"
    ) {
      let found = try context.fetch(
        Place.where { $0.name == "Georgia" || $0.name == "Luxembourg" }.sorted(by: \.code))
      return list(found.map { "\(type(of: $0)) \($0.code)" })
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
      return list(try context.fetch(request).map(\.name))
    }
    try ask("Which countries have no parts at all?", "subdivisions.@count == 0") {
      let request = Country.fetchRequest()
      request.predicate = try FetchPredicate("subdivisions.@count == 0")
      request.sortDescriptors = [SortOrdering("name")]
      return list(try context.fetch(request).map(\.name), atMost: 5)
    }
    try ask(
      "Which countries have ten regions or more that are divided themselves?",
      "SUBQUERY(subdivisions, $s, $s.children.@count > 0).@count >= 10"
    ) {
      let request = Country.fetchRequest()
      request.predicate = try FetchPredicate(
        "SUBQUERY(subdivisions, $s, $s.children.@count > 0).@count >= %d", 10)
      request.sortDescriptors = [SortOrdering("name")]
      return list(try context.fetch(request).map(\.name))
    }
    try ask("Which parts are named like their whole?", "name == country.name") {
      let request = Subdivision.fetchRequest()
      request.predicate = try FetchPredicate("name == country.name")
      request.sortDescriptors = [SortOrdering("code")]
      return list(try context.fetch(request).map { "\($0.name) (\($0.code))" })
    }
    try ask(
      "Which kingdoms are there?", "officialName CONTAINS[cd] \"KINGDOM\", the first five"
    ) {
      let request = Country.fetchRequest()
      request.predicate = try FetchPredicate("officialName CONTAINS[cd] %@", "KINGDOM")
      request.sortDescriptors = [SortOrdering("officialName")]
      request.fetchLimit = 5
      return list(try context.fetch(request).compactMap(\.officialName))
    }
    try ask(
      "Which languages begin with a doubled vowel?", "name MATCHES \"([aeiou])\\\\1.*\""
    ) {
      let request = Language.fetchRequest()
      request.predicate = try FetchPredicate("name MATCHES[c] %@", "([aeiou])\\1.*")
      request.sortDescriptors = [SortOrdering("name")]
      return list(try context.fetch(request).map(\.name))
    }
  }
}

// MARK: - Plans

extension Questions {
  /// Prints the stores' plans for some requests, without running them.
  func explain() throws {
    try explain(
      "Countries with cantons: SQL does it all.",
      Country.where { $0.subdivisions.any { $0.kind == "Canton" } }.sorted(by: \.name))
    try explain(
      "Scripts in the order that a person expects: that is done in memory, and the plan says so.",
      Script.where { $0.numeric > 500 }.sorted(by: \.name, comparator: .localizedStandard))
    try explain(
      "Notes, which both stores hold: each is asked, and the answers are merged.",
      Note.where { $0.placeCode == "CH" }.sorted(by: \.stars))
  }

  private func explain<Object>(_ title: String, _ request: FetchRequest<Object>) throws {
    Terminal.line()
    Terminal.line(title)
    Terminal.block(try context.explain(request).description)
  }
}
