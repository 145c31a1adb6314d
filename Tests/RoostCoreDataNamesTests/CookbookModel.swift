// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCoreDataNames

// The classes of an app as Xcode generates them, with the declarations changed as the documentation says.

@Entity final class Recipe: NSManagedObject {
  var title: String?
  var minutes: Int16 = 0
  var created: Date?
  @Relationship(deleteRule: .cascade, inverse: \.recipe) var steps: [Step]
  @Relationship(inverse: \.recipes) var tags: Set<Tag>

  override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue(Date(), forKey: "created")
  }

  override func validateForInsert() throws {
    try super.validateForInsert()
    guard minutes >= 0 else {
      throw NSError(domain: "Cookbook", code: 7, userInfo: [NSLocalizedDescriptionKey: "negative"])
    }
  }
}

@Entity final class Step: NSManagedObject {
  var text: String = ""
  @Relationship(inverse: \.steps) var recipe: Recipe?
}

@Entity final class Tag: NSManagedObject {
  @Attribute(.unique) var name: String = ""
  @Relationship var recipes: Set<Recipe>
}

extension Recipe {
  class func sortedFetchRequest() -> NSFetchRequest<Recipe> {
    let request = NSFetchRequest<Recipe>(entityName: "Recipe")
    request.sortDescriptors = [
      NSSortDescriptor(keyPath: \Recipe.minutes, ascending: false),
      NSSortDescriptor(key: "title", ascending: true),
    ]
    return request
  }
}
