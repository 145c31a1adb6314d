// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery

/// Records with difficult values, which a migration must preserve, in many combinations.
enum EvolutionThings {
  private static let notes: [String?] = [
    "", nil, "\u{E9}", "e\u{301}", "\u{1F1E9}\u{1F1EA}", "'; DROP TABLE x; --", "\n\t\\ %_*",
    String(repeating: "long ", count: 1_000), "0", " ", "NULL", "null",
  ]
  private static let ratios: [Double?] = [
    0, 0.1, nil, 1e300, Double.leastNonzeroMagnitude, -2.5, 1.0 / 3, .infinity, -.infinity,
    123_456_789.123_456_79, 1e15,
    -1,
  ]
  private static let sizes: [Int64?] = [
    0, 1, -1, nil, .max, .min, 4_294_967_296, 7, nil, 1_000_000, 255, 65_536,
  ]

  /// The attributes of the entity.
  static func attributes() -> [AttributeDescription] {
    [
      .string("name"), .string("note"), .integer("size"), .of("ratio", .double),
      .of("when", .date), .of("flag", .boolean), .of("bytes", .binaryData), .of("code", .uuid),
      .of("price", .decimal), .of("link", .uri),
    ]
  }

  /// As many as the specification of the kit wants: more than a page of any store holds.
  static let count = 300

  static func name(_ index: Int) -> String {
    let digits = "\(index)"
    return "t" + String(repeating: "0", count: 3 - digits.count) + digits
  }

  // The lists are of one length: another step at each round makes other combinations.

  static func note(_ index: Int) -> String? { notes[(index + index / 12) % 12] }

  static func ratio(_ index: Int) -> Double? { ratios[(index + index / 12 * 7) % 12] }

  static func size(_ index: Int) -> Int64? { sizes[(index + index / 12 * 5) % 12] }

  /// The names of the records whose number meets a condition, in order.
  static func names(of count: Int = EvolutionThings.count, _ isMet: (Int) -> Bool) -> [String] {
    (0..<count).filter(isMet).map(name)
  }

  /// The values of a record besides its name.
  static func values(_ index: Int) -> [String: Any] {
    var values: [String: Any] = ["name": name(index)]
    values["note"] = note(index)
    values["ratio"] = ratio(index)
    values["size"] = size(index)
    if index % 3 != 0 {
      let byte = UInt8(truncatingIfNeeded: index)
      values["when"] = Date(timeIntervalSinceReferenceDate: Double(index) * 1e7 + 1.0 / 3)
      values["flag"] = index % 2 == 0
      values["bytes"] = Data([UInt8](repeating: byte, count: index % 12 * 100))
      values["code"] = UUID(
        uuid: (byte, UInt8(index / 256), 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
      values["price"] = Decimal(string: "-12345678901234567890.\(index)1")
      values["link"] = URL(string: "https://example.org/\(index)?q=%20")
    }
    return values
  }

  /// Inserts all records of an entity.
  static func fill(
    _ context: ManagedObjectContext, entity: String = "Thing", count: Int = EvolutionThings.count
  ) throws {
    for index in 0..<count {
      let object = try context.insert(entity)
      for (key, value) in values(index) { try object.set(key, value) }
    }
  }

  /// Expects the values of the records, with some attributes renamed and others left out.
  static func expect(
    _ context: ManagedObjectContext, entity: String = "Thing", renamed: [String: String] = [:],
    except: Set<String> = [], count: Int = EvolutionThings.count
  ) throws {
    let nameKey = renamed["name"] ?? "name"
    let request = FetchRequest<ManagedObject>(entityName: entity)
    request.sortDescriptors = [SortOrdering(nameKey)]
    let found = try context.fetch(request)
    try expectEqual(found.count, count, "the records of \(entity)")
    for (index, object) in found.enumerated() {
      let wanted = values(index)
      for attribute in attributes() where !except.contains(attribute.name) {
        let key = renamed[attribute.name] ?? attribute.name
        let value = try object.get(key)
        let expected = Value(any: wanted[attribute.name], type: attribute.type) ?? .null
        try expectEqual(
          ExactValue(value), ExactValue(expected), "\(key) of \(wanted["name"] ?? "")")
      }
    }
  }
}
