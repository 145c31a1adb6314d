// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostModel

/// The model of a program. Only the program knows the model that its macros and its code define, so it is run, and
/// writes the text of its model instead of opening a store (M63).
struct ProgramModel {
  /// How long a program may take until it makes a container, in seconds.
  var patience: Double = 60

  /// Builds a product of the package in the current folder, and returns the path of the program.
  ///
  /// - Throws: ``CommandFailure`` when it cannot be built.
  static func build(_ product: String) throws -> String {
    let build = ["swift", "build", "--product", product]
    guard try run(build, printsOutput: false).code == 0 else {
      throw CommandFailure("The product \(product) cannot be built.")
    }
    let (code, output) = try run(build + ["--show-bin-path"], printsOutput: true)
    guard code == 0 else { throw CommandFailure("The folder of the built products is not known.") }
    return URL(filePath: output.trimmed).appending(path: product).path(percentEncoded: false)
  }

  /// Runs a program, and returns its model.
  ///
  /// - Throws: ``CommandFailure`` when it ends without a model, or makes no container in time.
  func model(ofProgram path: String) throws -> ManagedObjectModel {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "roost-\(UUID().uuidString).roostmodel")
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["ROOST_PRINT_MODEL": file.path(percentEncoded: false)]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try process.run()
    } catch {
      throw CommandFailure("\(path) cannot be run: \(CommandProgram.describe(error))")
    }
    guard ended.wait(timeout: .now() + patience) == .success else {
      // A program may ignore a request to terminate, and a blocked signal mask is inherited.
      kill(process.processIdentifier, SIGKILL)
      throw CommandFailure(
        "\(path) made no PersistentContainer within \(Int(patience)) seconds, and was stopped.")
    }
    guard process.terminationStatus == 0, let bytes = try? Data(contentsOf: file) else {
      throw CommandFailure(
        "\(path) ended with \(process.terminationStatus) and has written no model: it makes no "
          + "PersistentContainer.")
    }
    return try CanonicalModel(bytes: [UInt8](bytes)).model()
  }

  private static func run(
    _ words: [String], printsOutput: Bool
  ) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    let output = Pipe()
    // Compiler messages are for the user, and no part of this program's output.
    process.standardOutput = printsOutput ? output : FileHandle.standardError
    try process.run()
    var text = ""
    if printsOutput {
      text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
