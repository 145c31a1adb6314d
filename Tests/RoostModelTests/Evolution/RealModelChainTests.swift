// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite(
  "Versions of models of real programs",
  .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with hash-vectors.tsv"))
struct RealModelChainTests {
  /// Returns the versions of each `.xcdatamodeld`, in order.
  private func chains() throws -> [[String]] {
    let separator = ".xcdatamodeld__"
    let paths = try Fixtures.modelPaths().filter { $0.contains(separator) }
    let groups = Dictionary(grouping: paths) { $0.components(separatedBy: separator)[0] }
    return groups.values.filter { $0.count > 1 }.map { paths in
      paths.sorted {
        let suffix = ".xcdatamodel.contents"
        return $0.dropLast(suffix.count).compare(
          $1.dropLast(suffix.count), options: [.numeric, .caseInsensitive]) == .orderedAscending
      }
    }.sorted { $0[0] < $1[0] }
  }

  @Test(
    "what leads from each version to the next is inferred, or refused with its reason (M15, B259)")
  func consecutive() throws {
    var (inferred, refused) = (0, 0)
    for chain in try chains() {
      for (old, new) in zip(chain, chain.dropFirst()) {
        let (source, destination) = (try Fixtures.model(old), try Fixtures.model(new))
        do {
          let difference = try ModelDifference(from: source, to: destination)
          inferred += 1
          #expect(difference.entities.count == destination.entities.count)
          #expect(difference.isEmpty || source.versionChecksum != destination.versionChecksum)
          // The same comparison with models read from their texts, as stores do.
          let again = try ModelDifference(
            from: CanonicalModel(source).model(), to: CanonicalModel(destination).model())
          #expect(again.changes == difference.changes, "\(new)")
          print("inferred \(new):", difference.changes.map(\.description))
        } catch let error as PersistenceError {
          refused += 1
          #expect(error.code == .inferredMappingModel, "\(new): \(error)")
          print("refused \(new): \(error.message)")
        }
      }
    }
    print("\(inferred) inferred, \(refused) refused")
    #expect(inferred > 10)
  }
}
