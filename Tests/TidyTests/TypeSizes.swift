// SPDX-License-Identifier: Apache-2.0

/// The types that may be larger than others, each with a reason; the numbers only shrink.
enum TypeSizes {
  static let exempt: [String: TypeSizeRule.Size] = [
    // What Core Data's coordinator can do is one type for programs, and each method hands over at once.
    "RoostCoordinator.PersistentStoreCoordinator": .init(methods: 83, properties: 12)
  ]
}
