// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

extension ValueCases {
  /// Every value of the table, sorted by the store: both directions, nil at its end, ties by the object ID.
  static let orders: [ConformanceCase] = SampleModel.types.filter { $0 != .binaryData }.flatMap {
    type in [true, false].map { order(of: type, ascending: $0) }
  }

  private static func order(of type: AttributeType, ascending: Bool) -> ConformanceCase {
    let key = type.description
    let direction = ascending ? "ascending" : "descending"
    return ConformanceCase(
      .values, "\(key).order-\(direction)",
      "\(key)s are sorted \(direction) with nil at its end (value contract: order)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      for value in values(of: type) + [.null] + values(of: type).reversed() + [.null] {
        try stack.context.make("Sample", [key: value.native])
      }
      try stack.context.save()
      try stack.readAnew()
      let request = FetchRequest<ManagedObject>(entityName: "Sample")
      request.sortDescriptors = [SortOrdering(key, ascending: ascending)]
      let found = try stack.context.fetch(request)
      try expectEqual(found.count, values(of: type).count * 2 + 2, "the number of objects")
      for (left, right) in zip(found, found.dropFirst()) {
        let (value, next) = (try left.get(key), try right.get(key))
        let order = ValueOracle.compare(value, next)
        let isRight =
          order == 0
          ? left.objectID.key < right.objectID.key : ascending ? order < 0 : order > 0
        try expect(
          isRight, "\(ExactValue(value)) is not before \(ExactValue(next)), \(direction)")
      }
    }
  }

  /// The values of a type that the table keeps, without those of a megabyte.
  static func values(of type: AttributeType) -> [Value] {
    ValueTable.rows.compactMap { row in
      guard row.type == type, case .kept = row.fate, !row.name.contains("1MB") else { return nil }
      return row.value
    }
  }
}
