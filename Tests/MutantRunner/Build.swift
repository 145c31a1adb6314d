// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Builds the mutated tree once, in debug.
struct Build {
  let tree: URL
  let scratch: URL

  /// Builds, and returns the folder with the programs.
  func run() throws -> URL {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "swift", "build", "--build-tests", "--package-path", tree.path(), "--scratch-path",
      scratch.path(), "-Xswiftc", "-gnone",
    ]
    // The output goes to the standard output, as the report does.
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw RunError(reason: "the mutated tree does not compile")
    }
    return scratch.appending(path: "debug")
  }
}
