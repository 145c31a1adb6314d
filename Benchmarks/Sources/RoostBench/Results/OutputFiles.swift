// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The output files of a run. Their folders are checked before the first measurement: after an hour, a failure would
/// lose the results.
struct OutputFiles {
  let jsonFile: String?
  let reportFolder: String?

  /// - Throws: ``BenchError`` for a folder where nothing can be written.
  init(_ options: BenchOptions) throws {
    jsonFile = options.jsonFile
    reportFolder = options.reportFolder
    if let jsonFile {
      let url = URL(filePath: jsonFile)
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder),
        isFolder.boolValue
      {
        throw BenchError("\(jsonFile) is a folder: --json takes the name of a file.")
      }
      try Self.probe(url.deletingLastPathComponent(), for: jsonFile)
    }
    if let reportFolder {
      let url = URL(filePath: reportFolder)
      try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try Self.probe(url, for: reportFolder)
    }
  }

  /// Creates a file in a folder and removes it again, to check that the folder is writable.
  private static func probe(_ folder: URL, for place: String) throws {
    let file = folder.appending(path: ".roost-bench-\(UUID().uuidString)")
    do {
      try Data().write(to: file)
      try FileManager.default.removeItem(at: file)
    } catch {
      throw BenchError("\(place) cannot be written.")
    }
  }

  /// Writes all files; a failure of one does not stop the others.
  ///
  /// - Returns: The path of the page, if there is one, and the reasons for missing files.
  func write(
    _ results: BenchResults, _ comparison: ResultsComparison?
  ) -> (page: String?, failures: [String]) {
    var failures: [String] = []
    var page: String?
    if let jsonFile {
      do {
        try results.json().write(to: URL(filePath: jsonFile), options: .atomic)
      } catch {
        failures.append("\(jsonFile) cannot be written: \(error.localizedDescription)")
      }
    }
    if let reportFolder {
      do {
        page = try HTMLReport(results: results, comparison: comparison).write(into: reportFolder)
      } catch {
        failures.append("\(error)")
      }
    }
    return (page, failures)
  }
}
