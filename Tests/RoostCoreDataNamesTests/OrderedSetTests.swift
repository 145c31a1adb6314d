// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

@Suite("The ordered set of a relationship")
struct OrderedSetTests {
  private let stack: CoreDataStack
  private let recipe: Recipe
  private let set: NSMutableOrderedSet

  init() throws {
    stack = try CoreDataStack(inMemory: true)
    recipe = Recipe(context: stack.mainContext)
    for text in "abc" { recipe.steps.append(Self.step(String(text), stack)) }
    set = recipe.mutableOrderedSetValue(forKey: "steps")
  }

  private static func step(_ text: String, _ stack: CoreDataStack) -> Step {
    let step = Step(context: stack.mainContext)
    step.text = text
    return step
  }

  private func step(_ text: String) -> Step { Self.step(text, stack) }

  /// Returns the order of the relationship, and checks that every accessor of the set has it too.
  private func order(_ place: SourceLocation = #_sourceLocation) -> String {
    let steps = recipe.steps
    #expect(set.array as? [Step] == steps, sourceLocation: place)
    #expect(set.map { $0 as? Step } == steps, sourceLocation: place)
    #expect(set.count == steps.count, sourceLocation: place)
    for (index, step) in steps.enumerated() {
      #expect(set[index] as? Step === step, sourceLocation: place)
      #expect(set.index(of: step) == index, sourceLocation: place)
      #expect(set.contains(step), sourceLocation: place)
      #expect(step.recipe === recipe, sourceLocation: place)
    }
    return steps.map(\.text).joined()
  }

  @Test("what the relationship got since the set was made stays in it (B78)")
  func live() {
    recipe.steps.append(step("d"))
    set.add(step("e"))
    #expect(order() == "abcde")
    let other = recipe.mutableOrderedSetValue(forKey: "steps")
    other.removeObject(at: 0)
    set.addObjects(from: [step("f"), step("g")])
    #expect(order() == "bcdefg")
    recipe.steps.reverse()
    #expect(order() == "gfedcb")
    set.add(recipe.steps[0])
    #expect(order() == "gfedcb")
  }

  @Test("objects come in: added, inserted, set, united (B79)")
  func adding() {
    set.insert(step("d"), at: 0)
    #expect(order() == "dabc")
    set.insert(set[3], at: 0)
    #expect(order() == "dabc")
    set.insert([step("e"), step("f")], at: [1, 5])
    #expect(order() == "deabcf")
    set.setObject(step("g"), at: 6)
    #expect(order() == "deabcfg")
    set[0] = step("h")
    #expect(order() == "heabcfg")
    set.union(NSOrderedSet(array: [recipe.steps[3], step("i")]))
    #expect(order() == "heabcfgi")
    set.unionSet([recipe.steps[3], step("j")])
    #expect(order() == "heabcfgij")
    set.replaceObjects(at: [0, 1], with: [step("k"), step("l")])
    #expect(order() == "klabcfgij")
  }

  @Test("objects go: removed by object and by place, subtracted, intersected")
  func removing() throws {
    set.addObjects(from: "defghijk".map { step(String($0)) })
    #expect(order() == "abcdefghijk")
    let removed = recipe.steps[0]
    set.remove(removed)
    #expect(removed.recipe == nil)
    set.remove(removed)
    #expect(order() == "bcdefghijk")
    set.removeObject(at: 1)
    set.removeObjects(at: [0, 8])
    #expect(order() == "defghij")
    set.removeObjects(in: [recipe.steps[6], removed])
    set.removeObjects(in: NSRange(location: 0, length: 1))
    #expect(order() == "efghi")
    set.minus(NSOrderedSet(array: [recipe.steps[4], removed]))
    set.minusSet([recipe.steps[3]])
    #expect(order() == "efg")
    set.intersect(NSOrderedSet(array: [recipe.steps[2], recipe.steps[0], removed]))
    #expect(order() == "eg")
    set.intersectSet([recipe.steps[1]])
    #expect(order() == "g")
    set.removeAllObjects()
    #expect(order() == "")
    try stack.mainContext.save()
    #expect(recipe.steps.isEmpty)
  }

  @Test("objects move: exchanged, moved, sorted, and the order is saved (B81)")
  func moving() throws {
    set.exchangeObject(at: 0, withObjectAt: 2)
    #expect(order() == "cba")
    set.moveObjects(at: [0, 1], to: 1)
    #expect(order() == "acb")
    set.sort(using: [NSSortDescriptor(key: "text", ascending: false)])
    #expect(order() == "cba")
    set.sort { left, right in
      ((left as? Step)?.text ?? "") < ((right as? Step)?.text ?? "")
        ? .orderedAscending : .orderedDescending
    }
    #expect(order() == "abc")
    set.sortRange(NSRange(location: 1, length: 2)) { left, right in
      ((left as? Step)?.text ?? "") < ((right as? Step)?.text ?? "")
        ? .orderedDescending : .orderedAscending
    }
    #expect(order() == "acb")
    try stack.mainContext.save()
    stack.mainContext.refresh(recipe, mergeChanges: false)
    #expect(order() == "acb")
  }

  @Test("a predicate filters the relationship")
  func filtering() {
    set.filter(using: NSPredicate(format: "text != 'b'"))
    #expect(order() == "ac")
  }

  @Test("a set of a relationship without order adds, removes and filters in it (B54)")
  func unordered() {
    let tags = "abcd".map { name in
      let tag = Tag(context: stack.mainContext)
      tag.name = String(name)
      return tag
    }
    let set = recipe.mutableSetValue(forKey: "tags")
    func names() -> String {
      #expect(set.allObjects.count == recipe.tags.count)
      #expect(set.isEqual(to: recipe.tags))
      return recipe.tags.map(\.name).sorted().joined()
    }
    set.addObjects(from: tags)
    #expect(names() == "abcd")
    set.filter(using: NSPredicate(format: "name != 'b'"))
    #expect(names() == "acd")
    set.minus([tags[0], tags[1]])
    set.remove(tags[1])
    #expect(names() == "cd")
    set.union([tags[0]])
    set.intersect([tags[0], tags[1], tags[2]])
    #expect(names() == "ac")
    set.setSet([tags[3]])
    #expect(names() == "d")
    recipe.tags.insert(tags[0])
    #expect(set.count == 2)
    set.removeAllObjects()
    #expect(names() == "")
  }

  @Test("a copy is a set of its own")
  func copying() throws {
    let copy = try #require(set.mutableCopy() as? NSMutableOrderedSet)
    copy.removeAllObjects()
    #expect(order() == "abc")
    #expect((set.copy() as? NSOrderedSet)?.array as? [Step] == recipe.steps)
    #expect(set.isEqual(to: NSOrderedSet(array: recipe.steps)))
    #expect(set.index(of: step("a")) == NSNotFound)
    #expect(!set.contains("a"))
  }

  @Test("keyed values of ordered relationships are ordered sets, by key, path and dictionary")
  func keyed() {
    let turned = NSOrderedSet(array: recipe.steps.reversed())
    recipe.setValue(turned, forKey: "steps")
    #expect(order() == "cba")
    recipe.setValue(NSOrderedSet(array: recipe.steps.reversed()), forKeyPath: "steps")
    #expect(order() == "abc")
    recipe.setValuesForKeys(["steps": turned, "title": "Soup"])
    #expect(order() == "cba")
    #expect(recipe.value(forKeyPath: "steps") as? NSOrderedSet == turned)
    let values = recipe.dictionaryWithValues(forKeys: ["steps", "title"])
    #expect(values["steps"] as? NSOrderedSet == turned)
    #expect(values["title"] as? String == "Soup")
  }

  @Test("what is no object ends the program instead of emptying a relationship")
  func strangers() async {
    await #expect(processExitsWith: .failure) {
      let recipe = Recipe(context: try CoreDataStack(inMemory: true).mainContext)
      recipe.setValue(NSOrderedSet(array: ["a", "b"]), forKey: "steps")
    }
    await #expect(processExitsWith: .failure) {
      let context = try CoreDataStack(inMemory: true).mainContext
      Recipe(context: context).setValue(NSSet(array: [Tag(context: context), "a"]), forKey: "tags")
    }
    await #expect(processExitsWith: .failure) {
      let recipe = Recipe(context: try CoreDataStack(inMemory: true).mainContext)
      recipe.mutableOrderedSetValue(forKey: "steps").add("a")
    }
  }

  @Test("what is in the set stays where it is when it is added again (B78)")
  func addedAgain() {
    set.add(recipe.steps[0])
    #expect(order() == "abc")
    set.insert(recipe.steps[2], at: 0)
    #expect(order() == "abc")
  }
}
