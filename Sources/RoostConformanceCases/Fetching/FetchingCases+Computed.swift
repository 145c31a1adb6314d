// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects

// Values that a store computes, or must pass to its database in another form than a column's.
extension FetchingCases {
  static let computed: [ConformanceCase] = [
    company("computed.decimal", "decimals are exact in a condition (B120, value contract)") {
      context in
      for (format, names) in [
        ("budget + 1 == 1001", ["Research"]), ("budget * 2 == 1000", ["Sales"]),
        ("budget - 0.5 > 499", ["Research", "Sales"]),
      ] {
        try expectEqual(try context.names("Department", format), names, "\(format)")
      }
    },
    ConformanceCase(
      .fetching, "computed.long-list-of-doubles",
      "a long list has the very doubles, infinities too (B120, value contract)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      let salaries: [Double] = [
        .infinity, -.infinity, 0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -0.0, 1e-7,
        9_007_199_254_740_994, -1.5, .pi,
      ]
      for (index, salary) in salaries.enumerated() {
        try stack.context.make("Person", ["name": "\(index)", "salary": salary])
      }
      try stack.context.make("Person", ["name": "other", "salary": 0.1.nextUp])
      try stack.context.make("Person", ["name": "none"])
      try stack.context.save()
      let found = try stack.makeContext().names("Person", "salary IN %@", salaries)
      try expectEqual(found, (0..<salaries.count).map(String.init), "those of the list")
    },
    ConformanceCase(
      .fetching, "computed.empty-text",
      "a function whose result is an empty text has that result, and not nil (B120)"
    ) { stage in
      let stack = try stage.open(CompanyModel.make())
      try stack.context.make("Person", ["name": "empty", "note": ""])
      try stack.context.make("Person", ["name": "full", "note": "X"])
      try stack.context.make("Person", ["name": "none"])
      try stack.context.save()
      let context = stack.makeContext()
      for format in ["lowercase(note) == ''", "uppercase(note) == ''", "canonical(note) == ''"] {
        try expectEqual(try context.names("Person", format), ["empty"], "\(format)")
      }
      try expectEqual(try context.names("Person", "lowercase(note) == nil"), ["none"])
    },
  ]
}
