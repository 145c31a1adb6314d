// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One entity with an attribute of every stored type, named after the type, and a composite.
package enum SampleModel {
  package static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date,
    .binaryData, .uuid, .uri,
  ]

  package static func make() -> ManagedObjectModel {
    var sketch = ModelSketch()
    var attributes: [AttributeDescription] = [.string("name")]
    attributes += types.map { .of($0.description, $0) }
    attributes.append(
      CompositeAttributeDescription(
        name: "place", elements: [AttributeDescription.string("city"), .of("height", .double)]))
    sketch.add("Sample", attributes)
    return sketch.make()
  }
}

/// A model of one entity with uniqueness constraints.
package enum UniqueModel {
  package static func make() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add(
      "Account", [.string("name"), .string("email"), .string("realm"), .integer("number")],
      unique: [["email"], ["realm", "number"]])
    sketch.add("Staff", [.string("badge")], parent: "Account", unique: [["badge"]])
    sketch.add("Guest", [.string("host")], parent: "Account")
    return sketch.make()
  }
}
