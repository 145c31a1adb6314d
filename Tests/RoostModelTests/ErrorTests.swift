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
    #expect(many.description.split(separator: "\n").count == 23)
    #expect(many.description.hasSuffix("and 30 more"))
    #expect(!many.description.contains("secret"))
    #expect(many.detailedDescription.split(separator: "\n").count == 52)
  }

  @Test("an error that sums up one other says it once (F46)")
  func onceOnly() {
    let one = PersistenceError(.managedObjectMerge, "The record is gone.", entityName: "Person")
    var summary = one
    summary.underlyingErrors = [one]
    let head = "managedObjectMerge: The record is gone. [Person]"
    #expect(summary.description == "\(head)\n\(summary.remedy)")
    #expect(summary.detailedDescription.split(separator: "\n").count == 2)
    #expect(summary.underlyingErrors.count == 1)
  }

  @Test("each code has a remedy: one sentence, printed as the second line")
  func remedies() {
    for (code, name) in PersistenceError.Code.names {
      let error = PersistenceError(code, "What happened.")
      let remedy = error.remedy
      #expect(remedy.count > 10 && remedy.count < 110 && remedy.hasSuffix("."), "\(name)")
      #expect(!remedy.dropLast().contains(". "), "\(name)")
      #expect(error.description == "\(name): What happened.\n\(remedy)")
      #expect(error.recoverySuggestion == remedy)
    }
    #expect(PersistenceError.Code.remedies.count == PersistenceError.Code.names.count)
    let foreign = PersistenceError(.init(rawValue: 7), "What happened.")
    #expect(foreign.remedy.isEmpty && foreign.recoverySuggestion == nil)
    #expect(foreign.description == "error 7: What happened.")
  }

  @Test("what the place of an error knows is more exact than what its code says")
  func exactRemedy() {
    let error = PersistenceError(.invalidRequest, "No size.").remedied(by: "Ask for a size.")
    #expect(error.description == "invalidRequest: No size.\nAsk for a size.")
    var told = PersistenceError(.invalidRequest, "No size. Ask for a size.")
    told.remedy = "Ask for a size."
    #expect(told.description == "invalidRequest: No size. Ask for a size.")
    #expect(error == told)
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
