// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The texts of validation errors: the model's localisation dictionary has names of entities and properties, and
/// translations of whole sentences.
///
/// Its keys are Core Data's: `Entity/Person`, `Property/name/Entity/Person`, `Property/name`, and `ErrorString/`
/// before a sentence or a warning of the model.
struct ValidationMessages {
  let entity: EntityDescription

  private var words: [String: String] { entity.managedObjectModel?.localizationDictionary ?? [:] }

  /// Returns the user-visible name of a property.
  private func name(of property: PropertyDescription) -> String {
    let words = words
    guard !words.isEmpty else { return property.name }
    var next: EntityDescription? = entity
    while let current = next {
      if let word = words["Property/\(property.name)/Entity/\(current.name ?? "")"] { return word }
      next = current.superentity
    }
    return words["Property/\(property.name)"] ?? property.name
  }

  /// Returns a sentence about a property, with its name for `%@` and numbers for `%d`.
  func sentence(_ sentence: String, _ property: PropertyDescription, _ numbers: [Int] = [])
    -> String
  {
    var result = words["ErrorString/\(sentence)"] ?? sentence
    for number in numbers {
      guard let place = result.range(of: "%d") else { break }
      result.replaceSubrange(place, with: String(number))
    }
    return result.replacing("%@", with: name(of: property))
  }

  /// Returns a warning of the model, translated if possible.
  func warning(_ text: String) -> String {
    words["ErrorString/\(text)"] ?? text
  }
}
