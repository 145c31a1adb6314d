// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite(
  "Models of real programs",
  .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with hash-vectors.tsv"))
struct RealModelTests {
  @Test("every model that Xcode wrote is consistent, freezes and copies")
  func realModels() throws {
    let paths = try Fixtures.modelPaths()
    #expect(paths.count > 20)
    for path in paths {
      let model = try Fixtures.model(path)
      let faults = model.findFaults().map(\.description)
      #expect(faults == [], "\(path)")
      guard faults.isEmpty else { continue }
      let hashes = model.entityVersionHashesByName
      try model.freeze()
      #expect(model.entityVersionHashesByName == hashes)
      #expect(model.copy().entityVersionHashesByName == hashes)
    }
  }
}
