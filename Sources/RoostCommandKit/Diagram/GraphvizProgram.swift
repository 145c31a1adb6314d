// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The program `dot` of Graphviz, which places the boxes and lines of a diagram.
struct GraphvizProgram {
  /// The path of the program.
  let path: String
  /// How long the program may take, in seconds.
  var patience: Double = 20

  /// Returns the installed program; nil when there is none.
  ///
  /// - Parameter folders: The folders where programs are looked for, separated by colons.
  static func installed(
    in folders: String? = ProcessInfo.processInfo.environment["PATH"]
  ) -> GraphvizProgram? {
    let paths = (folders ?? "").split(separator: ":").map { "\($0)/dot" }
    let path = paths.first { FileManager.default.isExecutableFile(atPath: $0) }
    return path.map { GraphvizProgram(path: $0) }
  }

  /// Returns the drawing of a diagram; nil when the program fails, or makes none in time.
  func drawing(of graph: ModelGraph) -> String? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let (input, output) = (folder.appending(path: "in.gv"), folder.appending(path: "out.svg"))
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = [
      "-Tsvg", "-Gbgcolor=transparent", "-o", output.path(percentEncoded: false),
      input.path(percentEncoded: false),
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    // Warnings, as of a font that is not installed, say nothing about the drawing.
    process.standardError = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(GraphvizText(graph: graph).text.utf8).write(to: input)
      try process.run()
    } catch {
      return nil
    }
    guard ended.wait(timeout: .now() + patience) == .success else {
      kill(process.processIdentifier, SIGKILL)
      return nil
    }
    guard process.terminationStatus == 0,
      let text = try? String(contentsOf: output, encoding: .utf8)
    else { return nil }
    return Self.adapted(text)
  }

  /// Returns a drawing without the head of its document, and with colours that follow the page; nil for a text that is
  /// no drawing.
  static func adapted(_ text: String) -> String? {
    guard let start = text.range(of: "<svg"), text.contains("</svg>"),
      let end = text.range(of: ">", range: start.upperBound..<text.endIndex)
    else { return nil }
    let style = """

      <style>
      @media (prefers-color-scheme: dark) {
      text { fill: #e8edf5; } [stroke="black"] { stroke: #a3afc0; } [fill="black"] { fill: #a3afc0; }
      [fill="#e8eef7"] { fill: #2a3a54; } }
      </style>
      """
    return text[start.lowerBound..<end.upperBound] + style + text[end.upperBound...]
  }
}
