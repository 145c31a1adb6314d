// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine

/// A memory measurement in a separate process: peak memory is counted per process, and earlier work would raise it.
struct ChildTask: Equatable {
  /// The option with which the program starts itself.
  static let option = "--child"

  let work: MemoryWork
  let store: StoreKind
  /// nil for Roost.
  let baseline: Baseline?
  let objects: Int
  /// The location of the store that the parent filled; empty when the process fills its own.
  let place: String

  init(work: MemoryWork, store: StoreKind, baseline: Baseline?, objects: Int, place: String) {
    self.work = work
    self.store = store
    self.baseline = baseline
    self.objects = objects
    self.place = place
  }

  /// Parses the value of the option.
  init(_ text: String) throws(UsageError) {
    let parts = text.split(separator: ",", maxSplits: 4, omittingEmptySubsequences: false)
      .map(String.init)
    guard parts.count == 5, let work = MemoryWork(rawValue: parts[0]),
      let store = StoreKind(rawValue: parts[1]), let objects = Int(parts[3])
    else { throw UsageError("\(Self.option) is for roost-bench itself.") }
    self.init(
      work: work, store: store, baseline: Baseline(rawValue: parts[2]), objects: objects,
      place: parts[4])
  }

  var text: String {
    "\(work.rawValue),\(store.rawValue),\(baseline?.rawValue ?? "roost"),\(objects),\(place)"
  }

  /// The executable file of this program.
  static var program: URL {
    #if os(Linux)
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    #else
    URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    #endif
  }

  /// Starts this program again with the task.
  ///
  /// - Returns: The bytes that it measured; nil when the system does not report them, or the run was interrupted.
  func runInChild() throws -> Int? {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = [Self.option, text]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    if Interruption.isRequested { return nil }
    guard process.terminationStatus == 0 else {
      throw BenchError("The process that measures the memory of \(store.title) failed.")
    }
    return Int(String(decoding: data, as: UTF8.self).filter(\.isNumber))
  }
}
