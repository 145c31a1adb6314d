// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery

/// Records with difficult values, which a migration must preserve.
enum EvolutionThings {
  static let notes: [String?] = [
    "", nil, "\u{E9}", "e\u{301}", "\u{1F1E9}\u{1F1EA}", "'; DROP TABLE x; --", "\n\t\\ %_*",
    String(repeating: "long ", count: 1_000), "0", " ", "NULL", "null",
  ]
  static let ratios: [Double?] = [
    0, 0.1, nil, 1e300, Double.leastNonzeroMagnitude, -2.5, 1.0 / 3, .infinity, -.infinity,
    123_456_789.123_456_79, 1e15,
    -1,
  ]
  static let sizes: [Int64?] = [
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

  static let count = 12

  static func name(_ index: Int) -> String { index < 10 ? "t0\(index)" : "t\(index)" }

  /// The values of a record besides its name.
  static func values(_ index: Int) -> [String: Any] {
    var values: [String: Any] = ["name": name(index)]
    values["note"] = notes[index]
    values["ratio"] = ratios[index]
    values["size"] = sizes[index]
    if index % 3 != 0 {
      values["when"] = Date(timeIntervalSinceReferenceDate: Double(index) * 1e7 + 1.0 / 3)
      values["flag"] = index % 2 == 0
      values["bytes"] = Data([UInt8](repeating: UInt8(index), count: index * 100))
      values["code"] = UUID(
        uuid: (UInt8(index), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
      values["price"] = Decimal(string: "-12345678901234567890.\(index)1")
      values["link"] = URL(string: "https://example.org/\(index)?q=%20")
    }
    return values
  }

  /// Inserts all records of an entity.
  static func fill(_ context: ManagedObjectContext, entity: String = "Thing") throws {
    for index in 0..<count {
      let object = try context.insert(entity)
      for (key, value) in values(index) { try object.set(key, value) }
    }
  }

  /// Expects the values of the records, with some attributes renamed and others left out.
  static func expect(
    _ context: ManagedObjectContext, entity: String = "Thing", renamed: [String: String] = [:],
    except: Set<String> = []
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
