// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostConformanceKit
import RoostModel
import RoostObjects

/// Composite attributes whose values are structs.
extension PropertyCases {
  private static let full = Residence(
    street: "Side", city: "Chur", zip: 7000, kind: .office,
    place: Coordinates(latitude: 46.8, longitude: 9.5))

  /// a has only addresses of its own, b also one for bills, c has nothing but a street, and is a friend of b.
  private static func open(_ stage: ConformanceStage) throws -> ConformanceStack {
    let stack = try stage.open(try ManagedObjectModel(Resident.self))
    let a = Resident(context: stack.context)
    a.name = "a"
    let b = Resident(context: stack.context)
    (b.name, b.address, b.billing) = ("b", full, Residence(street: "Bill"))
    let c = Resident(context: stack.context)
    (c.name, c.address.city, c.address.place, c.friend) = ("c", nil, Coordinates(), b)
    try stack.context.save()
    return stack
  }

  private static func resident(_ stack: ConformanceStack, _ name: String) throws -> Resident {
    try require(try stack.context.first(Resident.where { $0.name == name }), "resident \(name)")
  }

  private static func names(
    _ stack: ConformanceStack, _ condition: (QueryObject<Resident>) -> FetchPredicate
  ) throws -> [String] {
    try stack.context.fetch(Resident.where(condition).sorted(by: \.name)).map(\.name)
  }

  static let structs: [ConformanceCase] = [
    ConformanceCase(
      .properties, "struct", "a struct is saved and read element by element (B311)"
    ) { stage in
      let stack = try open(stage)
      try stack.readAnew()
      let a = try resident(stack, "a")
      try expect(a.address == Residence(city: "Bern"), "the initial value")
      try expect(a.billing == nil, "what was never set")
      let b = try resident(stack, "b")
      try expect(b.address == full, "a struct with all elements")
      try expect(b.billing == Residence(street: "Bill"), "the struct that was nil")
      try expectEqual(try b.get("address.place.longitude"), .double(9.5), "the longitude by name")
      let c = try resident(stack, "c")
      try expect(c.address.place == Coordinates() && c.address.city == nil, "the elements of c")
    },
    ConformanceCase(
      .properties, "struct-nil",
      "an optional struct is nil exactly when all of its elements are (B311)"
    ) { stage in
      let stack = try open(stage)
      let b = try resident(stack, "b")
      b.billing = nil
      b.address.place = nil
      let a = try resident(stack, "a")
      try a.setValue("Genf", forKey: "billing.city")
      try stack.context.save()
      try stack.readAnew()
      let other = try resident(stack, "b")
      try expect(other.billing == nil && other.address.place == nil, "both are nil")
      try expectEqual(try other.get("billing.zip"), .null, "an element of nil")
      // The other elements read as the initial values of the struct.
      try expect(
        try resident(stack, "a").billing == Residence(city: "Genf"), "one element is enough")
    },
    ConformanceCase(
      .properties, "struct-query", "conditions and orders name elements by key paths (B311)"
    ) { stage in
      let stack = try open(stage)
      try expectEqual(try names(stack) { $0.address.city == "Bern" }, ["a"])
      try expectEqual(try names(stack) { $0.address.kind == .office }, ["b"])
      try expectEqual(try names(stack) { $0.address.place.latitude > 40 }, ["b"])
      try expectEqual(try names(stack) { $0.friend.address.zip == 7000 }, ["c"])
      try expectEqual(try names(stack) { $0.billing == nil }, ["a", "c"])
      try expectEqual(try names(stack) { $0.billing != nil }, ["b"])
      try expectEqual(try names(stack) { $0.address == full }, ["b"])
      let sorted = Resident.fetchRequest().sorted(by: \.address.city, ascending: false)
      try expectEqual(try stack.context.fetch(sorted).map(\.name), ["b", "a", "c"], "the order")
    },
    ConformanceCase(
      .properties, "struct-format",
      "the format language compares a composite with nil as typed queries do (B311)"
    ) { stage in
      let stack = try open(stage)
      func expectNames(_ format: String, _ wanted: [String]) throws {
        let request = Resident.fetchRequest().filter(try FetchPredicate(format)).sorted(by: \.name)
        try expectEqual(try stack.context.fetch(request).map(\.name), wanted, format)
        try expectEqual(try stack.context.count(for: request), wanted.count, "number: \(format)")
      }
      func expectAll() throws {
        for (format, typed) in [
          ("billing == nil", Resident.where { $0.billing == nil }),
          ("billing != nil", Resident.where { $0.billing != nil }),
          ("nil = SELF.billing", Resident.where { $0.billing == nil }),
          ("address.place == NULL", Resident.where { $0.address.place == nil }),
          ("address.place <> nil", Resident.where { $0.address.place != nil }),
          ("friend.billing == nil", Resident.where { $0.friend.billing == nil }),
          ("friend.billing != nil", Resident.where { $0.friend.billing != nil }),
          (
            "NOT billing == nil OR name == 'c'",
            Resident.where { $0.billing != nil || $0.name == "c" }
          ),
        ] {
          try expectNames(format, try stack.context.fetch(typed.sorted(by: \.name)).map(\.name))
        }
      }
      try expectAll()
      try expectNames("billing == nil", ["a", "c"])
      try expectNames("address.place == nil", ["a"])
      try expectNames("friend.billing != nil", ["c"])
      let c = try resident(stack, "c")
      // Changes that are not saved count, too.
      try c.setValue("Genf", forKey: "billing.city")
      try resident(stack, "b").billing = nil
      try expectAll()
      try expectNames("billing != nil", ["c"])
      try expect(try FetchPredicate("billing != nil").evaluate(with: c), "the object itself")
      try stack.context.save()
      try stack.readAnew()
      try expectAll()
      try expectNames("billing != nil", ["c"])
      for format in ["billing == 'x'", "billing > nil", "billing IN {nil}"] {
        try expectError(.invalidRequest, format) {
          _ = try stack.context.fetch(Resident.fetchRequest().filter(try FetchPredicate(format)))
        }
      }
    },
    ConformanceCase(
      .properties, "struct-change",
      "an element that is set through the struct is a change, which can be undone (B311, B110)"
    ) { stage in
      let stack = try open(stage)
      stack.context.undoManager = ChangeUndoManager()
      let a = try resident(stack, "a")
      a.address.city = "Paris"
      try expectEqual(Array(a.changedValues().keys), ["address"], "what is changed")
      stack.context.processPendingChanges()
      stack.context.undo()
      try expect(a.address.city == "Bern", "the city after undo")
      stack.context.redo()
      try stack.context.save()
      try stack.readAnew()
      try expect(
        try resident(stack, "a").address == Residence(city: "Paris"), "what was saved")
    },
    ConformanceCase(
      .properties, "struct-rules", "elements of structs have rules of their own (B311, B150)"
    ) { stage in
      let stack = try open(stage)
      let a = try resident(stack, "a")
      a.address.street = "a street too long"
      try expectError(.validationStringTooLong) { try stack.context.save() }
      a.address.street = "Lane"
      try a.setValue(nil, forKey: "address.zip")
      try expectError(.validationMissingMandatoryProperty) { try stack.context.save() }
      a.address.zip = 5
      try stack.context.save()
      try stack.readAnew()
      try expect(try resident(stack, "a").address.street == "Lane", "what was saved")
    },
    ConformanceCase(
      .properties, "struct-values", "structs are among the values that are inserted (B311)"
    ) { stage in
      let stack = try open(stage)
      let rows = [
        Resident.Values("x", address: full, billing: full), Resident.Values("y", address: full),
      ]
      try stack.context.insertBatch(rows)
      try expect(try resident(stack, "x").values == rows[0], "the first row")
      try expect(try resident(stack, "y").values == rows[1], "the second row")
    },
    ConformanceCase(
      .properties, "struct-field",
      "an element that a struct gets in a new version has its default in old records (B311, M9)",
      needs: [.reopening, .evolution]
    ) { stage in
      let stack = try stage.open(try ManagedObjectModel(EarlierResident.self))
      let old = EarlierResident(context: stack.context)
      (old.name, old.address.street, old.address.city) = ("a", "Old", "Rome")
      old.billing = old.address
      try stack.context.save()
      try stack.reopen(model: try ManagedObjectModel(Resident.self))
      let new = try resident(stack, "a")
      try expect(new.address == Residence(street: "Old", city: "Rome"), "the address")
      try expectEqual(try new.get("address.zip"), .integer(1000), "what the store has")
      try expect(new.billing == Residence(street: "Old", city: "Rome"), "the address for bills")
      try expectEqual(try names(stack) { $0.address.zip == 1000 }, ["a"])
      new.address.zip = 4
      try stack.context.save()
    },
  ]
}
