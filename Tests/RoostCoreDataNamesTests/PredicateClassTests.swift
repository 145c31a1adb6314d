// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import XCTest

/// Predicates and expressions are Foundation's classes, as programs for Core Data use them.
final class PredicateClassTests: XCTestCase {
  private func comparison(_ path: String, _ value: Any?) -> NSPredicate {
    NSComparisonPredicate(
      leftExpression: NSExpression(forKeyPath: path),
      rightExpression: NSExpression(forConstantValue: value), modifier: .direct, type: .equalTo,
      options: [])
  }

  /// A format makes an instance of the class that the condition has (F42).
  func testFormatsMakeInstancesOfTheirClass() throws {
    let simple = try XCTUnwrap(NSPredicate(format: "age > %d", 3) as? NSComparisonPredicate)
    XCTAssertEqual(simple.predicateOperatorType, .greaterThan)
    XCTAssertEqual(simple.leftExpression.keyPath, "age")
    XCTAssertEqual(simple.rightExpression.constantValue as? Int, 3)
    let both = NSPredicate(format: "age > 3 AND name == 'a' AND NOT old == YES")
    let compound = try XCTUnwrap(both as? NSCompoundPredicate)
    XCTAssertEqual(compound.compoundPredicateType, .and)
    XCTAssertEqual(compound.subpredicates.count, 3)
    let negated = try XCTUnwrap(compound.subpredicates[2] as? NSCompoundPredicate)
    XCTAssertEqual(negated.compoundPredicateType, .not)
    XCTAssertFalse(NSPredicate(format: "TRUEPREDICATE") is NSComparisonPredicate)
  }

  /// A key path that begins with a variable starts there.
  func testKeyPathOfVariable() {
    XCTAssertEqual(NSExpression(forKeyPath: "$x.name").description, "$x.name")
    XCTAssertEqual(NSExpression(forKeyPath: "x.name").description, "x.name")
  }

  /// Compounds of a format print their parts and compare them, also with those that a program makes (F42).
  func testCompoundsPrintAndCompare() {
    let parts = [comparison("a", 1), comparison("b", "x")]
    let made = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    let parsed = NSPredicate(format: "a == 1 AND b == %@", "x")
    XCTAssertEqual(parsed.description, "a == 1 AND b == \"x\"")
    XCTAssertEqual(NSPredicate(format: "a == 1 || b == 2").description, "a == 1 OR b == 2")
    XCTAssertEqual("\(NSPredicate(format: "NOT a == 1"))", "NOT a == 1")
    XCTAssertEqual(parsed, NSPredicate(format: "(a == 1) AND (b == 'x')"))
    XCTAssertEqual(parsed.hash, NSPredicate(format: "(a == 1) AND (b == 'x')").hash)
    XCTAssertNotEqual(parsed, NSPredicate(format: "a == 1 OR b == 'x'"))
    XCTAssertTrue(parsed.isEqual(made) && parsed.isEqual(parsed.copy()))
    XCTAssertEqual(made.withSubstitutionVariables([:]).description, parsed.description)
    let other = NSCompoundPredicate(andPredicateWithSubpredicates: [parts[0]])
    XCTAssertFalse(parsed.isEqual(other))
    XCTAssertFalse(parsed.isEqual(NSPredicate(value: false)))
    XCTAssertFalse(NSPredicate(format: "z == 1").isEqual(made))
  }

  /// The operator compares the parts of all compounds, in both directions and where one is absent (F42).
  func testTheOperatorComparesAllCompounds() {
    let parts = [comparison("a", 1), comparison("b", "x")]
    let made = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    let parsed = NSPredicate(format: "a == 1 AND b == %@", "x")
    XCTAssertTrue(made == parsed && parsed == made)
    XCTAssertTrue(made == NSCompoundPredicate(andPredicateWithSubpredicates: parts))
    XCTAssertTrue(made != NSCompoundPredicate(orPredicateWithSubpredicates: parts))
    XCTAssertTrue(made != NSCompoundPredicate(andPredicateWithSubpredicates: [parts[0]]))
    XCTAssertTrue(made != NSPredicate(value: false) && NSPredicate(value: false) != made)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    XCTAssertTrue(request.predicate == nil && request.predicate != made)
    request.predicate = made
    XCTAssertTrue(request.predicate != nil && request.predicate == parsed)
    let never = NSPredicate(value: false)
    XCTAssertTrue(never != parts[0] && parts[0] != never && never == NSPredicate(value: false))
    let block = NSPredicate { _, _ in true }
    XCTAssertTrue(block == block && block != made && made != block)
  }

  /// Foundation's own compounds behave as without this product: no method of its classes is replaced.
  func testFoundationsClassesAreUntouched() {
    _ = NSPredicate(format: "a == 1 AND b == 2")
    let made = NSCompoundPredicate(andPredicateWithSubpredicates: [comparison("a", 1)])
    #if !canImport(Darwin)
    XCTAssertTrue(type(of: made) == NSCompoundPredicate.self)
    XCTAssertTrue(made.isEqual(NSCompoundPredicate(orPredicateWithSubpredicates: [])))
    #endif
  }

  /// The description of a predicate is its format (F42).
  func testDescriptionIsTheFormat() {
    XCTAssertEqual(
      "\(NSPredicate(format: "name BEGINSWITH[cd] %@", "a"))", "name BEGINSWITH[cd] \"a\"")
    XCTAssertEqual(comparison("name", "Kyle").description, "name == \"Kyle\"")
    XCTAssertEqual(
      NSPredicate(format: "SUBQUERY(tags, $e, $e.tag_name == 'Swift').@count == 0").description,
      "SUBQUERY(tags, $e, $e.tag_name == \"Swift\").@count == 0")
  }

  /// A request returns the same predicate instance that was set (B352).
  func testRequestsGiveBackTheirPredicate() {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
    let predicate = NSPredicate(format: "a == 1")
    request.predicate = predicate
    XCTAssertTrue(request.predicate === predicate)
    let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [predicate, predicate])
    request.predicate = compound
    XCTAssertTrue(request.predicate === compound)
    XCTAssertTrue(request.copy().predicate === compound)
    request.predicate = nil
    XCTAssertNil(request.predicate)
  }

  /// An expression gives access to its parts (B353).
  func testExpressionsAnswerForTheirParts() {
    let path = NSExpression(forKeyPath: "a.b")
    XCTAssertEqual(path.expressionType, .keyPath)
    XCTAssertEqual(path.keyPath, "a.b")
    let constant = NSExpression(forConstantValue: "x")
    XCTAssertEqual(constant.expressionType, .constantValue)
    XCTAssertEqual(constant.constantValue as? String, "x")
    XCTAssertNil(NSExpression(forConstantValue: nil).constantValue)
    let sum = NSExpression(forFunction: "sum:", arguments: [path])
    XCTAssertEqual(sum.expressionType, .function)
    XCTAssertEqual(sum.function, "sum:")
    XCTAssertEqual(sum.arguments, [path])
    XCTAssertEqual(NSExpression(forVariable: "x").variable, "x")
    let list = NSExpression(forAggregate: [path, 1])
    XCTAssertEqual((list.collection as? [NSExpression])?.count, 2)
    let members = NSExpression(
      forSubquery: path, usingIteratorVariable: "x", predicate: NSPredicate(format: "$x.c == 1"))
    XCTAssertEqual(members.variable, "x")
    XCTAssertEqual(members.collection as? NSExpression, path)
    XCTAssertEqual(members.predicate.description, "$x.c == 1")
    let choice = NSExpression(
      forConditional: NSPredicate(format: "a == 1"), trueExpression: path,
      falseExpression: constant)
    XCTAssertEqual(choice.true, path)
    XCTAssertEqual(choice.false, constant)
    XCTAssertEqual(choice.predicate.description, "a == 1")
    XCTAssertEqual(NSExpression.expressionForEvaluatedObject().expressionType, .evaluatedObject)
  }

  /// Many instances are made and released: an instance made from another class's instance is released correctly.
  func testInstancesAreReleased() {
    weak var last: NSPredicate?
    for index in 0..<1000 {
      let predicate = NSPredicate(format: "name == %@", "a name that is kept elsewhere \(index)")
      XCTAssertTrue(predicate is NSComparisonPredicate)
      last = predicate
    }
    XCTAssertNil(last)
  }

  /// Column and derived expressions are Foundation's, too.
  func testDescriptionsTakeExpressions() {
    let column = NSExpressionDescription()
    column.name = "total"
    column.expression = NSExpression(
      forFunction: "sum:", arguments: [NSExpression(forKeyPath: "n")])
    XCTAssertEqual(column.expression?.function, "sum:")
    let derived = NSDerivedAttributeDescription()
    derived.derivationExpression = NSExpression(format: "lowercase:(name)")
    XCTAssertEqual(derived.derivationExpression?.function, "lowercase:")
    let entity = NSEntityDescription()
    XCTAssertEqual(entity.managedObjectClassName, "NSManagedObject")
    entity.uniquenessConstraints = [["name"]]
    XCTAssertEqual(entity.uniquenessConstraints as? [[String]], [["name"]])
    XCTAssertNil(NSManagedObject.entity().name)
  }
}
