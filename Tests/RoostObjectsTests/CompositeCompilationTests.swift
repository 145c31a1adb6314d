// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests of `@Composite` with the compiler.
@Suite struct CompositeCompilationTests {
  private static let program = """
    public import Foundation
    public import Roost
    public enum Kind: String, Codable, Sendable { case a, b }
    struct Note: Codable { var text = "" }
    @Composite public struct Place: Hashable {
      public var latitude: Double = 0
      public private(set) var longitude: Double?
      let id: UUID
    }
    @Composite public struct Address: Hashable {
      public var street: String = ""
      public var kind: Kind = .a
      public var otherKind: Kind?
      public var place: Place
      public var otherPlace: Place?
      var implied: String!
      var tags: [String] = []
      private var notes: [Note] { [] }
    }
    public enum Space {
      @Composite package struct Inner { package var a: Int = 1 }
    }
    public extension Space {
      @Composite struct Outer { var a: Int = 1 }
    }
    @Entity public final class Client: ManagedObject {
      @Composite public struct Name { public var first: String = "" }
      public var address: Address = Address(place: Place(id: UUID()))
      public var billing: Address?
      var note: Inside = Inside()
    }
    @Composite struct Inside: Codable { var note: Note = Note(); var other: Note?; var kind: Kind? }
    func use(_ client: Client) throws {
      client.address.city()
      client.address.place.latitude += 1
      client.billing = client.address
      client.billing?.kind = .b
      let request = Client.where {
        $0.address.kind == .a && $0.billing.place.latitude > 1 && $0.billing == nil
          && $0.address.otherPlace.latitude == 1 && $0.note.kind == .b
      }
      _ = request.sorted(by: \\.address.street).sorted(by: \\.billing?.place.longitude)
    }
    extension Address { func city() {} }
    """

  @Test("composites of each kind compile", .enabled(if: Compiler.isUsed))
  func kinds() throws {
    let result = try Compiler.check(Self.program, "-package-name", "p")
    #expect(result.succeeded, "\(result.output)")
  }

  @Test(
    "composites compile where everything belongs to the main actor", .enabled(if: Compiler.isUsed))
  func mainActor() throws {
    let result = try Compiler.check(
      """
      import Foundation
      import Roost
      @Composite struct Address: Hashable { var street: String = ""; var city: String? }
      @Entity final class Client: ManagedObject { var address: Address = Address() }
      func use(_ client: Client) { client.address.city = "Bern" }
      """, "-default-isolation", "MainActor")
    #expect(result.succeeded, "\(result.output)")
  }

  @Test(
    "a type that no element can have is an error",
    .enabled(if: Compiler.isUsed),
    arguments: [
      ("var owner: Person?", "no relationship"),
      ("var owners: Set<Person>", "no relationship"),
      ("var owners: [Person]", "no relationship"),
      ("var lock: Locked?", "cannot be stored"),
      ("@Relationship var owner: Person?", "only in a class with '@Entity'"),
      ("var count: Int32 = \"1\"", "'String'"),
    ])
  func typeErrors(member: String, message: String) throws {
    let result = try Compiler.check(
      """
      import Roost
      @Composite struct Address {
        var street: String = ""
        \(member)
      }
      @Entity final class Person: ManagedObject { var name: String = "" }
      final class Locked: Sendable {}
      """)
    #expect(!result.succeeded)
    #expect(result.output.contains(message), "\(result.output)")
  }
}
