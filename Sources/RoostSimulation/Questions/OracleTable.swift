// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

/// Records as plain Swift values, which answer requests without the library's code.
struct OracleTable {
  struct Clerk {
    var serial: Int
    var name: String?
    var age: Int?
    var pay: Double?
    var active: Bool?
    /// The place of the office in the list of offices.
    var office: Int?
    /// The serial numbers of the friends.
    var friends: Set<Int> = []
  }

  struct Office {
    var city: String?
    var floor: Int?
  }

  private(set) var clerks: [Clerk] = []
  private(set) var offices: [Office] = []
  private var nextSerial = 0

  func office(of clerk: Clerk) -> Office? { clerk.office.map { offices[$0] } }

  func friends(of clerk: Clerk) -> [Clerk] { clerks.filter { clerk.friends.contains($0.serial) } }

  static let names = ["ada", "Ada", "bo", "", "b\u{F6}", "a*", "ad", "zoe"]
  static let cities = ["Oslo", "oslo", "Rom", ""]
}

// MARK: - Filling

/// A table and the same records in a context, changed together.
struct OracleGround {
  var table = OracleTable()
  let context: ManagedObjectContext
  private var offices: [ManagedObject] = []
  private var clerks: [Int: ManagedObject] = [:]

  init(context: ManagedObjectContext) {
    self.context = context
  }

  static func makeModel() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add(
      "Clerk",
      [
        .integer("serial"), .string("name"), .integer("age"), .of("pay", .double),
        .of("active", .boolean),
      ])
    sketch.add("Office", [.string("city"), .integer("floor")])
    sketch.relate(.init("Clerk", "office", .one), .init("Office", "clerks", .many))
    sketch.relate(.init("Clerk", "friends", .many), .init("Clerk", "fans", .many))
    return sketch.make()
  }

  mutating func fill(_ random: inout SplitMix64) throws {
    for _ in 0..<3 {
      let office = OracleTable.Office(
        city: random.optional(OracleTable.cities), floor: random.optional([0, 1, 2]))
      table.addOffice(office)
      offices.append(try context.make("Office", ["city": office.city, "floor": office.floor]))
    }
    for _ in 0..<12 { try addClerk(&random) }
  }

  /// Changes, adds and removes records, in the table and in the context.
  mutating func change(_ random: inout SplitMix64) throws {
    for _ in 0..<4 {
      let serial = table.clerks[random.below(table.clerks.count)].serial
      guard let object = clerks[serial] else { continue }
      switch random.below(6) {
      case 0:
        table.removeClerk(serial)
        clerks[serial] = nil
        context.delete(object)
      case 1: try addClerk(&random)
      default: try write(random.clerk(serial, table), to: object)
      }
    }
  }

  private mutating func addClerk(_ random: inout SplitMix64) throws {
    let clerk = random.clerk(table.takeSerial(), table)
    let object = try context.make("Clerk", ["serial": clerk.serial])
    clerks[clerk.serial] = object
    try write(clerk, to: object)
  }

  private mutating func write(_ clerk: OracleTable.Clerk, to object: ManagedObject) throws {
    table.set(clerk)
    try object.set("name", clerk.name)
    try object.set("age", clerk.age)
    try object.set("pay", clerk.pay)
    try object.set("active", clerk.active)
    try object.set("office", clerk.office.map { offices[$0] })
    try object.set("friends", Set(clerk.friends.compactMap { clerks[$0] }))
  }
}

extension OracleTable {
  mutating func takeSerial() -> Int {
    nextSerial += 1
    return nextSerial
  }

  mutating func addOffice(_ office: Office) { offices.append(office) }

  mutating func set(_ clerk: Clerk) {
    clerks.removeAll { $0.serial == clerk.serial }
    clerks.append(clerk)
  }

  mutating func removeClerk(_ serial: Int) {
    clerks.removeAll { $0.serial == serial }
    for index in clerks.indices { clerks[index].friends.remove(serial) }
  }
}

extension SplitMix64 {
  mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }

  /// One of the values, or nil now and then.
  mutating func optional<T>(_ values: [T]) -> T? { below(4) == 0 ? nil : pick(values) }

  fileprivate mutating func clerk(_ serial: Int, _ table: OracleTable) -> OracleTable.Clerk {
    let others = table.clerks.map(\.serial).filter { $0 != serial }
    return OracleTable.Clerk(
      serial: serial, name: optional(OracleTable.names), age: optional([-1, 0, 1, 2, 3, 40]),
      pay: optional([0, 1, 1.5, -2.25, 3]), active: optional([true, false]),
      office: optional(Array(table.offices.indices)),
      friends: Set((0..<below(4)).compactMap { _ in others.isEmpty ? nil : pick(others) }))
  }
}
