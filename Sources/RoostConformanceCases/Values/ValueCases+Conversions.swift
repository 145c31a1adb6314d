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
    },
    ConformanceCase(
      .values, "decimal.as-double",
      "a decimal that is set or computed as a double is the nearest one (value contract: Double is bit-exact)"
    ) { stage in
      let texts =
        amounts.map { "\($0)" } + [
          "481407.53", "0.1", "123456789.01", "99999999999999999999.99", "1e22", "1e23", "1e-22",
          "9007199254740993", "0.30000000000000004", "-1e-128", "7e127",
        ]
      let stack = try stage.open(SampleModel.make())
      for text in texts {
        let decimal = ValueOracle.decimal(text)
        try stack.context.make("Sample", ["name": text, "double": decimal, "decimal": decimal])
      }
      try stack.context.save()
      try stack.readAnew()
      for text in texts {
        let sample = try stack.context.named("Sample", text)
        try expectExact(try sample.get("double"), .double(Double(text) ?? .nan), "\(text)")
        try expectEqual(
          try stack.context.names("Sample", "name == %@ AND decimal + 0.0 == double", text), [text],
          "what is computed of \(text)")
        let average = ExpressionDescription(
          name: "x", expression: FetchExpression.function(.average, [.keyPath(["decimal"])]),
          resultType: .double)
        let request = FetchRequest<[String: Any]>(entityName: "Sample")
        request.propertiesToFetch = [average]
        request.predicate = try FetchPredicate(format: "name == %@", argumentArray: [text])
        try expectEqual(
          try stack.context.fetch(request).first?["x"] as? Double, Double(text), "the average")
      }
    },
  ]
}
