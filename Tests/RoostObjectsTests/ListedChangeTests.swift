// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@Suite("Which keys count as changed, and when observers hear of it")
struct ListedChangeTests {
  @Test("transient values are in no list of changed or committed values (B56, B58)")
  func transients() throws {
    let stack = try Stack()
    let person = Employee(context: stack.context)
    person.draft = "draft"
    person.name = "Ada"
    #expect(person.changedValues()["name"] as? String == "Ada")
    #expect(person.changedValues()["draft"] == nil)
    try stack.context.save()
    person.draft = "another"
    #expect(person.changedValues().isEmpty)
    let committed = try person.committedValues(forKeys: ["name", "draft"])
    #expect(committed["name"] as? String == "Ada")
    #expect(committed["draft"] == nil)
  }

  @Test("an event lists what it changed, and nothing of what was saved before it (B57)")
  func afterSave() throws {
    let stack = try Stack()
    let person = Employee(context: stack.context)
    try stack.context.save()
    person.name = "Ada"
    try stack.context.save()
    person.age = 30
    #expect(person.changedValuesForCurrentEvent().keys.sorted() == ["age"])
  }

  @Test("what an observer of WillSave changes is told before the objects hear willSave (B101)")
  func order() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    let log = Log(witness)
    witness.onWillSave = { _ in log.lines.append("willSave") }
    let center = NotificationCenter.default
    let tokens = [
      center.addObserver(
        forName: ManagedObjectContext.willSaveObjectsNotification, object: stack.context, queue: nil
      ) { _ in log.witness.title = "by the observer" },
      center.addObserver(
        forName: ManagedObjectContext.didChangeObjectsNotification, object: stack.context,
        queue: nil
      ) { _ in log.lines.append("change of \(log.witness.title ?? "nothing")") },
    ]
    defer { for token in tokens { center.removeObserver(token) } }
    try stack.context.save()
    let told = try #require(log.lines.firstIndex(of: "change of by the observer"))
    let heard = try #require(log.lines.firstIndex(of: "willSave"))
    #expect(told < heard)
  }

  // Sendable: written and read by the test's one thread.
  private final class Log: @unchecked Sendable {
    let witness: Witness
    var lines: [String] = []

    init(_ witness: Witness) {
      self.witness = witness
    }
  }

  @Test("transient values of one context are not in the rows that another one gets (B348)")
  func cachedRows() throws {
    let stack = try Stack()
    let person = Employee(context: stack.context)
    person.draft = "mine"
    try stack.context.save()
    let other = stack.anotherContext()
    let same = try #require(other.existingObject(with: person.objectID) as? Employee)
    #expect(same.draft == nil)
  }
}
