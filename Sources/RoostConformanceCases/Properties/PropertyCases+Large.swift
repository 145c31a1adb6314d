// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation

extension PropertyCases {
  /// A model of pictures whose data may be stored outside the record.
  private static func pictures() -> ManagedObjectModel {
    let data = AttributeDescription.of("data", .binaryData)
    data.allowsExternalBinaryDataStorage = true
    var sketch = ModelSketch()
    sketch.add("Picture", [.string("name"), data])
    return sketch.make()
  }

  /// Bytes that do not compress and differ from one seed to another.
  private static func bytes(_ count: Int, seed: UInt64) -> Data {
    var generator = SplitMix64(seed: seed)
    var result = Data(capacity: count)
    while result.count < count {
      withUnsafeBytes(of: generator.next()) { result.append(contentsOf: $0) }
    }
    return result.prefix(count)
  }

  private static let sizes = [0, 1, 255, 4096, 65_536, 1 << 20, 5 << 20]

  static let large: [ConformanceCase] = [
    ConformanceCase(
      .properties, "large", "data of any size that may be kept outside are read as written (B312)"
    ) { stage in
      let stack = try stage.open(pictures())
      for size in sizes {
        try stack.context.make(
          "Picture", ["name": "\(size)", "data": bytes(size, seed: UInt64(size))])
      }
      try stack.context.make("Picture", ["name": "none"])
      try stack.context.save()
      try stack.readAnew()
      for size in sizes {
        let picture = try stack.context.named("Picture", "\(size)")
        try expect(
          try picture.value(forKey: "data") as? Data == bytes(size, seed: UInt64(size)),
          "\(size) bytes are read as they were written")
      }
      try expect(
        try stack.context.named("Picture", "none").value(forKey: "data") == nil, "nil stays nil")
    },
    ConformanceCase(
      .properties, "large-changed",
      "large data that are replaced, made small or set to nil are read as they are now (B312)"
    ) { stage in
      let stack = try stage.open(pictures())
      let picture = try stack.context.make(
        "Picture", ["name": "a", "data": bytes(2 << 20, seed: 1)])
      try stack.context.save()
      for data in [bytes(3 << 20, seed: 2), bytes(10, seed: 3), bytes(1 << 20, seed: 4), nil] {
        try picture.set("data", data)
        try stack.context.save()
        try stack.context.refresh(picture, mergeChanges: false)
        try expect(try picture.value(forKey: "data") as? Data == data, "the data are the new ones")
      }
      try picture.set("data", bytes(1 << 20, seed: 5))
      try stack.context.save()
      stack.context.delete(picture)
      try stack.context.save()
      try stack.readAnew()
      try expectEqual(try stack.context.names("Picture"), [], "the pictures")
    },
    ConformanceCase(
      .properties, "large-unsaved", "a save that fails leaves large data as they were (B169, B312)"
    ) { stage in
      let stack = try stage.open(pictures())
      let picture = try stack.context.make(
        "Picture", ["name": "a", "data": bytes(1 << 20, seed: 1)])
      try stack.context.save()
      let other = stack.makeContext()
      let same = try other.named("Picture", "a")
      try same.set("data", bytes(1 << 20, seed: 2))
      try picture.set("name", "b")
      try stack.context.save()
      try expectError(.managedObjectMerge) { try other.save() }
      try stack.readAnew()
      let stored = try stack.context.named("Picture", "b").value(forKey: "data") as? Data
      try expect(stored == bytes(1 << 20, seed: 1), "the data are the old ones")
    },
  ]
}

// MARK: - Transformables

/// A type of a program, for a registered codec.
private struct Shade: Codable, Equatable, Sendable {
  var red: Int
  var green: Int
}

extension PropertyCases {
  private static let codecName = "RoostConformance.Shade"

  private static func paints() -> ManagedObjectModel {
    TransformableCodec.register(TransformableCodec(codecName, Shade.self))
    let shade = AttributeDescription.of("shade", .transformable)
    shade.valueTransformerName = codecName
    var sketch = ModelSketch()
    sketch.add("Paint", [.string("name"), shade])
    return sketch.make()
  }

  static let transformables: [ConformanceCase] = [
    ConformanceCase(
      .properties, "transformable",
      "a value of the program's own type goes through its registered codec (B64)"
    ) { stage in
      let stack = try stage.open(paints())
      let paint = try stack.context.make("Paint", ["name": "a", "shade": Shade(red: 1, green: 2)])
      try expectEqual(
        try paint.value(forKey: "shade") as? Shade, Shade(red: 1, green: 2), "unsaved")
      try stack.context.save()
      try stack.readAnew()
      let stored = try stack.context.named("Paint", "a")
      try expectEqual(
        try stored.value(forKey: "shade") as? Shade, Shade(red: 1, green: 2), "stored")
      try stored.set("shade", Shade(red: 3, green: 4))
      try stack.context.save()
      try stack.context.refresh(stored, mergeChanges: false)
      try expectEqual(
        try stored.value(forKey: "shade") as? Shade, Shade(red: 3, green: 4), "changed")
      try stored.set("shade", nil)
      try stack.context.save()
      try expect(try stored.value(forKey: "shade") == nil, "the value is nil")
    }
  ]
}
