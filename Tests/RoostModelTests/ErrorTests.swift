// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Errors")
struct ErrorTests {
  private let error = PersistenceError(
    .validationStringTooLong, "The text is too long.", entityName: "Person", key: "name",
    value: "secret", store: "hr.sqlite",
    underlying: PersistenceError(.storeBusy, "secret too"))

  @Test("no way of printing an error shows its value, except the one that says so")
  func redaction() {
    var dumped = ""
    dump(error, to: &dumped)
    let printed = [
      error.description, error.debugDescription, "\(error)", String(reflecting: error),
      error.localizedDescription, String(describing: Optional(error)), dumped,
      "\([error])", (error as NSError).localizedDescription,
    ]
    for text in printed { #expect(!text.contains("secret"), "\(text)") }
    #expect(error.description.contains("validationStringTooLong"))
    #expect(error.description.contains("Person.name"))
    #expect(error.detailedDescription.contains("\"secret\""))
    #expect(error.detailedDescription.contains("secret too"))
  }

  @Test("errors are equal by their code; codes have Core Data's numbers (B336)")
  func codes() {
    #expect(error == PersistenceError(.validationStringTooLong, ""))
    #expect(error != PersistenceError(.validationStringTooShort, ""))
    #expect(PersistenceError.Code.validationMissingMandatoryProperty.rawValue == 1570)
    #expect(PersistenceError.Code.persistentStoreIncompatibleVersionHash.rawValue == 134_100)
    #expect((error as NSError).code == 1660)
    #expect(PersistenceError.Code(rawValue: 7).description == "error 7")
    #expect(PersistenceError.Code.names.count > 40)
    let late = PersistenceError.Code.migrationConstraintViolation
    #expect(late.description.contains("migrationConstraintViolation"))
    #expect(Set(PersistenceError.Code.names.values).count == PersistenceError.Code.names.count)
  }

  @Test("an error lists what it sums up, and not without end (B154)")
  func underlying() {
    let many = PersistenceError(
      .validationMultipleErrors, "Several.", underlyingErrors: Array(repeating: error, count: 50))
    #expect(many.description.split(separator: "\n").count == 22)
    #expect(many.description.hasSuffix("and 30 more"))
    #expect(!many.description.contains("secret"))
    #expect(many.detailedDescription.split(separator: "\n").count == 51)
  }

  @Test("an error that sums up one other says it once (F46)")
  func onceOnly() {
    let one = PersistenceError(.managedObjectMerge, "The record is gone.", entityName: "Person")
    var summary = one
    summary.underlyingErrors = [one]
    #expect(summary.description == "managedObjectMerge: The record is gone. [Person]")
    #expect(summary.detailedDescription.split(separator: "\n").count == 1)
    #expect(summary.underlyingErrors.count == 1)
  }

  @Test("the type of a value is told without Swift's optionals (F46)")
  func typeNames() {
    let nested: Any?? = .some(.some(1))
    #expect(TypeName.of(nested as Any) == "Int")
    #expect(TypeName.of(Optional<Int>.none as Any) == "nil")
    #expect(TypeName.of(nil) == "nil")
    #expect(TypeName.of("a") == "String")
  }
}
