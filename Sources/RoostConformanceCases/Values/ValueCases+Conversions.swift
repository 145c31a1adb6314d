// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Values of one type that are set where another one is declared.
extension ValueCases {
  private static let amounts = [0.07, 0.14, 0.23, 0.28, 0.47, 1.1, 999.99, -0.07, 1e-7, 123456.78]

  static let conversions: [ConformanceCase] = [
    ConformanceCase(
      .values, "decimal.of-double",
      "a double that is set as a decimal is the decimal that prints alike (value contract: Decimal 38 digits)"
    ) { stage in
      let stack = try stage.open(SampleModel.make())
      for amount in amounts {
        try stack.context.make("Sample", ["name": "\(amount)", "decimal": amount])
      }
      try stack.context.save()
      try stack.readAnew()
      for amount in amounts {
        let sample = try stack.context.named("Sample", "\(amount)")
        let wanted = ValueOracle.decimal("\(amount)")
        try expectExact(try sample.get("decimal"), .decimal(wanted), "\(amount)")
        for constant in [amount, wanted] as [Any] {
          try expectEqual(
            try stack.context.names("Sample", "decimal == %@", constant), ["\(amount)"],
            "what is equal to \(amount)")
        }
      }
    }
  ]
}
