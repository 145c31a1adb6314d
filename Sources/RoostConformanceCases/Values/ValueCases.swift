// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// The value contract: one case for each row of the table, and cases about several values.
enum ValueCases {
  static let all: [ConformanceCase] =
    ValueTable.rows.map(roundTrip) + nils + others + orders + conversions

  private static func roundTrip(_ row: ValueRow) -> ConformanceCase {
    let key = row.type.description
    let promise: String
    switch row.fate {
    case .kept: promise = "is read back bit by bit"
    case .becomes: promise = "is read back in its canonical form"
    case .refused: promise = "is refused, and can be replaced"
    }
    return ConformanceCase(
      .values, "\(key).\(row.name)",
      "the \(key) \(row.name) \(promise) (value contract: \(row.contract))"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      switch row.fate {
      case .kept: try keep(row, as: row.value, in: stack)
      case .becomes(let value): try keep(row, as: value, in: stack)
      case .refused: try refuse(row, in: stack)
      }
    }
  }

  /// Inserts the value, updates to it and away from it, and reads all three back from the store.
  private static func keep(_ row: ValueRow, as wanted: Value, in stack: ConformanceStack) throws {
    let key = row.type.description
    try stack.context.make("Sample", ["name": "born", key: row.native])
    let grown = try stack.context.make("Sample", ["name": "grown"])
    let shrunk = try stack.context.make("Sample", ["name": "shrunk", key: row.native])
    try stack.context.save()
    try grown.set(key, row.native)
    try shrunk.set(key, nil)
    try stack.context.save()
    if row.type == .decimal {
      try expectExact(try grown.get(key), wanted, "the value of the object after its save")
    }
    try stack.readAnew()
    for name in ["born", "grown"] {
      let value = try stack.context.named("Sample", name).get(key)
      try expectExact(value, wanted, "\(key) of the object that is \(name) with it")
    }
    try expectExact(
      try stack.context.named("Sample", "shrunk").get(key), .null, "the value set to nil")
    try expectEqual(
      try stack.context.names("Sample", "\(key) == nil"), ["shrunk"], "what is nil")
    guard row.type != .binaryData else { return }
    try expectEqual(
      try stack.context.names("Sample", "\(key) == %@", wanted.native),
      ["born", "grown"],
      "what equals the value")
  }

  /// Tries to save the value, then replaces it and saves.
  private static func refuse(_ row: ValueRow, in stack: ConformanceStack) throws {
    let key = row.type.description
    let object = try stack.context.make("Sample", ["name": "kept"])
    try stack.context.save()
    try expectError(.invalidValue, "setting or saving the value") {
      try object.set(key, row.native)
      try stack.context.save()
    }
    try object.set(key, nil)
    try object.set("name", "kept all the same")
    try stack.context.save()
    try stack.readAnew()
    let found = try stack.context.named("Sample", "kept all the same")
    try expectExact(try found.get(key), .null, "the value that was refused")
  }

  private static let nils: [ConformanceCase] = SampleModel.types.map { type in
    let key = type.description
    return ConformanceCase(
      .values, "\(key).nil", "a \(key) that is nil stays nil (value contract: ''/nil)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      let object = try stack.context.make("Sample", ["name": "a"])
      try expectExact(try object.get(key), .null)
      try stack.context.save()
      try stack.readAnew()
      try expectExact(try stack.context.named("Sample", "a").get(key), .null)
      try expectEqual(try stack.context.names("Sample", "\(key) == nil"), ["a"])
      try expectEqual(try stack.context.names("Sample", "\(key) != nil"), [])
    }
  }

  private static let others: [ConformanceCase] = [
    ConformanceCase(
      .values, "string.nfc-and-nfd-differ",
      "two spellings of a letter are two values: not equal, both kept (value contract: NFC vs NFD)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      try stack.context.make("Sample", ["name": "composed", "string": "caf\u{E9}"])
      try stack.context.make("Sample", ["name": "decomposed", "string": "cafe\u{301}"])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(
        try stack.context.names("Sample", "string == %@", "caf\u{E9}"), ["composed"])
      try expectEqual(
        try stack.context.names("Sample", "string == %@", "cafe\u{301}"), ["decomposed"])
      try expectEqual(
        try stack.context.names("Sample", "string IN %@", ["caf\u{E9}"]), ["composed"])
    },
    ConformanceCase(
      .values, "string.change-of-spelling-is-written",
      "a change from one spelling of a letter to another is a change (value contract: NFC vs NFD)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      let object = try stack.context.make("Sample", ["name": "a", "string": "\u{E9}"])
      try stack.context.save()
      try object.set("string", "e\u{301}")
      try expect(object.hasPersistentChangedValues, "the other spelling is another value")
      try stack.context.save()
      try stack.readAnew()
      try expectExact(
        try stack.context.named("Sample", "a").get("string"), .string("e\u{301}"))
    },
    ConformanceCase(
      .values, "string.empty-is-not-nil",
      "an empty string and nil are two values (value contract: ''/nil)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      try stack.context.make("Sample", ["name": "empty", "string": ""])
      try stack.context.make("Sample", ["name": "nothing"])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Sample", "string == %@", ""), ["empty"])
      try expectEqual(try stack.context.names("Sample", "string == nil"), ["nothing"])
      try expectEqual(try stack.context.names("Sample", "string != %@", ""), ["nothing"])
    },
    ConformanceCase(
      .values, "data.empty-is-not-nil", "empty data and nil are two values (value contract: ''/nil)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      try stack.context.make("Sample", ["name": "empty", "binaryData": Data()])
      try stack.context.make("Sample", ["name": "nothing"])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Sample", "binaryData == nil"), ["nothing"])
      try expectEqual(try stack.context.names("Sample", "binaryData != nil"), ["empty"])
    },
    ConformanceCase(
      .values, "decimal.numeric-equality",
      "decimals are compared as numbers: 1.10 is 1.1 (value contract: Decimal 38 digits)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      try stack.context.make("Sample", ["name": "a", "decimal": Decimal(string: "1.10")])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(
        try stack.context.names("Sample", "decimal == %@", Decimal(string: "1.1")), ["a"])
      try expectEqual(try stack.context.names("Sample", "decimal == 1.1"), ["a"])
    },
    ConformanceCase(
      .values, "integer.constant-has-the-attributes-type",
      "2^53 and 2^53 + 1 are told apart (value contract: int vs double)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      let border: Int64 = 9_007_199_254_740_992
      try stack.context.make("Sample", ["name": "even", "integer64": border])
      try stack.context.make("Sample", ["name": "odd", "integer64": border + 1])
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Sample", "integer64 == %ld", border + 1), ["odd"])
      try expectEqual(try stack.context.names("Sample", "integer64 > %ld", border), ["odd"])
      try expectEqual(try stack.context.names("Sample", "integer64 <= %ld", border), ["even"])
    },
    ConformanceCase(
      .values, "composite.round-trip",
      "the elements of a composite are kept, and asked for by dotted names (B311)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      try stack.context.make(
        "Sample", ["name": "a", "place": ["city": "Paris", "height": 35.0] as [String: Any]])
      try stack.context.make("Sample", ["name": "b"])
      try stack.context.save()
      try stack.readAnew()
      let found = try stack.context.named("Sample", "a")
      try expectExact(try found.get("place.city"), .string("Paris"))
      try expectExact(try found.get("place.height"), .double(35))
      try expectEqual(try stack.context.names("Sample", "place.city == %@", "Paris"), ["a"])
      try expectEqual(try stack.context.names("Sample", "place.height > 30"), ["a"])
    },
  ]
}
