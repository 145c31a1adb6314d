// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests of macro expansion by the compiler: the accepted declarations, and the locations of errors.
@Suite struct EntityCompilationTests {
  @Test(
    "inverses are named on both sides by the short form, or on one side with the type",
    .enabled(if: Compiler.isUsed))
  func inverses() throws {
    let result = try Compiler.check(
      """
      import Roost
      @Entity final class Person: ManagedObject {
        @Relationship(inverse: \\.people) var department: Department?
        @Relationship(inverse: \\.spouse) var spouse: Person?
        @Relationship(inverse: \\Department.guests) var host: Department?
        @Relationship(inverse: \\Department.head) var leads: Department?
      }
      @Entity final class Department: ManagedObject {
        @Relationship(deleteRule: .cascade, inverse: \\.department) var people: Set<Person>
        @Relationship(inverse: \\.host) var guests: [Person]
        var head: Person?
      }
      func use(_ person: Person, _ department: Department) {
        person.department = department
        department.people.insert(person)
        department.guests.append(person)
      }
      """)
    #expect(result.succeeded, "\(result.output)")
  }

  @Test("a public entity class can be used and inherited from", .enabled(if: Compiler.isUsed))
  func publicClasses() throws {
    let result = try Compiler.check(
      """
      public import Foundation
      public import Roost
      @Entity(abstract: true) open class Party: ManagedObject {
        public var name: String = ""
        public private(set) var stamp: Date = .distantPast
        var hidden: Int16 = 1
      }
      @Entity public final class Company: Party { open class Inner {}
        public var `class`: String? }
      public enum Space {
        @Entity public final class Room: ManagedObject { public var number: Int = 1 }
      }
      public extension Space {
        @Entity final class Hall: ManagedObject { var number: Int = 1 }
      }
      package enum Inside {
        @Entity package final class Room: ManagedObject { package var number: Int = 1 }
      }
      private enum Secret { @Entity final class Room: ManagedObject { var number: Int = 1 } }
      @Entity private final class Hidden: ManagedObject { var number: Int = 1 }
      """, ["-package-name", "p"])
    #expect(result.succeeded, "\(result.output)")
  }

  @Test("errors are reported in the line that they are about", .enabled(if: Compiler.isUsed))
  func errors() throws {
    let program = """
      import Roost
      @Entity struct S {}  // needs a class
      @Entity class A {}  // has no superclass
      @Entity class G<T>: ManagedObject {}  // is generic
      @Entity final class P: ManagedObject {
        var untyped = 1  // needs its type
        var a: Int, b: Int  // 'var' of its own
        var observed: Int = 1 { didSet {} }  // cannot observe
        weak var owner: P?  // 'weak' has no meaning
        @Attribute let constant: Int = 1  // needs a 'var'
        @Attribute static var shared: Int { 1 }  // property of the objects
        @Attribute @Relationship var twice: P?  // both '@Attribute' and '@Relationship'
        @Relationship var value: String?  // holds values
        var handler: (Int) -> Void  // cannot be kept in a store
        @Relationship(inverse: \\P.twice?.twice) var far: P?  // the inverse is a key path
      }
      extension P {
        @Attribute var inExtension: Int { 1 }  // an extension stores nothing
      }
      struct Other {
        @Attribute var outside: Int  // only in a class with '@Entity'
      }
      """
    let result = try Compiler.check(program)
    #expect(!result.succeeded)
    for (index, line) in program.split(separator: "\n").enumerated() {
      guard let comment = line.range(of: "  // ") else { continue }
      let message = line[comment.upperBound...]
      let isReported = result.output.split(separator: "\n").contains { output in
        output.contains("program.swift:\(index + 1):") && output.contains("error:")
          && output.contains(message)
      }
      #expect(isReported, "line \(index + 1): \(message)\n\(result.output)")
    }
  }

  @Test(
    "a common mistake is one error, in its line and nowhere else",
    .enabled(if: Compiler.isUsed))
  func singleErrors() throws {
    let program = #"""
      import Foundation
      import Roost
      @Entity class A: NSObject { var a: Int }  // no class of managed objects
      @Entity class B: Codable { var a: Int }  // 'ManagedObject' first
      @Entity actor C { var a: Int }  // needs a class
      @Entity class D { var a: Int }  // has no superclass
      @Entity @Entity class E: ManagedObject { var a: Int }  // written twice
      @Entity final class F: ManagedObject {
        @NSManaged var managed: String  // stands for '@NSManaged'
        @Relationship var texts: Set<String>  // holds values
        @Relationship(inverse: \.all) var all: Set<F>?  // write 'Set<F>'
        @Relationship(maxCount: 3, inverse: \.few) var few: Set<F>  // must precede
        @Relationship(inverse: \.ruled, deleteRule: .deny) var ruled: F?  // must precede
        @Attribute(matching: "x", originalName: "y") var order: String  // must precede
        @Attribute(originalName: "y", .unique) var option: String  // must precede
        var character: Character  // cannot be kept
        var twice: Int = 1
        var twice: String = ""  // invalid redeclaration
      }
      @Entity final class G: ManagedObject {
        let constant: Int  // needs an initial value
        @Unmodeled var variable: Int  // needs an initial value
      }
      """#
    let output = try Compiler.check(program).output
    let errors = output.split(separator: "\n").filter { $0.contains(" error: ") }
      .filter { !$0.contains("|") && !$0.contains("`-") }
    let lines = program.split(separator: "\n")
    let marked = lines.enumerated().compactMap { index, line -> String? in
      guard let comment = line.range(of: "  // ") else { return nil }
      let message = line[comment.upperBound...]
      let found = errors.filter { $0.contains("program.swift:\(index + 1):") }
      #expect(found.count == 1, "line \(index + 1): \(message)\n\(found)")
      #expect(found.allSatisfy { $0.contains(message) }, "line \(index + 1): \(found)")
      return String(message)
    }
    #expect(errors.count == marked.count, "\(errors.joined(separator: "\n"))")
  }

  @Test(
    "values are made for classes of each kind, and for each that has an initializer of its own",
    .enabled(if: Compiler.isUsed))
  func values() throws {
    let result = try Compiler.check(
      #"""
      public import Foundation
      public import Roost
      public enum Kind: String, Sendable { case a }
      struct Hidden: Codable, Sendable { var x = 1 }
      @Entity open class Party: ManagedObject {
        public var name: String
        public var kind: Kind = .a
        var hidden: Hidden = Hidden()
        private var secret: Int = 1
        @Relationship(inverse: \.boss) public var reports: Set<Party>
        public var boss: Party?
      }
      @Entity public final class Company: Party {
        public var size: Int?
        public convenience init(_ size: Int, context: ManagedObjectContext) {
          self.init(context: context)
        }
        public required init(entity: EntityDescription, insertInto context: ManagedObjectContext?) {
          super.init(overriding: entity, insertInto: context)
        }
      }
      @Entity private final class Own: ManagedObject {
        struct Values {}
        var values: [Int] = []
        var context: String
      }
      func use(_ context: ManagedObjectContext) throws {
        var values = Company.Values(.init(name: "A", kind: nil, hidden: Hidden()), size: 1)
        values.name += "!"
        let company = Company(values, context: context)
        let task: @Sendable () -> String = { [values] in values.name }
        _ = Set([Company.Values(company)]).count + task().count
        _ = Party(name: "B", context: context).values
        try context.upsert([values], by: \.name, \.size)
      }
      """#)
    #expect(result.succeeded, "\(result.output)")
  }

  @Test(
    "what the compiler has to know better is left to it",
    .enabled(if: Compiler.isUsed),
    arguments: [
      ("@Relationship(inverse: \\.peopel) var department: Department?", "no member 'peopel'"),
      ("@Relationship(inverse: \\Department.peopel) var department: Department?", "'peopel'"),
      ("var age: Int32 = \"1\"", "'String'"),
      ("var handler: [(Int) -> Void]", "cannot be stored"),
      ("var process: Locked = Locked()", "cannot be stored"),
      ("var friends: Set<Person> = others", "no destinations"),
      ("var list: [Person] = Array(others)", "no destinations"),
      ("@Attribute(.uniqe) var a: Int", "'uniqe'"),
    ])
  func typeErrors(member: String, message: String) throws {
    let result = try Compiler.check(
      """
      import Roost
      @Entity final class Person: ManagedObject {
        \(member)
      }
      @Entity final class Department: ManagedObject { var people: Set<Person> }
      final class Locked {}
      var others: Set<Person> { [] }
      """)
    #expect(!result.succeeded)
    #expect(result.output.contains(message), "\(result.output)")
  }
}
