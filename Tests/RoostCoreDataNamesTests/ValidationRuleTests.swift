// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

@Suite("Validation rules with Core Data's names")
struct ValidationRuleTests {
  private func context() throws -> NSManagedObjectContext {
    let model = ParcelModel.make()
    let label = try #require(model.entitiesByName["Parcel"]?.attributesByName["label"])
    label.setValidationPredicates(
      [
        NSPredicate(format: "length >= 2"), NSPredicate(format: "SELF MATCHES %@", "[a-z]*"),
        NSPredicate(format: "SELF != %@", "no"),
      ],
      withValidationWarnings: [
        NSValidationStringTooShortError,
        NSNumber(value: NSValidationStringPatternMatchingError), "Say yes",
      ])
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try context.persistentStoreCoordinator?.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    return context
  }

  private func error(_ label: String) throws -> NSError? {
    let context = try context()
    let parcel = NSEntityDescription.insertNewObject(forEntityName: "Parcel", into: context)
    parcel.setValue(label, forKey: "label")
    do { try context.save() } catch let error as NSError { return error }
    return nil
  }

  @Test("a number that is the warning of a predicate is the code of the error (B150)")
  func code() throws {
    let short = try #require(try error("a"))
    #expect(short.domain == NSCocoaErrorDomain)
    #expect(short.code == NSValidationStringTooShortError)
    #expect(short.userInfo[NSValidationKeyErrorKey] as? String == "label")
    #expect(short.userInfo[NSValidationValueErrorKey] as? String == "a")
    let predicate = short.userInfo[NSValidationPredicateErrorKey] as? NSPredicate
    #expect(predicate == NSPredicate(format: "length >= 2"))
    #expect(try error("yes") == nil)
  }

  @Test("a sentence is what the error says (B150)")
  func sentence() throws {
    let refused = try #require(try error("no"))
    #expect(refused.code == NSManagedObjectValidationError)
    #expect(refused.localizedDescription.contains("Say yes"))
  }

  @Test("all rules that a value breaks are told (B153)")
  func several() throws {
    let both = try #require(try error("A"))
    #expect(both.code == NSValidationMultipleErrorsError)
    let details = try #require(both.userInfo[NSDetailedErrorsKey] as? [NSError])
    #expect(
      details.map(\.code) == [
        NSValidationStringTooShortError, NSValidationStringPatternMatchingError,
      ])
  }
}
