// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import SortedFile

// Runs the conformance kit, which every store must pass, on the sorted file; the argument is the prefix of the IDs of
// the cases to run.
let folder = FileManager.default.temporaryDirectory
  .appending(path: "sorted-file-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let harness = StoreHarness("SortedFile", allowsSecondHandle: false) {
  .sortedFile(at: folder.appending(path: "\(UUID().uuidString).sorted"))
}
let prefix = CommandLine.arguments.dropFirst().first ?? ""
let cases = ConformanceCatalogue.all.filter { $0.id.hasPrefix(prefix) }
let report = ConformanceRun(harness, mode: .reopening, cases: cases).report()
print(report.text)
let findings = try DamageCheck(folder.appending(path: "damaged.sorted")).findings()
for finding in findings { print(finding) }
try FileManager.default.removeItem(at: folder)
exit(report.isConforming && findings.isEmpty ? 0 : 1)
