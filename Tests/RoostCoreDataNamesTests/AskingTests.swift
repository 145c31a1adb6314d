// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCoreDataNames
import Testing

@Suite("Foundation's predicates and sort descriptors")
struct AskingTests {
  @Test("a predicate judges a value that is no managed object")
  func values() {
    #expect(NSPredicate(format: "SELF > 5").evaluate(with: 6))
    #expect(!NSPredicate(format: "SELF > 5").evaluate(with: 5))
    let address = NSPredicate(format: "SELF MATCHES %@", "[a-z]+@[a-z.]+")
    #expect(address.evaluate(with: "ada@example.org"))
    #expect(!address.evaluate(with: "ada"))
    #expect(NSPredicate(format: "SELF == nil").evaluate(with: nil))
    #expect(NSPredicate(format: "SELF == $X").evaluate(with: 7, substitutionVariables: ["X": 7]))
    #expect(NSPredicate(format: "TRUEPREDICATE").evaluate(with: ["a": 1]))
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSPredicate(format: "SELF BEGINSWITH 'a'"), NSPredicate(format: "SELF ENDSWITH 'c'"),
    ])
    #expect(both.evaluate(with: "abc"))
    #expect(!both.evaluate(with: "abd"))
    let words = NSArray(array: ["ant", "bee", "asp"])
    let found = words.filtered(using: NSPredicate(format: "SELF BEGINSWITH %@", "a"))
    #expect(found as? [String] == ["ant", "asp"])
  }

  @Test(
    "a predicate about properties is false for what has none, and does not end the program (B354)")
  func strangers() {
    #expect(!NSPredicate(format: "name == 'a'").evaluate(with: 7))
    #expect(!NSPredicate(format: "name == 'a'").evaluate(with: "a"))
    #expect(!NSPredicate(format: "ANY names == 'a'").evaluate(with: NSObject()))
  }

  @Test("a sort descriptor orders dictionaries and values, and ends the program for others")
  func sorting() async {
    let rows = NSArray(array: [["n": "b", "k": 2], ["n": "a", "k": 10], ["n": "B"]])
    func names(_ descriptor: NSSortDescriptor) -> [String] {
      rows.sortedArray(using: [descriptor]).compactMap {
        ($0 as? [String: Any])?["n"] as? String
      }
    }
    #expect(names(NSSortDescriptor(key: "n", ascending: true)) == ["B", "a", "b"])
    #expect(names(NSSortDescriptor(key: "k", ascending: false)) == ["a", "b", "B"])
    let folded = NSSortDescriptor(key: "n", ascending: true, selector: .caseInsensitive)
    #expect(names(folded).first == "a")
    let standard = NSSortDescriptor(key: "self", ascending: true, selector: .localizedStandard)
    let files = NSArray(array: ["a10", "a9"]).sortedArray(using: [standard])
    #expect(files as? [String] == ["a9", "a10"])
    let numbers = NSArray(array: [2, 10, 1])
      .sortedArray(using: [NSSortDescriptor(key: nil, ascending: false)])
    #expect(numbers as? [Int] == [10, 2, 1])
    await #expect(processExitsWith: .failure) {
      _ = NSArray(array: ["b", "a"]).sortedArray(
        using: [NSSortDescriptor(key: "length", ascending: true)])
    }
  }

  @Test("a sort descriptor that compares as stores do becomes an order")
  func known() throws {
    let minutes = try SortOrdering(NSSortDescriptor(keyPath: \Recipe.minutes, ascending: false))
    #expect(minutes == SortOrdering("minutes", ascending: false))
    let title = try SortOrdering(NSSortDescriptor(keyPath: \Recipe.title, ascending: true))
    #expect(title == SortOrdering("title"))
    let text = try SortOrdering(NSSortDescriptor(keyPath: \Step.text, ascending: true))
    #expect(text == SortOrdering("text"))
    let folded = NSSortDescriptor(key: "title", ascending: true, selector: .caseInsensitive)
    #expect(try SortOrdering(folded).comparator == .caseInsensitive)
    let reversed = try #require(folded.reversedSortDescriptor as? NSSortDescriptor)
    #expect(try SortOrdering(reversed).comparator == .caseInsensitive)
  }

  @Test("a sort descriptor with a comparator of its own is refused, and not sorted otherwise")
  func comparators() {
    let byLength = NSSortDescriptor(keyPath: \Step.text, ascending: true) { left, right in
      let (left, right) = ("\(left)".count, "\(right)".count)
      return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    }
    let folded = NSSortDescriptor(keyPath: \Step.text, ascending: true) { left, right in
      "\(left)".lowercased().compare("\(right)".lowercased())
    }
    let numeric = NSSortDescriptor(keyPath: \Step.text, ascending: true) { left, right in
      "\(left)".compare("\(right)", options: .numeric)
    }
    let optional = NSSortDescriptor(keyPath: \Recipe.title, ascending: true) { _, _ in
      .orderedSame
    }
    let distance = NSSortDescriptor(keyPath: \Recipe.minutes, ascending: true) { left, right in
      let (left, right) = (abs((left as? Int16) ?? 0), abs((right as? Int16) ?? 0))
      return left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    }
    for descriptor in [byLength, folded, numeric, optional, distance] {
      let error = #expect(throws: PersistenceError.self) { try SortOrdering(descriptor) }
      #expect(error?.code == .invalidRequest)
    }
  }
}
