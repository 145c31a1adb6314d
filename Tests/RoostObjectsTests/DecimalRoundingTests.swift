// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Entity final class Price: ManagedObject {
  var amount: Decimal = 0
  @Attribute(.exact) var exact: Decimal?
}

@Suite("Rounding of decimals")
struct DecimalRoundingTests {
  private func makeContext() throws -> ManagedObjectContext {
    let container = try PersistentContainer(
      name: "prices", model: ManagedObjectModel(Price.self), stores: [.inMemory()])
    try container.loadPersistentStores()
    return container.newBackgroundContext()
  }

  @Test("every quotient of small decimals can be saved (value contract: Decimal 38 digits)")
  func quotients() throws {
    let context = try makeContext()
    for dividend in 1...20 {
      for divisor in 1...20 {
        let price = Price(context: context)
        price.amount = Decimal(dividend) / Decimal(divisor)
      }
    }
    try context.save()
    #expect(try context.count(for: FetchRequest<Price>(entityName: "Price")) == 400)
  }

  @Test("the object has the rounded value after its save, and so has the store")
  func roundedValue() throws {
    let context = try makeContext()
    let price = Price(context: context)
    price.amount = Decimal(4) / 3
    try context.save()
    let rounded = try #require(Decimal(string: "1.3333333333333333333333333333333333333"))
    #expect(price.amount == rounded)
    #expect(!price.hasChanges)
    try context.refresh(price, mergeChanges: false)
    #expect(price.amount == rounded)
  }

  @Test("half is rounded to even, on both sides of zero")
  func halves() throws {
    let wanted = [
      ("100000000000000000000000000000000000005", "100000000000000000000000000000000000000"),
      ("100000000000000000000000000000000000015", "100000000000000000000000000000000000020"),
      ("-100000000000000000000000000000000000015", "-100000000000000000000000000000000000020"),
      ("-100000000000000000000000000000000000005", "-100000000000000000000000000000000000000"),
      ("100000000000000000000000000000000000006", "100000000000000000000000000000000000010"),
      ("299999999999999999999999999999999999996", "300000000000000000000000000000000000000"),
      ("340282366920938463463374607431768211455", "340282366920938463463374607431768211460"),
    ]
    let context = try makeContext()
    for (text, rounded) in wanted {
      let price = Price(context: context)
      price.amount = try #require(Decimal(string: text))
      try context.save()
      #expect(price.amount == Decimal(string: rounded), "\(text)")
    }
  }

  @Test("an attribute that is exact refuses what it cannot keep")
  func exact() throws {
    let context = try makeContext()
    let price = Price(context: context)
    price.exact = Decimal(4) / 3
    #expect(code { try context.save() } == .invalidValue)
    price.exact = Decimal(1) / 4
    try context.save()
  }
}
