// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension PropertyCases {
  /// Equal sets that go through their elements in different orders, as far as that can be had.
  private static func equalSets() -> [Set<String>] {
    let words = (0..<12).map { "word \($0)" }
    return (0..<20).map { number in
      var set = Set<String>(minimumCapacity: 1 << (number % 8 + 4))
      for word in number.isMultiple(of: 2) ? words : words.reversed() { set.insert(word) }
      return set
    }
  }

  static let sets: [ConformanceCase] = [
    ConformanceCase(
      .properties, "transformable.sets",
      "equal sets are equal in conditions and change nothing, however they are ordered (B55, B64)"
    ) { stage in
      let tags = AttributeDescription.of("tags", .transformable)
      tags.transformableCodec = .of(Set<String>.self)
      var sketch = ModelSketch()
      sketch.add("Note", [.string("name"), tags])
      let stack = try stage.open(sketch.make())
      try stack.context.make("Note", ["name": "a", "tags": equalSets()[0]])
      try stack.context.make("Note", ["name": "b", "tags": Set(["word"])])
      try stack.context.save()
      try stack.readAnew()
      let note = try stack.context.named("Note", "a")
      for set in equalSets() {
        try expectEqual(
          try stack.context.names("Note", "tags == %@", set.attributeValue), ["a"], "the equal one")
        try note.set("tags", set)
        try expect(!note.hasPersistentChangedValues, "an equal set is no change")
        try stack.context.save()
      }
      try expectEqual(try stack.version(of: note), 1, "the version")
    }
  ]
}
